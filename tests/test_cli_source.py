"""Which conversation is read, and what is said of a file that is damaged, missing or none."""

from __future__ import annotations

import gzip
import json
import os

import click
import pytest

from faithfold.cli.group import commands
from faithfold.dialects import DIALECTS
from tests.cli_runs import Home, claude_session, parsed, task

# Sessions from the newest to the oldest: two without messages, then one that holds some.
AGED = ["", json.dumps({"type": "file-history-snapshot", "uuid": "u", "sessionId": "s"}), claude_session()]


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
    assert run.stderr.startswith(f"faithfold: {path}: 1 bad line, first line 14 (not JSON: ")
    assert run.stderr.endswith("expected none, with --strict\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "the file is empty; expected a Claude Code, Codex or Pi session"),
        ("hello", "holds no JSON object"),
        ('{"messages": [{"role": "human"', "holds no JSON object"),
        ({"a": 1}, "this is no format that faithfold knows"),
        ({"messages": []}, "this holds no messages; expected at least one"),
        ({"input": "hello"}, "its input is a plain text, no messages: there is nothing to compact"),
        (gzip.compress(b"[]", mtime=0), "the file looks gzip-compressed; unpack it first"),
        ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "this is a Gemini API request"),
        ("[" * 100_000, "holds no JSON object"),
    ],
)
def test_what_is_no_conversation_is_refused_in_one_line(home: Home, content: object, expected: str) -> None:
    path = home.write("in.json", content)
    run = home.run("compact", path)
    assert (run.exit_code, run.stdout) == (1, "")
    assert run.stderr.startswith(f"faithfold: {path}: ")
    assert run.stderr.count("\n") == 1
    assert expected in run.stderr


def test_however_deeply_it_is_nested_there_is_no_traceback(home: Home) -> None:
    said: set[str] = set()
    for depth in range(800, 1_000):
        blocks = '{"type": "tool_result", "tool_use_id": "image", "content": ' + "[" * depth + "]" * depth + "}"
        run = home.run("inspect", home.write("in.json", f'[{{"role": "user", "content": [{blocks}]}}]'))
        assert run.exit_code == bool(run.stderr)
        said.add(run.stderr)
    assert "" in said
    assert all(line.count("\n") <= 1 and "nested too deeply" in line for line in said if line)
    assert len(said) > 1


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


def test_a_session_without_messages_is_passed_over_with_notice(home: Home) -> None:
    paths = [home.write(f".claude/projects/p/{age}.jsonl", content) for age, content in enumerate(AGED)]
    for age, path in enumerate(paths):
        os.utime(path, (1_000 - age, 1_000 - age))
    run = home.run("compact", "--latest", "claude", "--json")
    assert (run.exit_code, parsed(run.stdout)["messages_before"]) == (0, 13)
    assert run.stderr.startswith(f"{paths[0]} holds no messages, and so it is with 1 older; taken is {paths[2]}\n")
    large = claude_session(200)
    assert len(large) > 200_000  # such a one is not read twice
    paths[2].write_text(large)
    os.utime(paths[2], (1_001, 1_001))
    assert "holds no messages" not in home.run("compact", "--latest").stderr
    os.utime(paths[2], (1, 1))
    paths[1].unlink()
    assert f"{paths[0]} holds no messages; taken is {paths[2]}\n" in home.run("compact", "--latest").stderr
    paths[2].unlink()
    alone = home.run("compact", "--latest")
    assert (alone.exit_code, alone.stderr.startswith(f"faithfold: {paths[0]}: the file is empty")) == (1, True)


def test_a_newest_session_that_is_no_session_is_not_passed_over(home: Home) -> None:
    torn = home.write(".claude/projects/p/torn.jsonl", "{torn")
    os.utime(home.write(".claude/projects/p/old.jsonl", claude_session()), (1, 1))
    run = home.run("compact", "--latest", "claude")
    assert run.stderr.startswith(f"faithfold: {torn}: the file holds no JSON object (line 1: not JSON: ")


def test_without_a_name_there_is_no_file(home: Home) -> None:
    run = home.run("compact", "")
    assert run.stderr == "faithfold: the file's name is empty; expected a path, or - for standard input\n"


@pytest.mark.parametrize("command", ["compact", "inspect"])
def test_every_dialect_of_the_table_can_be_asked_for(command: str) -> None:
    choices = [each.type for each in commands.commands[command].params if each.name == "dialect"]
    assert [list(each.choices) for each in choices if isinstance(each, click.Choice)] == [list(DIALECTS)]


def test_of_several_conversations_the_longest_is_taken_with_notice(home: Home) -> None:
    other = [{"role": "user", "content": "Another."}]
    path = home.write("in.json", [{"messages": other}, {"messages": task()}])
    run = home.run("compact", path, "--json")
    assert "the longest of 2 conversations, number 2; --pick N takes another" in run.stderr
    picked = home.run("compact", path, "--pick", "1", "--json")
    assert (parsed(picked.stdout)["messages_before"], "--pick" in picked.stderr) == (1, False)
