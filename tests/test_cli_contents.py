"""Tokens by class: each content in its class, and all classes together the size that a compaction reports."""

from __future__ import annotations

import pytest

from faithfold.cli.contents import CLASSES, Contents, whole_tokens
from faithfold.core.conversation import Conversation
from faithfold.core.sizes import Sizer
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.dialects import dialect
from tests.cli_runs import task

LONG = "word " * 400
CALL = {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": LONG}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": LONG}
TEXT = {"type": "text", "text": LONG}
THINKING = {"type": "thinking", "thinking": "", "signature": LONG}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


REMINDER = {"type": "text", "text": f"<system-reminder>{LONG}</system-reminder>"}


def contents(messages: list[object], name: str = "anthropic", injected: frozenset[int] = frozenset()) -> Contents:
    return Contents(Conversation(messages, dialect(name)), injected)


@pytest.mark.parametrize(
    ("name", "message", "expected"),
    [
        ("anthropic", {"role": "user", "content": LONG}, {"human"}),
        ("anthropic", {"role": "user", "content": [RESULT]}, {"results"}),
        ("anthropic", {"role": "user", "content": [{**RESULT, "content": [TEXT, IMAGE]}]}, {"results", "media"}),
        ("anthropic", {"role": "user", "content": [TEXT, IMAGE]}, {"human", "media"}),
        ("anthropic", {"role": "user", "content": f"<system-reminder>{LONG}</system-reminder>"}, {"instructions"}),
        ("anthropic", {"role": "user", "content": [REMINDER, TEXT]}, {"instructions", "human"}),
        ("anthropic", {"role": "user", "content": f"{SUMMARY_HEADER}\n\n{LONG}"}, {"notes"}),
        ("anthropic", {"role": "assistant", "content": [THINKING, TEXT, CALL]}, {"thinking", "assistant", "calls"}),
        ("anthropic", {"role": "system", "content": LONG}, {"instructions"}),
        ("anthropic", {"role": "stranger", "content": LONG}, {"other"}),
        ("anthropic", LONG, {"other"}),
        ("openai", {"role": "tool", "tool_call_id": "t", "content": LONG}, {"results"}),
        ("openai", {"role": "function", "name": "f", "content": LONG}, {"results"}),
        ("openai-responses", {"type": "reasoning", "summary": [], "encrypted_content": LONG}, {"thinking"}),
        ("openai-responses", {"type": "function_call_output", "call_id": "c", "output": LONG}, {"results"}),
        ("pi", {"role": "bashExecution", "command": LONG, "output": LONG}, {"calls", "results"}),
    ],
)
def test_each_content_is_in_its_class(name: str, message: object, expected: set[str]) -> None:
    found = contents([message], name)
    sizes = found.by_class()
    assert {key for key, tokens in sizes.items() if tokens > 100} == expected
    assert sum(sizes.values()) == found.tokens == Sizer().tokens([message])


def test_a_block_counts_whole_in_its_class_whatever_stands_beside_it() -> None:
    said = {"type": "text", "text": "Go."}
    [share] = contents([{"role": "user", "content": [REMINDER, said]}]).shares
    assert (share["human"], share["instructions"]) == (Sizer().quarters(said), Sizer().quarters(REMINDER))


@pytest.mark.parametrize(("command", "output"), [("ls", LONG), (LONG, "ok"), ("ls", "ok"), (LONG, LONG)])
def test_a_field_counts_as_what_it_adds_however_short(command: str, output: str) -> None:
    message = {"role": "bashExecution", "command": command, "output": output, "exitCode": 0}
    [share] = contents([message], "pi").shares
    assert share["calls"] == Sizer().quarters(command)
    assert share["results"] == Sizer().quarters(output)


def test_what_a_harness_wrote_is_no_human_text() -> None:
    messages: list[object] = [{"role": "user", "content": LONG}, {"role": "user", "content": [TEXT, IMAGE]}]
    summary, request = contents(messages, injected=frozenset({0})).shares
    assert (summary["human"], summary["instructions"]) == (0, Sizer().quarters(messages[0]))
    assert request["human"] == Sizer().quarters(TEXT)


def test_a_text_beside_calls_is_told_from_them() -> None:
    sizes = contents([*task(1, "ok")], "openai").by_class()
    assert sizes["assistant"] > 0 < sizes["calls"]
    assert sum(sizes.values()) == Sizer().tokens(task(1, "ok"))


def test_the_classes_of_a_conversation_are_all_there_in_order() -> None:
    assert list(contents([*task()], "openai").by_class()) == list(CLASSES)


def test_the_largest_messages_say_what_they_are() -> None:
    messages: list[object] = [
        {"role": "user", "content": LONG},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [{**RESULT, "content": LONG * 2}]},
        *({"role": "user", "content": "small"} for _ in range(9)),
    ]
    largest = contents(messages).largest()
    assert [(each.index, each.what) for each in largest[:3]] == [
        (2, "tool results: Read"),
        (1, "tool calls: Read"),
        (0, "human text"),
    ]
    assert len(largest) == 5


def test_quarters_become_whole_tokens_that_add_up() -> None:
    assert whole_tokens({"a": 3, "b": 3, "c": 2}) == {"a": 1, "b": 1, "c": 0}
    assert whole_tokens({}) == {}
