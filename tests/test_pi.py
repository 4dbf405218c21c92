"""Pi's messages: every role and block, and what the provider behind it refuses."""

from __future__ import annotations

import pytest

from faithfold.core.parts import UNREADABLE, Call, Image, Opaque, Result, Text, Thinking
from faithfold.dialects import DIALECTS
from tests.pieces import Row, Wire, check_row, codes, pi_step, says, text, user

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
        (Result("call_1", "a", "toolCall", others=(Image("AAAA"),)),),
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


@pytest.mark.parametrize("row", MESSAGES, ids=[row.name for row in MESSAGES])
def test_every_message(row: Row) -> None:
    check_row(NAME, row)


def test_a_result_may_come_late_and_commands_of_the_human_owe_nothing() -> None:
    assert codes(NAME, [user("x"), CALL, user("wait"), RESULT]) == []
    assert codes(NAME, [SHELL, user("x"), says("y")]) == []


def test_the_note_is_a_user_message() -> None:
    assert DIALECTS[NAME].note("so far") == user(text("so far"))
