"""What makes an item of the Responses API another.

Rows: what differs, one message, the other. `SAME` have one digest, `DIFFERENT` have two.
"""

from __future__ import annotations

from tests.identity.rows import Rows
from tests.pieces import fc, fo, item, message, patch, patched, rs, says, user

PICTURE = item("input_image", image_url="data:image/png;base64,AAAA")
PATCH = patch(1)
ALLOWED = item("mcp_approval_response", approval_request_id="h")
SHELL = item("local_shell_call", call_id="c", action={})
SAME: Rows = [
    ("an id and a status", fc(1), fc(1) | {"id": "fc_1", "status": "completed"}),
    ("a client's note", fc(1), fc(1) | {"internal_chat_message_metadata_passthrough": {"turn_id": "1"}}),
    ("a typed message", user("x"), message("user", item("input_text", text="x"))),
    ("an unknown item's id", item("new", a=1), item("new", a=1, id="n", status="completed")),
    ("empty annotations", says(item("output_text", text="x")), says(item("output_text", text="x", annotations=[]))),
]
DIFFERENT: Rows = [
    ("a custom tool's input", PATCH, patch(1, "b")),
    ("a shell's action", SHELL, SHELL | {"action": {"command": ["ls"]}}),
    (
        "what a shell runs",
        SHELL | {"action": {"command": ["ls"]}},
        SHELL | {"action": {"command": ["rm"]}},
    ),
    ("a search's action", item("web_search_call", action={"q": 1}), item("web_search_call", action={"q": 2})),
    ("code", item("code_interpreter_call", code="1"), item("code_interpreter_call", code="2")),
    ("arguments", fc(1), fc(1, "{}")),
    ("a namespace", fc(1), fc(1) | {"namespace": "mcp"}),
    ("an output", fo(1, "a"), fo(1, "b")),
    ("an output's picture", fo(1, [PICTURE]), fo(1, [PICTURE | {"image_url": "b"}])),
    ("a custom tool's output", patched(1, "a"), patched(1, "b")),
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
    ("a bare string", user("x") | {"content": ["a"]}, user("x") | {"content": ["b"]}),
    ("an unknown item", item("new", a=1), item("new", a=2)),
]
