"""Pi's messages: every role and block, what the provider behind it refuses, and identity."""

from __future__ import annotations

import pytest

from faithfold.core.parts import UNREADABLE, Call, Image, Opaque, Result, Text, Thinking
from faithfold.dialects import DIALECTS
from tests.pieces import Row, Wire, check_row, codes, digest_of, pi_step, says, text, user

NAME = "pi"
CALL, RESULT = pi_step(1, " ok ")
PICTURE: Wire = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
SHELL: Wire = {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 0, "cancelled": False}
SUMMARY: Wire = {"role": "compactionSummary", "summary": "so far", "tokensBefore": 7}
CALLED: Wire = {"type": "toolCall", "id": "call_1", "name": "bash", "arguments": {"command": "run 1"}}
RUN = Call("call_1", "bash", '{"command":"run 1"}', "toolCall")
RAN = Call("", "bash", "ls", "bashExecution", hosted=True)
CAME = Result("", "a.py", "bashExecution", hosted=True)
THOUGHT: Wire = {"type": "thinking", "thinking": "hm", "thinkingSignature": "A"}


def role(name: str, **fields: object) -> Wire:
    return {"role": name, **fields}


MESSAGES = [
    Row("user", user("fix it"), (Text("fix it"),), ["user: fix it"]),
    Row(
        "user, blocks",
        user(text("a"), text("b"), PICTURE),
        (Text("a"), Text("b"), Image("AAAA")),
        ["user: a", "user: b"],
    ),
    Row(
        "assistant",
        says(THOUGHT, text("I run"), CALLED),
        (Thinking("hm"), Text("I run"), RUN),
        ['thinking: hm\nassistant: I run\n[bash] {"command":"run 1"}'],
    ),
    Row("a call of nothing", says({"type": "toolCall"}), (Call("", "?", "{}", "toolCall"),), ["[?] {}"]),
    Row("result", RESULT, (Result("call_1", " ok ", "toolCall"),), ["result: ok"]),
    Row(
        "result with a picture",
        RESULT | {"content": [text("a"), PICTURE]},
        (Result("call_1", "a", "toolCall", media=(Image("AAAA"),)),),
        ["result: a"],
    ),
    Row("the human's own command", SHELL, (RAN, CAME), ["[bash] ls", "result: a.py"]),
    Row("custom", role("custom", customType="x", content="words"), (Text("words"),), ["user: words"]),
    Row("hook", role("hookMessage", content=[text("words")]), (Text("words"),), ["user: words"]),
    Row(
        "summary of a branch", role("branchSummary", summary="so far", fromId="1"), (Text("so far"),), ["user: so far"]
    ),
    Row("summary", SUMMARY, (Text("so far"),), ["user: so far"]),
    Row("summary of nothing", role("compactionSummary"), (Opaque("compactionSummary"),), []),
    Row("null thinking", says({"type": "thinking", "thinking": None}), (Thinking(""),), []),
    Row("unknown block", says({"type": "hologram"}), (Opaque("hologram"),), []),
    Row("unknown role", role("system", content="x"), (Text("x"),), []),
    Row("no object", None, UNREADABLE.parts, []),
]
SAME = [
    ("when it was said", user("x"), user("x") | {"timestamp": 1}),
    (
        "what it cost and who said it",
        says("x"),
        says("x") | {"usage": {"input": 1}, "api": "a", "provider": "p", "model": "m"},
    ),
    ("what only the screen shows", RESULT, RESULT | {"details": {"diff": "x"}}),
    ("a signature", says(THOUGHT), says(THOUGHT | {"thinkingSignature": "B"})),
    ("a string against a text block", user("x"), user(text("x"))),
]
DIFFERENT = [
    ("text", user("x"), user("y")),
    ("role", user("x"), says("x")),
    ("arguments", says({"type": "toolCall", "arguments": {"a": 1}}), says({"type": "toolCall", "arguments": {"a": 2}})),
    ("the call answered", RESULT, RESULT | {"toolCallId": "call_2"}),
    ("an error", RESULT | {"isError": False}, RESULT | {"isError": True}),
    ("a command", SHELL, SHELL | {"command": "pwd"}),
    ("a summary", SUMMARY, SUMMARY | {"summary": "more"}),
    ("a picture", user(PICTURE), user(PICTURE | {"data": "BBBB"})),
    ("bare strings", user("a", "b"), user("a", "c")),
    ("odd content", role("user", content=7), role("user", content=8)),
]


@pytest.mark.parametrize("row", MESSAGES, ids=[row.name for row in MESSAGES])
def test_every_message(row: Row) -> None:
    check_row(NAME, row)


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_volatile_fields_are_no_part_of_a_message(one: object, other: object) -> None:
    assert digest_of(NAME, one) == digest_of(NAME, other)


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_all_else_is(one: object, other: object) -> None:
    assert digest_of(NAME, one) != digest_of(NAME, other)


def test_a_result_may_come_late_and_commands_of_the_human_owe_nothing() -> None:
    assert codes(NAME, [user("x"), CALL, user("wait"), RESULT]) == []
    assert codes(NAME, [SHELL, user("x"), says("y")]) == []


def test_the_note_is_a_user_message() -> None:
    assert DIALECTS[NAME].note("so far") == user(text("so far"))
