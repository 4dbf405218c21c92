"""What makes an Anthropic message another.

Rows: what differs, one message, the other. `SAME` have one digest, `DIFFERENT` have two.
"""

from __future__ import annotations

from tests.identity.rows import Rows
from tests.pieces import hosted, image, res, says, text, think, use, user

PICTURE = image()
MARKED = {"cache_control": {"type": "ephemeral"}}
SAME: Rows = [
    ("a mark on a text", user(text("x")), user({**text("x"), **MARKED})),
    ("a mark on a call", says(use(1)), says({**use(1), **MARKED})),
    ("a mark on a result", user(res(1)), user({**res(1), **MARKED})),
    ("a mark inside a result", user(res(1, [text("a")])), user(res(1, [{**text("a"), **MARKED}]))),
    ("a mark on a picture", user(PICTURE), user({**PICTURE, **MARKED})),
    ("a mark on an unknown block", user({"type": "new", "a": 1}), user({"type": "new", "a": 1, **MARKED})),
    (
        "a mark on redacted thinking",
        says({"type": "redacted_thinking", "data": "z"}),
        says({"type": "redacted_thinking", "data": "z", **MARKED}),
    ),
    ("a signature", says(think("hm", "A")), says(think("hm", "B"))),
    ("the order of fields", says(use(1, a=1, b=2)), says(dict(reversed(use(1, b=2, a=1).items())))),
    ("an empty field", says(text("x")), says({**text("x"), "citations": None})),
    ("a string against a text block", user(res(1, "x")), user(res(1, [text("x")]))),
    ("a bare string in a result", user(res(1, "x")), user(res(1, ["x"]))),
]
DIFFERENT: Rows = [
    ("text", user("x"), user("y")),
    ("null text", user(text("")), user(text(None))),
    ("role", user("x"), says("x")),
    ("citations", says(text("x")), says({**text("x"), "citations": [{"cited_text": "a"}]})),
    ("bare strings", user("a", "b"), user("a", "c")),
    ("a bare string", {**user("x"), "content": ["a"]}, {**user("x"), "content": ["b"]}),
    ("odd content", {"role": "user", "content": {"a": 1}}, {"role": "user", "content": {"a": 2}}),
    ("a mark inside a tool's input", says(use(1)), says(use(1, cache_control=MARKED["cache_control"]))),
    ("what a mark inside a tool's input says", says(use(1, cache_control=1)), says(use(1, cache_control=2))),
    ("a call's id", says(use(1)), says(use(2))),
    ("a call's caller", says(use(1)), says({**use(1), "caller": {"type": "direct"}})),
    ("thinking", says(think("a")), says(think("b"))),
    (
        "redacted thinking",
        says({"type": "redacted_thinking", "data": "a"}),
        says({"type": "redacted_thinking", "data": "b"}),
    ),
    ("an error", user(res(1)), user({**res(1), "is_error": True})),
    ("a picture", user(PICTURE), user(image("BBBB"))),
    ("a picture in a result", user(res(1, [PICTURE])), user(res(1, [{"type": "image", "source": {"type": "url"}}]))),
    ("another picture in a result", user(res(1, [image("AAAA")])), user(res(1, [image("BBBB")]))),
    ("one picture in a result or two", user(res(1, [PICTURE])), user(res(1, [PICTURE, PICTURE]))),
    ("a picture in a result or none", user(res(1, [text("a"), PICTURE])), user(res(1, [text("a")]))),
    ("a number in a result", user(res(1, [1])), user(res(1, [2]))),
    ("null in a result", user(res(1, [None])), user(res(1, []))),
    ("null text in a result", user(res(1, [text(None)])), user(res(1, [text("")]))),
    ("citations in a result", user(res(1, [text("a")])), user(res(1, [{**text("a"), "citations": [1]}]))),
    (
        "a picture's file",
        user({"type": "image", "source": {"type": "file", "file_id": "a"}}),
        user({"type": "image", "source": {"type": "file", "file_id": "b"}}),
    ),
    (
        "a document's file",
        user({"type": "document", "source": {"type": "file", "file_id": "a"}}),
        user({"type": "document", "source": {"type": "file", "file_id": "b"}}),
    ),
    (
        "a document's blocks",
        user({"type": "document", "source": {"type": "content", "content": ["a"]}}),
        user({"type": "document", "source": {"type": "content", "content": ["b"]}}),
    ),
    (
        "the texts of a document's blocks",
        user({"type": "document", "source": {"type": "content", "content": [text("a")]}}),
        user({"type": "document", "source": {"type": "content", "content": [text("b")]}}),
    ),
    ("a document's title", user({"type": "document", "title": "a"}), user({"type": "document", "title": "b"})),
    ("a source that is a text", user({"type": "image", "source": "a"}), user({"type": "image", "source": "b"})),
    ("a hosted call", says(hosted("server_tool_use", "a", q=1)), says(hosted("server_tool_use", "a", q=2))),
    (
        "a field of the message",
        {**user("x"), "output_config": {"effort": "low"}},
        {**user("x"), "output_config": {"effort": "high"}},
    ),
    ("a lone surrogate", user("\ud83d"), user("\ufffd")),
]
