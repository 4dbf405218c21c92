"""Which lines of a Claude Code session are one message of the API."""

from __future__ import annotations

from time import process_time

import pytest

from faithfold.core.values import as_list, as_object
from tests.pieces import res, says, text, use, user
from tests.session_files import JSON, claude_line, model_line, read, user_line

HI = user_line("u", None, "hi")


def test_lines_of_one_api_message_are_one_message() -> None:
    thinking = {"type": "thinking", "thinking": "", "signature": "sig"}
    lines = [
        model_line("a", "u", thinking, of="m"),
        model_line("b", "a", text("I look."), of="m"),
        model_line("c", "b", use("1"), of="m"),
        user_line("r", "c", [res("1")]),
        model_line("d", "r", text("Done."), of="n"),
    ]
    assert read(HI, *lines).messages == [
        user("hi"),
        says(thinking, text("I look."), use("1")),
        user(res("1")),
        says(text("Done.")),
    ]


def test_parallel_calls_get_their_results_though_the_path_misses_them() -> None:
    """The second call follows the first, each result follows its own call, and the next message one of the results."""
    lines = [
        model_line("a", "u", use("1"), of="m"),
        model_line("b", "a", use("2"), of="m"),
        model_line("c", "b", use("3"), of="m"),
        user_line("r2", "b", [res("2")]),
        user_line("r3", "c", [res("3")]),
        user_line("r1", "a", [res("1")]),
    ]
    expected = [user("hi"), says(use("1"), use("2"), use("3"))]
    results = user(res("1"), res("2"), res("3"))
    for follower in ("r1", "r2", "r3"):
        next_line = model_line("d", follower, text("Done."))
        assert read(HI, *lines, next_line).messages == [*expected, results, says(text("Done."))]
    assert read(HI, *lines).messages == [*expected, results]


def test_results_that_come_between_the_lines_of_their_message_follow_it() -> None:
    lines = [
        model_line("a", "u", use("1"), of="m"),
        user_line("r1", "a", [res("1")]),
        model_line("b", "r1", use("2"), of="m"),
        user_line("r2", "b", [res("2")]),
    ]
    assert read(HI, *lines).messages == [
        user("hi"),
        says(use("1"), use("2")),
        user(res("1"), res("2")),
    ]


def test_messages_that_all_have_one_id_stay_in_their_order() -> None:
    """Some gateways give every message the same id."""
    lines = [
        model_line("a", "u", text("one"), of="msg_0"),
        user_line("v", "a", "more"),
        model_line("b", "v", text("two"), of="msg_0"),
        model_line("c", "b", use("1"), of="msg_0"),
        user_line("r", "c", [res("1")]),
        claude_line("attachment", "q", "r", attachment={"type": "queued_command", "prompt": "faster"}),
        model_line("d", "q", text("three"), of="msg_0"),
    ]
    assert read(HI, *lines).messages == [
        user("hi"),
        says(text("one")),
        user("more"),
        says(text("two"), use("1")),
        user(res("1")),
        user("faster"),
        says(text("three")),
    ]


def test_a_compaction_ends_a_message() -> None:
    boundary = claude_line("system", "B", None, subtype="compact_boundary", logicalParentUuid="a")
    lines = [
        model_line("a", "u", text("one"), of="msg_0"),
        boundary,
        user_line("S", "B", "Summary.", isCompactSummary=True),
        model_line("b", "S", text("two"), of="msg_0"),
    ]
    assert read(HI, *lines, everything=True).messages[1:] == [
        says(text("one")),
        says(text("two")),
    ]


def test_another_message_ends_a_message() -> None:
    lines = [
        model_line("a", "u", text("1"), of="m"),
        model_line("b", "a", text("2"), of="n"),
        model_line("c", "b", text("3"), of="m"),
    ]
    assert read(HI, *lines).messages[1:] == [says(text(each)) for each in "123"]


@pytest.mark.parametrize(
    "between",
    [
        user_line("x", "a", [res("1")]),
        user_line("x", "a", [text("Skill loaded.")], isMeta=True),
        claude_line("progress", "x", "a", data={}),
        claude_line("attachment", "x", "a", attachment={"type": "todo_reminder", "content": []}),
        claude_line(
            "assistant", "x", "a", message={"role": "assistant", "model": "<synthetic>", "content": [text("!")]}
        ),
    ],
)
def test_what_no_human_said_does_not_end_a_message(between: JSON) -> None:
    lines = [model_line("a", "u", use("1"), of="m"), between, model_line("b", "x", use("2"), of="m")]
    assert read(HI, *lines).messages[1] == says(use("1"), use("2"))


def test_lines_of_one_request_are_one_message_whatever_was_typed_meanwhile() -> None:
    lines = [
        model_line("a", "u", text("I look."), of="m", requestId="req_1"),
        user_line("v", "a", "and be quick"),
        model_line("b", "v", use("1"), of="m", requestId="req_1"),
        user_line("r", "b", [res("1")]),
        model_line("c", "r", text("Done."), of="m", requestId="req_2"),
    ]
    assert read(HI, *lines).messages[1:] == [
        says(text("I look."), use("1")),
        user(res("1")),
        user("and be quick"),
        says(text("Done.")),
    ]


def test_a_message_of_very_many_lines_is_read_in_one_go() -> None:
    """Were each line compared with its mates, this would take minutes."""
    lines = [HI, *(model_line(f"a{n}", f"a{n - 1}" if n else "u", text(str(n)), of="m") for n in range(10_000))]
    before = process_time()
    assert len(as_list(as_object(read(*lines).messages[1])["content"])) == 10_000
    assert process_time() - before < 10
