"""Anthropic Messages, continued: what the provider refuses, and what makes a message another."""

from __future__ import annotations

import pytest

from tests.pictures import base64_of, png
from tests.pieces import Wire, codes, digest_of, res, says, text, think, use, user
from tests.test_anthropic import NAME, PICTURE, answer, hosted

# What the provider refuses

SYSTEM: Wire = {"role": "system", "content": "be kind"}
Case = tuple[str, list[object], list[object], str]
CASES: list[Case] = [
    # name, legal, faulty, code
    ("empty user", [user("x")], [user(), says("y"), user("z")], "empty-content"),
    ("empty model message", [user("x"), says()], [user("x"), says(), user("y")], "empty-content"),
    ("null content", [user("x")], [{"role": "user", "content": None}], "empty-content"),
    ("blank text", [user("x")], [user(" \n")], "blank-text"),
    ("blank text block", [user(text("x"))], [user(text("x"), text(""))], "blank-text"),
    (
        "result first",
        [user("x"), says(use(1)), user(res(1), text("y"))],
        [user("x"), says(use(1)), user(text("y"), res(1))],
        "result-after-content",
    ),
    (
        "results together",
        [user("x"), says(use(1), use(2)), user(res(1), res(2), text("y"))],
        [user("x"), says(use(1), use(2)), user(res(1), text("y"), res(2))],
        "result-after-content",
    ),
    (
        "results over two messages",
        [user("x"), says(use(1), use(2)), user(res(1)), user(res(2))],
        [user("x"), says(use(1), use(2)), user(res(1), "y"), user(res(2))],
        "result-after-content",
    ),
    ("instruction last", [user("x"), SYSTEM], [user("x"), SYSTEM, user("y")], "instruction-before-user"),
    (
        "instruction before the model",
        [user("x"), SYSTEM, says("y")],
        [SYSTEM, user("x"), says("y")],
        "instruction-before-user",
    ),
    (
        "hosted result",
        [user("x"), says(hosted("server_tool_use", "web_search"), answer("web_search_tool_result", []))],
        [user("x"), says(answer("web_search_tool_result", []))],
        "orphan-result",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_fault_and_its_legal_twin(case: Case) -> None:
    _, legal, faulty, code = case
    assert codes(NAME, legal) == []
    assert codes(NAME, faulty) == [code]


def pictures(count: int, side: int) -> list[Wire]:
    """So many pictures, the last of which has such a long side."""
    small, large = inline(png(10, 10)), inline(png(10, side))
    return [*[small] * (count - 1), large]


def inline(data: bytes) -> Wire:
    return {"type": "image", "source": {"type": "base64", "data": base64_of(data)}}


@pytest.mark.parametrize(("count", "side"), [(1, 8000), (20, 8000), (21, 2000)])
def test_the_more_pictures_the_smaller_they_must_be(count: int, side: int) -> None:
    assert codes(NAME, [user(*pictures(count, side))]) == []
    assert codes(NAME, [user(*pictures(count, side + 1))]) == ["image-too-large"]
    seen = [user("x"), says(use(1)), user(res(1, pictures(count, side + 1)))]
    assert codes(NAME, [*seen]) == ["image-too-large"]


def test_a_picture_of_unknown_size_is_let_pass() -> None:
    assert codes(NAME, [user(PICTURE), says("y"), user({"type": "image", "source": {"type": "url", "url": "u"}})]) == []


def test_a_compaction_may_come_first() -> None:
    assert codes(NAME, [says({"type": "compaction", "content": "so far"}), user("go on")]) == []


def test_an_instruction_may_say_nothing() -> None:
    assert codes(NAME, [user("x"), {"role": "system", "content": []}, says("y")]) == []


# What makes a message another

MARKED = {"cache_control": {"type": "ephemeral"}}
SAME = [
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
DIFFERENT = [
    ("text", user("x"), user("y")),
    ("null text", user(text("")), user(text(None))),
    ("role", user("x"), says("x")),
    ("citations", says(text("x")), says({**text("x"), "citations": [{"cited_text": "a"}]})),
    ("bare strings", user("a", "b"), user("a", "c")),
    ("odd content", {"role": "user", "content": {"a": 1}}, {"role": "user", "content": {"a": 2}}),
    ("a mark inside a tool's input", says(use(1)), says(use(1, cache_control=MARKED["cache_control"]))),
    ("a call's id", says(use(1)), says(use(2))),
    ("a call's caller", says(use(1)), says({**use(1), "caller": {"type": "direct"}})),
    ("thinking", says(think("a")), says(think("b"))),
    (
        "redacted thinking",
        says({"type": "redacted_thinking", "data": "a"}),
        says({"type": "redacted_thinking", "data": "b"}),
    ),
    ("an error", user(res(1)), user({**res(1), "is_error": True})),
    ("a picture", user(PICTURE), user({"type": "image", "source": {"type": "base64", "data": "BBBB"}})),
    ("a picture in a result", user(res(1, [PICTURE])), user(res(1, [{"type": "image", "source": {"type": "url"}}]))),
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


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_volatile_fields_are_no_part_of_a_message(one: object, other: object) -> None:
    assert digest_of(NAME, one) == digest_of(NAME, other)


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_all_else_is(one: object, other: object) -> None:
    assert digest_of(NAME, one) != digest_of(NAME, other)
