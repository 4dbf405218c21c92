"""OpenAI Responses, continued: what the provider refuses, and what makes an item another."""

from __future__ import annotations

import pytest

from faithfold.dialects import DIALECTS
from tests.pieces import codes, digest_of, fc, fo, rs, says, user
from tests.test_openai_responses import NAME, PICTURE, item

# What the provider refuses

PATCH, PATCHED = (
    item("custom_tool_call", call_id="c", name="p", input="x"),
    item("custom_tool_call_output", call_id="c"),
)
ASKED, ALLOWED = item("mcp_approval_request", id="h"), item("mcp_approval_response", approval_request_id="h")
SHELL, SHELLED = item("local_shell_call", call_id="c", action={}), item("local_shell_call_output", call_id="c")
REFERENCE = item("item_reference", id="fc_1")
Case = tuple[str, list[object], list[object], list[str]]
CASES: list[Case] = [
    # name, legal, faulty, codes
    ("reasoning last", [rs(1), says("x")], [says("x"), rs(1)], ["lone-reasoning"]),
    ("reasoning before the user", [rs(1), says("x"), user("y")], [rs(1), user("y")], ["lone-reasoning"]),
    ("reasoning before a result", [fc(1), rs(2), fc(2), fo(1), fo(2)], [fc(1), rs(2), fo(1)], ["lone-reasoning"]),
    (
        "another family's result",
        [PATCH, PATCHED],
        [PATCH, fo(1) | {"call_id": "c"}],
        ["unanswered-call", "orphan-result"],
    ),
    ("a shell call", [SHELL, SHELLED], [SHELL, user("x")], ["unanswered-call"]),
    ("a late result", [fc(1), fo(1), says("x")], [fo(1), fc(1)], ["orphan-result", "unanswered-call"]),
    ("an approval", [ASKED, ALLOWED], [user("x"), ALLOWED], ["orphan-result"]),
    ("a result after a reference", [REFERENCE, fo(1)], [fo(1), REFERENCE], ["orphan-result"]),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_fault_and_its_legal_twin(case: Case) -> None:
    _, legal, faulty, found = case
    assert codes(NAME, legal) == []
    assert codes(NAME, faulty) == found


def test_an_approval_that_nobody_gave_yet_is_legal() -> None:
    assert codes(NAME, [user("x"), ASKED]) == []


# What makes an item another

SAME = [
    ("an id and a status", fc(1), fc(1) | {"id": "fc_1", "status": "completed"}),
    ("a client's note", fc(1), fc(1) | {"internal_chat_message_metadata_passthrough": {"turn_id": "1"}}),
    ("a typed message", user("x"), item("message", **user(item("input_text", text="x")))),
    ("an unknown item's id", item("new", a=1), item("new", a=1, id="n", status="completed")),
    ("empty annotations", says(item("output_text", text="x")), says(item("output_text", text="x", annotations=[]))),
]
DIFFERENT = [
    ("a custom tool's input", PATCH, PATCH | {"input": "y"}),
    ("a shell's action", SHELL, SHELL | {"action": {"command": ["ls"]}}),
    ("a search's action", item("web_search_call", action={"q": 1}), item("web_search_call", action={"q": 2})),
    ("code", item("code_interpreter_call", code="1"), item("code_interpreter_call", code="2")),
    ("arguments", fc(1), fc(1, "{}")),
    ("a namespace", fc(1), fc(1) | {"namespace": "mcp"}),
    ("an output", fo(1, "a"), fo(1, "b")),
    ("an output's picture", fo(1, [PICTURE]), fo(1, [PICTURE | {"image_url": "b"}])),
    ("a custom tool's output", PATCHED | {"output": "a"}, PATCHED | {"output": "b"}),
    ("sealed reasoning", rs(1), rs(2)),
    ("a summary", rs(1, "a"), rs(1, "b")),
    ("open reasoning", item("reasoning", content=["a"]), item("reasoning", content=["b"])),
    ("a reference", item("item_reference", id="a"), item("item_reference", id="b")),
    ("an approval asked for", item("mcp_approval_request", id="a"), item("mcp_approval_request", id="b")),
    ("an approval", ALLOWED | {"approve": True}, ALLOWED | {"approve": False}),
    ("a phase", says("x"), says("x") | {"phase": "final_answer"}),
    ("a role", user("x"), says("x")),
    ("annotations", says(item("output_text", text="x")), says(item("output_text", text="x", annotations=["a"]))),
    ("bare strings", user("a", "b"), user("a", "c")),
    ("an unknown item", item("new", a=1), item("new", a=2)),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_volatile_fields_are_no_part_of_an_item(one: object, other: object) -> None:
    assert digest_of(NAME, one) == digest_of(NAME, other)


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_all_else_is(one: object, other: object) -> None:
    assert digest_of(NAME, one) != digest_of(NAME, other)


def test_the_note_is_a_user_message() -> None:
    assert DIALECTS[NAME].note("so far") == item("message", role="user", content=[item("input_text", text="so far")])
