"""`faithfold compact`: form of the result, exit codes, refusals, what is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import faithfold as ff
from faithfold.strategies.options import CompactSettings
from tests.cli_runs import Home, Message, claude_session, listed, parsed, task, text_at

FAITHFOLD = Path(sys.executable).with_name("faithfold")

SHORT: list[Message] = [{"role": role, "content": "ok"} for role in ("user", "assistant", "user", "assistant")]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_list_comes_out_as_the_list_that_the_library_makes(home: Home) -> None:
    run = home.run("compact", home.write("in.json", task()))
    compaction = ff.compact(task(), "openai")
    assert compaction is not None
    assert run.exit_code == 0
    assert listed(run.stdout) == compaction.messages
    assert run.stderr == compaction.notice + "\n"


def test_a_body_comes_out_as_a_body_with_its_fields_in_order(home: Home) -> None:
    body = {"temperature": 0.5, "messages": task(), "model": "gpt-5", "x": {"b": 1, "a": 2}}
    out = parsed(home.run("compact", home.write("in.json", body)).stdout)
    assert list(out) == list(body)
    assert {**out, "messages": []} == {**body, "messages": []}
    assert text_at(out, "messages", 1, "content").startswith(ff.SUMMARY_HEADER)


def test_a_responses_body_keeps_its_input_key(home: Home) -> None:
    calls: list[object] = [{"role": "user", "content": "Go."}]
    for number in range(6):
        name = f"c{number}"
        calls.append({"type": "function_call", "call_id": name, "name": "read", "arguments": "{}"})
        calls.append({"type": "function_call_output", "call_id": name, "output": "x" * 2_000})
    out = parsed(home.run("compact", home.write("in.json", {"model": "gpt-5", "input": calls})).stdout)
    assert list(out) == ["model", "input"]
    assert text_at(out, "input", 1, "role") == "user"


@pytest.mark.parametrize("content", [task(1), {"model": "m", "messages": task(1)}, {"model": "m", "input": "hello"}])
def test_with_nothing_to_gain_it_comes_out_as_it_was(home: Home, content: object) -> None:
    path = home.write("in.json", content)
    run = home.run("compact", path)
    assert (run.exit_code, json.loads(run.stdout)) == (0, content)
    assert run.stderr.startswith("nothing to gain, unchanged: ")
    assert parsed(home.run("compact", path, "--json").stdout)["changed"] is False


@pytest.mark.parametrize(
    ("messages", "options", "why"),
    [
        (task(0), [], "it holds no message of the model yet"),
        (task(1), [], "it has 1 step, and the newest 3 are kept"),
        (task(6), ["--keep-recent", "9"], "it has 6 steps, and the newest 9 are kept"),
        (task(6), ["--policy", "none"], "the policy 'none' finds nothing that it may fold"),
        (task(6), ["--threshold", "100000"], "tokens are not over the threshold of 100,000"),
        (SHORT, ["--keep-recent", "1"], "a compaction would have "),
    ],
)
def test_why_there_is_nothing_to_gain(home: Home, messages: list[Message], options: list[str], why: str) -> None:
    run = home.run("compact", home.write("in.json", messages), *options)
    assert listed(run.stdout) == messages
    assert why in run.stderr


def test_the_threshold_counts_the_whole_body(home: Home) -> None:
    tools = [{"name": "read", "description": "y" * 40_000}]
    path = home.write("in.json", {"model": "m", "messages": task(), "tools": tools})
    assert parsed(home.run("compact", path, "--json", "--threshold", "10000").stdout)["changed"] is True
    assert parsed(home.run("compact", path, "--json", "--threshold", "20000").stdout)["changed"] is False


def test_json_tells_all(home: Home) -> None:
    run = home.run("compact", home.write("in.jsonl", claude_session()), "--json")
    told = parsed(run.stdout)
    assert list(told) == [
        *("changed", "dialect", "agent", "messages_before", "messages_after", "tokens_before", "tokens_after"),
        *("head_len", "cut", "notice", "problems", "output", "conversation"),
    ]
    assert {name: told[name] for name in ("changed", "dialect", "agent", "messages_before", "messages_after")} == {
        "changed": True,
        "dialect": "anthropic",
        "agent": "claude",
        "messages_before": 13,
        "messages_after": 8,
    }
    assert (told["head_len"], told["cut"], told["problems"], told["output"]) == (1, 7, [], None)
    assert text_at(told, "conversation", 1, "content").startswith(ff.SUMMARY_HEADER)


def test_with_a_file_json_leaves_the_conversation_to_it(home: Home) -> None:
    out = home.path / "out.json"
    told = parsed(home.run("compact", home.write("in.json", task()), "-o", out, "--json").stdout)
    assert told["output"] == str(out)
    assert "conversation" not in told
    assert len(listed(out.read_bytes())) == told["messages_after"]


def test_with_a_file_alone_standard_output_stays_empty(home: Home) -> None:
    run = home.run("compact", home.write("in.json", task()), "-o", home.path / "out.json")
    assert (run.exit_code, run.stdout) == (0, "")


def test_a_dash_is_standard_input_and_output(home: Home) -> None:
    run = home.run("compact", "-", "-o", "-", stdin=json.dumps(task()))
    assert len(listed(run.stdout)) == 8


def test_lone_surrogates_are_escaped_and_all_else_is_not(home: Home) -> None:
    messages = task(1, "caf\u00e9 \ud83d end")
    run = home.run("compact", home.write("in.json", messages))
    assert "caf\u00e9 \\ud83d end" in run.stdout
    assert listed(run.stdout) == messages


def test_bad_lines_are_named_and_the_rest_is_used(home: Home) -> None:
    path = home.write("in.jsonl", claude_session() + "nonsense\n" * 12)
    run = home.run("compact", path, "--json")
    said = run.stderr.splitlines()
    assert run.exit_code == 3
    assert said[1:] == [*(f"line {number}: no JSON object" for number in range(14, 24)), "and 2 more bad lines"]
    assert len(parsed(run.stdout)["problems"]) == 12  # type: ignore[arg-type]  # a list, else this fails


def test_a_strict_user_gets_no_damaged_file(home: Home) -> None:
    path, out = home.write("in.jsonl", claude_session() + "{torn"), home.path / "out.json"
    run = home.run("compact", path, "--strict", "-o", out)
    assert (run.exit_code, run.stdout, out.exists()) == (1, "", False)
    assert run.stderr.startswith("faithfold: 1 bad line, first line 14 (not JSON: ")
    assert run.stderr.endswith("expected none, with --strict\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "the file is empty; expected a Claude Code, Codex or Pi session"),
        ("hello", "holds no JSON object"),
        ('{"messages": [{"role": "human"', "holds no JSON object"),
        ({"a": 1}, "this is no format that faithfold knows"),
        ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "this is a Gemini API request"),
        ("[" * 100_000, "holds no JSON object"),
    ],
)
def test_what_is_no_conversation_is_refused_in_one_line(home: Home, content: object, expected: str) -> None:
    run = home.run("compact", home.write("in.json", content))
    assert (run.exit_code, run.stdout) == (1, "")
    assert run.stderr.startswith("faithfold: ")
    assert run.stderr.count("\n") == 1
    assert expected in run.stderr


def test_however_deeply_it_is_nested_there_is_no_traceback(home: Home) -> None:
    said: set[str] = set()
    for depth in range(800, 1_000):
        blocks = '{"type": "tool_result", "tool_use_id": "image", "content": ' + "[" * depth + "]" * depth + "}"
        run = home.run("inspect", home.write("in.json", f'[{{"role": "user", "content": [{blocks}]}}]'))
        said.add(run.stderr.partition(";")[0])
    assert said >= {"", "faithfold: the input is nested too deeply"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["compact"],
        ["compact", "in.json", "--latest"],
        ["compact", "in.json", "--keep-recent", "-1"],
        ["compact", "in.json", "--keep-recent", "many"],
        ["compact", "in.json", "--policy", "zip"],
        ["compact", "in.json", "--dialect", "latin"],
        ["compact", "in.json", "--pick", "0"],
        ["compact", "in.json", "--latest", "gemini"],
        ["compact", "in.json", "--nonsense"],
        ["nonsense"],
    ],
)
def test_usage_is_exit_code_2(home: Home, arguments: list[str]) -> None:
    home.write("in.json", task())
    run = home.run(*arguments)
    assert (run.exit_code, run.stdout) == (2, "")
    assert "Usage: " in run.stderr


def test_a_file_that_is_not_there_is_refused(home: Home) -> None:
    run = home.run("compact", home.path / "none\x1b[31m.json")
    assert (run.exit_code, run.stderr.count("\n")) == (1, 1)
    assert run.stderr.endswith("can't be read: No such file or directory\n")
    assert "\x1b" not in run.stderr


def test_the_newest_session_is_found(home: Home) -> None:
    home.write(".claude/projects/p/old.jsonl", claude_session())
    codex = home.write(".codex/sessions/2025/rollout-1.jsonl", "")
    os.utime(codex, (1, 1))
    assert parsed(home.run("compact", "--latest", "--json").stdout)["agent"] == "claude"
    assert parsed(home.run("compact", "--latest", "claude", "--json").stdout)["agent"] == "claude"
    run = home.run("compact", "--latest", "pi")
    assert (run.exit_code, run.stderr) == (
        1,
        f"faithfold: there is no session under {home.path / '.pi/agent/sessions'}; name a file instead\n",
    )


def test_of_several_conversations_the_longest_is_taken_with_notice(home: Home) -> None:
    other = [{"role": "user", "content": "Another."}]
    path = home.write("in.json", [{"messages": other}, {"messages": task()}])
    run = home.run("compact", path, "--json")
    assert "the longest of 2 conversations, number 2; --pick N takes another" in run.stderr
    picked = home.run("compact", path, "--pick", "1", "--json")
    assert (parsed(picked.stdout)["messages_before"], "--pick" in picked.stderr) == (1, False)


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


def test_every_setting_has_its_option(home: Home) -> None:
    pages = [home.run(command, "--help").stdout for command in ("compact", "inspect")]
    names = [name.replace("_", "-") for name in CompactSettings.__dataclass_fields__]
    assert [name for name in names for page in pages if f"--{name}" not in page] == []


def test_as_a_program_in_a_pipe(home: Home) -> None:
    environment = {name: value for name, value in {**os.environ, **home.environment()}.items() if value is not None}
    command = [str(FAITHFOLD), "compact", "-"]
    run = subprocess.run(command, input=json.dumps(task()).encode(), capture_output=True, env=environment, check=True)
    assert len(listed(run.stdout)) == 8
    assert run.stderr.startswith(b"folded 6 of 13 messages")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_a_reader_who_leaves_is_no_reason_to_complain(home: Home) -> None:
    path = home.write("in.json", task(1, "x" * 1_000_000))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        run = subprocess.run([FAITHFOLD, "compact", path], stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert (run.returncode, run.stderr) == (1, b"")
