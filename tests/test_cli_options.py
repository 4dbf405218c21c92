"""The settings as options: they reach the note, and stand over variables and file."""

from __future__ import annotations

import pytest

from faithfold.strategies.options import CompactSettings
from tests.cli_runs import Home, listed, parsed, task, text_at


def test_settings_reach_the_note(home: Home) -> None:
    path = home.write("in.json", task(6, "short"))
    long = [{**m, "content": "a" * 400} if m["role"] == "assistant" else m for m in task(6)]
    note = text_at(listed(home.run("compact", path, "--keep-recent", "0").stdout), 1, "content")
    assert note.count("result: short") == 6
    papered = home.run("compact", home.write("long.json", long), "--paper")
    assert f"assistant: {'a' * 300}...\n" in papered.stdout.replace("\\n", "\n")
    own = home.run("compact", home.write("long.json", long), "--paper", "--thought-max-chars", "10")
    assert f"assistant: {'a' * 10}...\n" in own.stdout.replace("\\n", "\n")


def test_no_thinking_leaves_thinking_out(home: Home) -> None:
    thought = {"type": "thinking", "thinking": "a deep thought", "signature": "s"}
    answer = {"type": "text", "text": "Done."}
    messages: list[object] = [{"role": "user", "content": "Go. " * 200}]
    for _ in range(5):
        messages.append({"role": "assistant", "content": [thought, answer]})
        messages.append({"role": "user", "content": "go on"})
    path = home.write("in.json", messages)
    assert "thinking: a deep" in home.run("compact", path, "--keep-recent", "1").stdout
    assert "thinking: a deep" not in home.run("compact", path, "--keep-recent", "1", "--no-thinking").stdout


def test_a_target_is_kept_to_or_the_miss_is_said(home: Home) -> None:
    path = home.write("in.json", task(40, "r" * 400))
    kept = home.run("compact", path, "--target-tokens", "1500", "--json")
    assert int(str(parsed(kept.stdout)["tokens_after"])) <= 1500
    missed = home.run("compact", path, "--target-tokens", "10")
    assert "more than the target of 10" in missed.stderr


def test_variables_and_file_count_and_a_bad_one_is_refused_by_name(home: Home) -> None:
    path = home.write("in.json", task())
    config = home.write("my.toml", "keep_recent = 1\n")
    told = parsed(home.run("compact", path, "--json", env={"FAITHFOLD_CONFIG": str(config)}).stdout)
    assert told["messages_after"] == 4
    run = home.run("compact", path, env={"FAITHFOLD_KEEP_RECENT": "-2"})
    assert (run.exit_code, run.stdout) == (1, "")
    assert run.stderr == "faithfold: FAITHFOLD_KEEP_RECENT: keep_recent must not be negative, but is -2\n"


def test_a_variable_that_is_no_setting_is_named_and_changes_nothing(home: Home) -> None:
    path, env = home.write("in.json", task()), {"FAITHFOLD_KEEPRECENT": "1", "FAITHFOLD_X": "1"}
    plain = home.run("compact", path)
    for run in (home.run("compact", path, env=env), home.run("inspect", path, env=env), home.run("config", env=env)):
        assert run.exit_code == 0
        assert run.stderr.splitlines()[:2] == [
            "FAITHFOLD_KEEPRECENT is no setting and changes nothing; did you mean FAITHFOLD_KEEP_RECENT?",
            "FAITHFOLD_X is no setting and changes nothing",
        ]
    assert home.run("compact", path, env=env).stdout == plain.stdout
    assert "FAITHFOLD_" not in plain.stderr


@pytest.mark.parametrize(
    ("option", "text", "least"), [("--keep-recent", "x", 0), ("--threshold", "1.5", 0), ("--pick", "0", 1)]
)
def test_what_is_no_whole_number_is_refused_in_plain_words(home: Home, option: str, text: str, least: int) -> None:
    run = home.run("compact", home.write("in.json", task()), option, text)
    assert run.exit_code == 2
    assert run.stderr.endswith(f"'{option}': '{text}'; expected a whole number of at least {least}\n")


def test_every_setting_has_its_option(home: Home) -> None:
    pages = [home.run(command, "--help").stdout for command in ("compact", "inspect")]
    names = [name.replace("_", "-") for name in CompactSettings.__dataclass_fields__]
    assert [name for name in names for page in pages if f"--{name}" not in page] == []
