"""Content: what the wire formats have in common is read alike, whatever stands there."""

from __future__ import annotations

import pytest

from faithfold.core.parts import Document, Image, Opaque, Part, Text
from faithfold.dialects.content import arguments_text, joined_text, others_in, parts_of, readable, shown, text_or_list
from tests.pieces import text

TEXT = frozenset({"text", "input_text"})


def read_block(kind: str, block: object) -> Part:
    del block
    known: dict[str, Part] = {"image": Image("p"), "document": Document()}
    return known.get(kind, Opaque(kind))


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("a", [Text("a")]),
        ("", [Text("")]),
        (None, []),
        ([], []),
        (
            ["a", {"type": "image"}, {}, 7, None],
            [Text("a"), Image("p"), Opaque(""), Opaque("no object"), Opaque("no object")],
        ),
        ([{"type": ["image"]}], [Opaque("")]),
        (7, [Opaque("content")]),
        ({"type": "image"}, [Opaque("content")]),
    ],
)
def test_the_parts_of_content(content: object, parts: list[Part]) -> None:
    assert list(parts_of(content, read_block)) == parts


def test_the_others_in_content() -> None:
    blocks = [{"type": "image"}, text("a"), "b", {"type": "document"}]
    assert others_in(blocks, read_block) == (Image("p"), Opaque("text"), Document())
    assert others_in("a", read_block) == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a", "a"),
        ([text("a"), "b", {"type": "input_text", "text": "c"}, {"type": "image", "text": "no"}], "a\nb\nc"),
        ([text(None), text("b"), {"type": "text"}, 7], "\nb\n"),
        (None, ""),
        ([], ""),
        (7, "7"),
        ({"a": 1}, "{'a': 1}"),
    ],
)
def test_the_text_of_a_result(content: object, words: str) -> None:
    assert joined_text(content, TEXT) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, ""),
        (7, ""),
        ("plain", "plain"),
        (["a", " ", "b"], "a\nb"),
        ({"title": "T", "encrypted_content": "z", "id": "x", "text": "words"}, "T\nwords"),
        ({"content": [{"text": "a"}, {"output": {"logs": "b"}}]}, "a\nb"),
    ],
)
def test_the_readable_texts_anywhere_in_a_value(value: object, words: str) -> None:
    assert readable(value) == words


def test_small_readers_take_any_type() -> None:
    assert [text_or_list(value) for value in (None, "a", ["a"], 7, {"a": 1})] == [None, "a", ["a"], "7", "{'a': 1}"]
    assert [arguments_text(value) for value in ('{ "a":1}', {"b": 1, "a": 2}, None)] == [
        '{ "a":1}',
        '{"a":2,"b":1}',
        "null",
    ]
    assert [shown({"id": value}, "id", "?") for value in ("a", 7, None)] == ["a", "7", "None"]
    assert shown({}, "id", "?") == "?"
