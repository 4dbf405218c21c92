"""Folding: what each content class leaves in a note, where it is cut, and what is named as left out."""

from __future__ import annotations

import pytest

from faithfold.core.projection import Omission
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.strategies.options import CompactSettings
from tests.pieces import Wire, call, calls, folded, res, says, text, think, tool, use, user

PICTURE: Wire = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
REPORT = "<task-notification>\nagent 7 is done\n</task-notification>\n"
S = CompactSettings
Case = tuple[str, object, CompactSettings, list[str], list[tuple[str, int]]]
CASES: list[Case] = [
    # name, Anthropic message, settings, parts of the note, what is left out
    ("a result at the limit", user(res(1, "x" * 500)), S(), ["result: " + "x" * 500], []),
    ("a result over the limit", user(res(1, "x" * 501)), S(), [], [("tool result", 501)]),
    ("a result, trimmed first", user(res(1, f"  {'x' * 500}\n")), S(), ["result: " + "x" * 500], []),
    ("a result and no limit to speak of", user(res(1, "x")), S(result_max_chars=0), [], [("tool result", 1)]),
    ("an empty result", user(res(1, " ")), S(), [], []),
    ("arguments at the limit", says(use(1, a="x" * 142)), S(), [f'[Bash] {{"a":"{"x" * 142}"}}'], []),
    (
        "arguments over the limit",
        says(use(1, a="x" * 143)),
        S(),
        [f'[Bash] {{"a":"{"x" * 143}"...'],
        [("arguments of Bash", 1)],
    ),
    ("arguments whole", says(use(1, a="x" * 143)), S(cmd_max_chars=0), [f'[Bash] {{"a":"{"x" * 143}"}}'], []),
    ("assistant text, whole", says("x" * 9000), S(), ["assistant: " + "x" * 9000], []),
    (
        "assistant text, cut",
        says("x" * 301),
        S(thought_max_chars=300),
        [f"assistant: {'x' * 300}..."],
        [("assistant text", 1)],
    ),
    (
        "assistant texts, cut together",
        says(text("ab"), text(" "), text("cd")),
        S(thought_max_chars=4),
        ["assistant: ab\nc..."],
        [("assistant text", 1)],
    ),
    ("thinking, cut", says(think("abc")), S(thinking_max_chars=2), ["thinking: ab..."], [("thinking", 1)]),
    ("thinking, left out", says(think("abc"), text("x")), S(keep_thinking=False), ["assistant: x"], [("thinking", 3)]),
    ("thinking of nothing, left out", says(think(" "), text("x")), S(keep_thinking=False), ["assistant: x"], []),
    ("sealed thinking", says(think(""), text("x")), S(), ["assistant: x"], [("sealed thinking", 0)]),
    ("human text at the limit", user("x" * 20_000), S(), ["user: " + "x" * 20_000], []),
    ("human text, cut", user("x" * 20_001), S(), [f"user: {'x' * 20_000}..."], [("human text", 1)]),
    (
        "an instruction, cut",
        {"role": "system", "content": "abc"},
        S(human_max_chars=2),
        ["system: ab..."],
        [("system text", 1)],
    ),
    ("a harness's report", user(f"{REPORT}go on"), S(), ["user: go on"], [("task notification", len(REPORT))]),
    ("a harness's report alone", user(REPORT), S(), [], [("task notification", len(REPORT))]),
    ("an earlier note", user(f"{SUMMARY_HEADER}\n\nuser: a"), S(), [], [("earlier note", len(SUMMARY_HEADER) + 9)]),
    (
        "an earlier note beside a text",
        user(text(SUMMARY_HEADER), text("b")),
        S(),
        ["user: b"],
        [("earlier note", len(SUMMARY_HEADER))],
    ),
    ("a picture", user(PICTURE, text("see")), S(), ["user: see"], [("image", 0)]),
    ("a picture in a result", user(res(1, [text("a"), PICTURE])), S(), ["result: a"], [("image", 0)]),
    ("a document", user({"type": "document"}), S(), [], [("document", 0)]),
    ("an unknown block", user({"type": "hologram"}, {"a": 1}), S(), [], [("hologram block", 0), ("unknown block", 0)]),
    ("a block that is no object", user(7), S(), [], [("no object block", 0)]),
    ("thinking that is not the model's", user({"type": "thinking", "thinking": "hm"}), S(), [], [("thinking", 0)]),
    ("a tool block of an instruction", {"role": "system", "content": [res(1)]}, S(), [], [("tool block", 0)]),
    ("an unknown role", {"role": "exit", "content": "x"}, S(), [], [("message of kind 'exit'", 0)]),
    ("no object", "stray", S(), [], [("message of kind 'no object'", 0)]),
    ("an empty message", user(), S(), [], []),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_what_is_left_of_a_message(case: Case) -> None:
    _, message, settings, parts, left_out = case
    found = folded("anthropic", message, settings)
    assert found.parts == parts
    assert found.omissions == [Omission(0, what, characters) for what, characters in left_out]


def test_where_texts_are_one_they_are_trimmed_and_judged_as_one() -> None:
    assert folded("openai", user(text(" a"), text(" "), text("b "))).parts == ["user: a\n \nb"]
    assert folded("openai", user(text(SUMMARY_HEADER), text("b"))).parts == []
    assert folded("openai", says(text("a"), text(" "), text("b"))).parts == ["assistant: a\n \nb"]


def test_chat_arguments_are_cut_as_they_were_written() -> None:
    message: Wire = {"role": "assistant", "tool_calls": [call(1, '{ "a" : 1 }')]}
    assert folded("openai", message).parts == ['[run] { "a" : 1 }']
    assert folded("openai", message, S(cmd_max_chars=5)).parts == ['[run] { "a"...']


def test_calls_stand_a_line_each_behind_what_was_said() -> None:
    message = {**calls(1, 2), "content": "I run", "reasoning_content": "hm"}
    lines = ["thinking: hm", "assistant: I run", '[run] {"a":1}', '[run] {"a":1}']
    assert folded("openai", message).parts == ["\n".join(lines)]


def test_a_tool_message_is_its_result() -> None:
    assert folded("openai", tool(1, " ok ")).parts == ["result: ok"]


def test_a_note_of_ours_is_known_from_whom_the_dialect_says() -> None:
    note = {"type": "message", "role": "developer", "content": SUMMARY_HEADER}
    assert folded("openai-responses", note).parts == []
    assert folded("openai-responses", note).omissions == [Omission(0, "earlier note", len(SUMMARY_HEADER))]
    assert folded("openai", {"role": "developer", "content": SUMMARY_HEADER}).parts == [f"developer: {SUMMARY_HEADER}"]
