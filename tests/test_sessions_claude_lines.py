"""What one line of a Claude Code session says, and who said it."""

from __future__ import annotations

from tests.pieces import res, says, text, use, user
from tests.session_files import claude_line, model_line, read, user_line

HI = user_line("u", None, "hi")


def test_messages_that_a_harness_wrote_are_named() -> None:
    lines = [
        user_line("S", None, "This session is being continued", isCompactSummary=True),
        user_line("u", "S", "hi"),
        user_line("v", "u", [text("Caveat: ...")], isMeta=True),
        model_line("a", "v", use("1"), use("2")),
        user_line("r", "a", [res("1"), text("Skill loaded.")], isMeta=True),
        user_line("s", "r", [res("2")], isMeta=True),
        model_line("b", "s", use("3")),
        user_line("t", "b", [res("3"), text("Stop that.")]),
        model_line("c", "t", use("4")),
        user_line("w", "c", [res("4")], isMeta=True),
    ]
    found = read(*lines)
    texts = [0, 2, 4]  # the summary, the caveat, and what a harness said beside a result
    assert (len(found.messages), sorted(found.injected)) == (9, texts)
    assert read(HI, model_line("a", "u", text("yes"))).injected == frozenset()


def test_notices_that_the_client_wrote_are_left_out() -> None:
    notice = claude_line(
        "assistant", "e", "u", message={"role": "assistant", "model": "<synthetic>", "content": [text("!")]}
    )
    assert read(HI, notice, user_line("v", "e", "again")).messages == [user("hi"), user("again")]


def test_what_the_user_typed_meanwhile_stands_only_in_an_attachment_and_counts() -> None:
    lines = [
        model_line("a", "u", use("1")),
        user_line("r", "a", [res("1")]),
        claude_line(
            "attachment", "q", "r", attachment={"type": "queued_command", "prompt": "faster", "commandMode": "prompt"}
        ),
        claude_line("attachment", "k", "q", attachment={"type": "queued_command", "prompt": [text("please")]}),
        claude_line("attachment", "n", "k", attachment={"type": "queued_command", "prompt": None}),
        model_line("b", "n", text("ok")),
    ]
    assert read(HI, *lines).messages[2:] == [
        user(res("1")),
        user("faster"),
        user(text("please")),
        says(text("ok")),
    ]


def test_contents_of_every_kind() -> None:
    found = read(
        user_line("u", None, ["bare text", "", 7, text("block")]),
        claude_line("assistant", "a", "u", message={"id": "m", "role": "assistant", "content": "just words"}),
        user_line("e", "a", []),
        user_line("f", "e", ""),
        model_line("b", "f"),
        claude_line("assistant", "c", "b", message={"id": "n", "role": "assistant", "content": ""}),
        claude_line("assistant", "d", "c", message={"id": "n", "role": "assistant", "content": [text("more")]}),
    )
    assert found.messages == [
        user(text("bare text"), text("block")),
        {"role": "assistant", "content": "just words"},
        says(text("more")),
    ]


def test_a_message_line_without_content_is_named() -> None:
    broken = [
        claude_line("user", "x", "u", message="error"),
        claude_line("user", "y", "x", message={"role": "user", "contenst": []}),
        claude_line("assistant", "z", "y", message={"role": "assistant", "content": None}),
    ]
    found = read(HI, *broken, model_line("a", "z", text("yes")))
    assert found.messages == [user("hi"), says(text("yes"))]
    assert [problem.line for problem in found.problems] == [2, 3, 4]
    assert found.problems[0].why == "a user line without content"
