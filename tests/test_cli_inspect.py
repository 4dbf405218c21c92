"""`faithfold inspect`: the page, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

import faithfold as ff
from faithfold.cli.group import commands
from faithfold.cli.report import report
from faithfold.core.values import as_list, as_object
from tests.cli_runs import Home, Message, claude_session, parsed, task, text_at
from tests.pictures import data_url, png


def number(value: object, *keys: str) -> int:
    for key in keys:
        value = as_object(value)[key]
    assert isinstance(value, int)
    return value


def test_the_page(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("in.json", task())
    monkeypatch.chdir(home.path)
    run = home.run("inspect", "in.json")
    assert (run.exit_code, run.stderr) == (0, "")
    assert run.stdout == PAGE


def test_json_adds_up(home: Home) -> None:
    told = parsed(home.run("inspect", home.write("in.jsonl", claude_session(20)), "--json").stdout)
    compaction = as_object(told["compaction"])
    total = number(told, "tokens", "total")
    fates = [as_object(compaction[fate]) for fate in ("head", "folded", "dropped", "between", "tail")]
    assert (
        sum(number(told, "tokens", "by_class", name) for name in as_object(as_object(told["tokens"])["by_class"]))
        == total
    )
    assert sum(number(fate, "tokens") for fate in fates) == total
    assert sum(number(fate, "messages") for fate in fates) == number(told, "messages") == 41
    assert (told["agent"], told["turns"], told["steps"], told["faults"]) == ("claude", 1, 20, {})
    last = as_list(told["curve"])[-1]
    assert number(last, "before") == number(compaction, "tokens_before") == total
    assert number(last, "after") == number(compaction, "tokens_after") < total
    assert compaction["reasons"] == {"tool result": 17}
    assert number(compaction, "omissions", "tool result", "characters") == 34_000


def test_it_tells_what_compact_does(home: Home) -> None:
    path = home.write("in.json", task(20))
    told = parsed(home.run("inspect", path, "--json", "--keep-recent", "5").stdout)
    done = parsed(home.run("compact", path, "--json", "--keep-recent", "5").stdout)
    for key in ("tokens_before", "tokens_after", "notice"):
        assert as_object(told["compaction"])[key] == done[key]


def test_a_result_can_be_inspected_in_turn(home: Home) -> None:
    home.run("compact", home.write("in.json", task(20)), "-o", home.path / "out.json")
    told = parsed(home.run("inspect", home.path / "out.json", "--json").stdout)
    assert number(told, "tokens", "by_class", "notes") > 100
    page = home.run("inspect", home.path / "out.json").stdout
    assert "nothing to gain, unchanged: it has 3 steps, and the newest 3 are kept" in page
    assert "░" not in page


def test_faults_are_counted_by_code(home: Home) -> None:
    messages = task(2)[:-1]
    path = home.write("in.json", messages)
    codes = {fault.code for fault in ff.faults(messages, "openai")}
    assert as_object(parsed(home.run("inspect", path, "--json").stdout)["faults"]).keys() == codes
    assert "What a provider would refuse" in home.run("inspect", path).stdout


def test_what_a_harness_wrote_begins_no_turn() -> None:
    transcript = ff.sessions.parse(json.dumps([*task(1), {"role": "user", "content": "go on"}]).encode())
    marked = replace(transcript, injected=frozenset({0}))
    assert [report("in.json", each, ff.CompactSettings(), None).turns for each in (transcript, marked)] == [2, 1]


def test_a_model_counts_besides(home: Home) -> None:
    path = home.write("in.json", task())
    counted = as_object(parsed(home.run("inspect", path, "--json", "--model", "gpt-5").stdout)["counted"])
    assert (counted["counter"], counted["exact"]) == ("o200k_base", True)
    assert 0 < number(counted, "tokens_after") < number(counted, "tokens")
    page = " ".join(home.run("inspect", path, "--model", "claude-sonnet-4-5").stdout.split())
    assert " tokens for claude-sonnet-4-5 by o200k_base x 1.10 (estimate), over the JSON text Tokens" in page
    page = home.run("inspect", path, "--model", "gpt-4o").stdout
    assert " tokens for gpt-4o by o200k_base, over the JSON text\n" in page


def test_where_pictures_are_priced_no_count_is_called_exact(home: Home) -> None:
    picture = {"type": "image_url", "image_url": {"url": data_url(png(2_048, 2_048))}}
    path = home.write("in.json", [{"role": "user", "content": [{"type": "text", "text": "Look."}, picture]}])
    counted = as_object(parsed(home.run("inspect", path, "--json", "--model", "gpt-4o").stdout)["counted"])
    assert (counted["exact"], counted["media"]) == (False, True)
    page = home.run("inspect", path, "--model", "gpt-4o", env={"COLUMNS": "74"}).stdout
    assert " by o200k_base, over the JSON text; pictures and" in page
    assert "documents by their estimated price" in page
    assert "exact" not in page


def test_a_body_is_sized_as_a_whole_too(home: Home) -> None:
    body = {"model": "gpt-5", "messages": task(), "tools": [{"name": "n", "description": "x" * 4_000}]}
    path = home.write("in.json", body)
    told = parsed(home.run("inspect", path, "--json").stdout)
    assert number(told, "tokens", "whole_body") == ff.estimate_tokens(body)
    assert "the whole body, with system text and tools" in home.run("inspect", path).stdout


def test_bad_lines_are_counted_named_and_in_the_exit_code(home: Home) -> None:
    run = home.run("inspect", home.write("in.jsonl", claude_session() + "nonsense\n"))
    assert (run.exit_code, run.stderr) == (3, "line 14: no JSON object\n")
    assert "1 bad line, left out or mended" in run.stdout


def test_colours_are_for_terminals_and_never_against_the_users_wish(home: Home) -> None:
    path = home.write("in.json", task())
    runner = CliRunner(env=home.environment())
    assert "\x1b[36m" in runner.invoke(commands, ["inspect", str(path)], color=True).stdout
    assert "\x1b" not in home.run("inspect", path).stdout
    assert "\x1b" not in runner.invoke(commands, ["inspect", str(path)], color=True, env={"NO_COLOR": "1"}).stdout


def test_a_dumb_terminal_gets_no_colours(home: Home) -> None:
    runner = CliRunner(env=home.environment({"TERM": "dumb"}))
    assert "\x1b" not in runner.invoke(commands, ["inspect", str(home.write("in.json", task()))], color=True).stdout


@pytest.mark.parametrize("width", [1, 30, 31, 36, 40, 44, 45, 52, 60, 73, 74, 80, 200])
@pytest.mark.parametrize("steps", [1, 6, 300])
def test_the_page_fits_the_terminal(home: Home, width: int, steps: int) -> None:
    picture: Message = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}]}
    path = home.write("in.json", [*task(steps), picture])
    run = home.run("inspect", path, "--model", "claude-sonnet-4-5", env={"COLUMNS": str(width)})
    _, *lines = run.stdout.splitlines()
    assert max(map(len, lines)) <= max(30, min(74, width))
    assert [heading for heading in ("Tokens", "Largest messages", "A compaction now") if heading not in lines] == []


def test_a_narrow_page(home: Home) -> None:
    page = home.run("inspect", home.write("in.json", task()), env={"COLUMNS": "30"}).stdout
    assert page.partition("\n\n")[2] == NARROW


def test_an_encoding_without_blocks_gets_plain_ascii(home: Home) -> None:
    path = home.write("in.json", [{"role": "user", "content": "\u4f60"}, *task()[1:]])
    out = CliRunner(charset="ascii", env=home.environment()).invoke(commands, ["inspect", str(path)])
    assert out.exception is None
    assert {"#", "."} <= set(out.stdout)
    assert out.stdout_bytes.isascii()


def test_what_a_file_holds_can_not_steer_the_terminal(home: Home) -> None:
    evil = "rm\x1b]0;owned\x07\n\ud800"
    messages = json.loads(json.dumps(task()).replace('"read"', json.dumps(evil)))
    run = home.run("inspect", home.write("in.json", messages))
    assert "rm?]0;owned" in run.stdout
    assert "\x1b" not in run.stdout


def test_many_kinds_of_losses_are_summed_up(home: Home) -> None:
    messages = task(12)
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            function = {"name": f"tool{place}", "arguments": json.dumps({"a": "x" * 400})}
            call_id = text_at(message, "tool_calls", 0, "id")
            message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
    page = home.run("inspect", home.write("in.json", messages)).stdout
    assert "5 more kinds" in page


def test_many_reasons_for_dropping_are_summed_up(home: Home) -> None:
    messages: list[object] = [{"role": "user", "content": "Go. " * 2_000}]
    for place in range(8):
        odd = {"type": f"oddity{place}", "data": "x" * 2_000}
        messages.append({"role": "assistant", "content": [odd]})
        messages.append({"role": "user", "content": "go on"})
    page = home.run("inspect", home.write("in.json", messages), "--dialect", "anthropic").stdout
    assert "1 with oddity0 block" in page
    assert "2 with other things" in page


def test_with_nothing_left_out_nothing_is_listed(home: Home) -> None:
    messages = [{"role": role, "content": "as long as it gets"} for _ in range(20) for role in ("user", "assistant")]
    page = home.run("inspect", home.write("in.json", messages)).stdout
    assert "into a note" in page
    assert "not in the note" not in page


def test_usage_and_failure_have_their_codes(home: Home) -> None:
    assert home.run("inspect").exit_code == 2
    assert home.run("inspect", home.write("in.json", {"a": 1})).exit_code == 1


PAGE = """\
in.json
  message list, dialect openai
  13 messages, 1 turn, 6 steps, about 3,336 tokens

