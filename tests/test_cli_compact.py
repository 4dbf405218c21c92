"""`faithfold compact`: form of the result, exit codes, refusals, what is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import faithfold as ff
from tests.cli_runs import Home, Message, claude_session, listed, parsed, task, text_at

FAITHFOLD = Path(sys.executable).with_name("faithfold")

SHORT: list[Message] = [{"role": role, "content": "ok"} for role in ("user", "assistant", "user", "assistant")]


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
        (task(6), ["--policy", "none"], "the policy 'none' changes nothing"),
        (task(1), ["--policy", "none"], "the policy 'none' changes nothing"),
        (task(6), ["--threshold", "100000"], "tokens are not over the threshold of 100,000"),
        ([*SHORT[:2], *SHORT[1:2]], ["--keep-recent", "1"], "the policy 'cliff' finds nothing that it may fold"),
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


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400"])
@pytest.mark.parametrize("steps", [1, 6])
def test_a_number_that_json_has_no_form_for_is_refused(home: Home, number: str, steps: int) -> None:
    body = json.dumps({"temperature": "NUMBER", "messages": task(steps)}).replace('"NUMBER"', number)
    source, out = home.write("in.json", body), home.path / "out.json"
    for options in ([], ["-o", str(out)], ["--json"]):
        run = home.run("compact", source, *options)
        assert (run.exit_code, run.stdout, out.exists()) == (1, "", False)
        assert run.stderr == (
            "faithfold: the conversation holds a number that JSON has no form for (NaN, Infinity or out of range); "
            "expected numbers that JSON can write\n"
        )


def test_large_numbers_that_json_has_a_form_for_stay_as_they_are(home: Home) -> None:
    body = {"model": "m", "seed": 123456789012345678901234567890, "top_p": 1e300, "messages": task()}
    out = parsed(home.run("compact", home.write("in.json", body)).stdout)
    assert (out["seed"], out["top_p"]) == (123456789012345678901234567890, 1e300)


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


def test_as_a_program_in_a_pipe(home: Home) -> None:
    command = [str(FAITHFOLD), "compact", "-"]
    run = subprocess.run(
        command, input=json.dumps(task()).encode(), capture_output=True, env=home.variables(), check=True
    )
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
