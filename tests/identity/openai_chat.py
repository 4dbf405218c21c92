"""What makes a message of Chat Completions another.

Rows: what differs, one message, the other. `SAME` have one digest, `DIFFERENT` have two.
"""

from __future__ import annotations

from tests.identity.rows import Rows
from tests.pieces import call, calls, custom, model, says, text, tool, user

URL = "data:image/png;base64,AAAA"
PICTURE = {"type": "image_url", "image_url": {"url": URL}}
CUSTOM = custom(1)
LEGACY = model(function_call={"name": "run", "arguments": '{"a":1}'})
THOUGHT = {"google": {"thought_signature": "A"}}
SAME: Rows = [
    ("a string against a text block", user("x"), user(text("x"))),
    ("a mark on a message", user("x"), {**user("x"), "cache_control": {"type": "ephemeral"}}),
    ("a mark on a block", user(text("x")), user({**text("x"), "cache_control": {"type": "ephemeral"}})),
    ("empty fields", says("x"), {**says("x"), "tool_calls": [], "refusal": None, "audio": None, "name": ""}),
    ("null content against none", model(), {"role": "assistant"}),
]
DIFFERENT: Rows = [
    (
        "a custom call's input",
        model(tool_calls=[CUSTOM]),
        model(tool_calls=[custom(1, "b")]),
    ),
    (
        "a custom call or a function",
        model(tool_calls=[{"id": "1", "type": "function"}]),
        model(tool_calls=[{"id": "1", "type": "custom"}]),
    ),
    ("a legacy call", LEGACY, {**LEGACY, "function_call": {"name": "run", "arguments": "{}"}}),
    ("arguments", calls(1), model(tool_calls=[call(1, "{}")])),
    ("what stands beside a call", calls(1), model(tool_calls=[{**call(1), "extra_content": THOUGHT}])),
    ("a call that is no object", model(tool_calls=["a"]), model(tool_calls=["b"])),
    ("calls that are no list", model(tool_calls={"a": 1}), model(tool_calls={"a": 2})),
    ("reasoning", model("x", reasoning_content="a"), model("x", reasoning_content="b")),
    ("sealed reasoning", model("x", reasoning_details=["a"]), model("x", reasoning_details=["b"])),
    ("a refusal", model(refusal="a"), model(refusal="b")),
    ("bare strings", user("a", "b"), user("a", "c")),
    ("a bare string", {**user("x"), "content": ["a"]}, {**user("x"), "content": ["b"]}),
    ("a picture", user(PICTURE), user({"type": "image_url", "image_url": {"url": URL + "B"}})),
    ("a picture as a string", user({**PICTURE, "image_url": "a"}), user({**PICTURE, "image_url": "b"})),
    ("a picture's detail", user(PICTURE), user({"type": "image_url", "image_url": {"url": URL, "detail": "low"}})),
    ("a file", user({"type": "file", "file": {"file_id": "a"}}), user({"type": "file", "file": {"file_id": "b"}})),
    ("an answer's call", tool(1), tool(2)),
    ("a name", {**user("x"), "name": "a"}, {**user("x"), "name": "b"}),
    ("content of another type", {"role": "user", "content": 7}, {"role": "user", "content": 8}),
]