Tokens
  human text                  11    0%  ························
  assistant text              14    0%  ························
  tool calls                 148    4%  █·······················
  tool results             3,079   92%  ██████████████████████··
  other                       84    3%  █·······················

Largest messages
  #3                         513  tool results: read
  #5                         513  tool results: read
  #7                         513  tool results: read
  #9                         513  tool results: read
  #11                        513  tool results: read

A compaction now
  keeps first         1 message        11 tokens
  folds              3 messages       121 tokens into a note of 70
  drops              3 messages     1,541 tokens
                              3 with tool result
  keeps last         6 messages     1,663 tokens
  leaves             8 messages     1,744 tokens of 3,336 (52%)
  not in the note:
    tool result                           3 times       6,000 characters

Size over steps, in tokens
  4k ┤
     │                                                       ░░░░░░░░░
     │                                              ░░░░░░░░░░░░░░░░░░
     │                                     ░░░░░░░░░░░░░░░░░░░░░░░░░░░
  2k ┤                                     ░░░░░░░░░░░░░░░░░░▄▄▄▄▄▄▄▄▄
     │                            ░░░░░░░░░░░░░░░░░░▃▃▃▃▃▃▃▃▃█████████
     │                   ░░░░░░░░░░░░░░░░░░▂▂▂▂▂▂▂▂▂██████████████████
     │▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁███████████████████████████
   0 └────────────────────────────────────────────────────────────────
                ━━━━━━━━━━━━━━━━━━━━━━━━━━━
      start                        steps                             6
      █ left, note included   ░ folded away   ━ steps that are folded
"""

NARROW = """\
Tokens
  human text          11    0%
  assistant...        14    0%
  tool calls         148    4%
  tool results     3,079   92%
  other               84    3%

Largest messages
  #3 513 tool results: read
  #5 513 tool results: read
  #7 513 tool results: read
  #9 513 tool results: read
  #11 513 tool results: read

A compaction now
  keeps first 1 message 11
    tokens
  folds 3 messages 121 tokens
    into a note of 70
  drops 3 messages 1,541
    tokens
    3 with tool result
  keeps last 6 messages 1,663
    tokens
  leaves 8 messages 1,744
    tokens of 3,336 (52%)
  not in the note:
    tool result 3 times 6,000
      characters

Size over steps, in tokens
  4k ┤
     │                     ░░░
     │                  ░░░░░░
     │              ░░░░░░░░░░
  2k ┤              ░░░░░░░▄▄▄
     │           ░░░░░░░▃▃▃███
     │       ░░░░░░░▂▂▂▂██████
     │▁▁▁▁▁▁▁▁▁▁▁▁▁▁██████████
   0 └────────────────────────
          ━━━━━━━━━━
      start    steps         6
  █ left, note included
  ░ folded away
  ━ steps that are folded
"""
