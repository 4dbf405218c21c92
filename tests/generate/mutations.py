"""What goes wrong in real histories: each mutation does one such thing to a legal conversation, in place.

The conversation is a copy, so a mutation may change what it likes. Source: spec 70-faults, the shapes named there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, MutableMapping, MutableSequence
from functools import partial
from typing import TypeGuard

from tests.generate.dice import Dice, Json

Mutation = Callable[[list[object], Dice], None]
Put = Callable[[object], None]
"""Puts a value into a field of an object, or into a place of a list."""


def is_object(value: object) -> TypeGuard[Json]:
    return isinstance(value, MutableMapping)


def is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, MutableSequence)


def places(value: object) -> Iterator[Put]:
    """Every field and item inside `value`, at any depth."""
    if is_object(value):
        for name, inner in value.items():
            yield partial(value.__setitem__, name)
            yield from places(inner)
    elif is_list(value):
        for index, inner in enumerate(value):
            yield partial(value.__setitem__, index)
            yield from places(inner)


def blocks(messages: list[object]) -> list[Json]:
    """The blocks of all messages, and the calls of Chat's."""
    lists = [m.get(name) for m in messages if is_object(m) for name in ("content", "tool_calls", "output")]
    return [block for listed in lists if is_list(listed) for block in listed if is_object(block)]


_EMPTY: list[object] = []
_NO_FIELDS: Json = {}
_STRAYS: tuple[object, ...] = ("stray", None, 7, _EMPTY, [_NO_FIELDS], True, _NO_FIELDS)
_CONTENTS: tuple[object, ...] = (
    None,
    "",
    _EMPTY,
    _NO_FIELDS,
    5,
    [None],
    {"type": "text", "text": "x"},
    [_EMPTY],
    ["", " "],
)


# ---------------------------------------------------------------- messages


def lose_message(messages: list[object], dice: Dice) -> None:
    """Orphan results and dangling calls come from this."""
    del messages[dice.number(0, len(messages) - 1)]


def repeat_message(messages: list[object], dice: Dice) -> None:
    at = dice.number(0, len(messages) - 1)
    messages.insert(dice.number(0, len(messages)), copy.deepcopy(messages[at]))


def swap_messages(messages: list[object], dice: Dice) -> None:
    one, other = (dice.number(0, len(messages) - 1) for _ in range(2))
    messages[one], messages[other] = messages[other], messages[one]


def stray_value(messages: list[object], dice: Dice) -> None:
    messages.insert(dice.number(0, len(messages)), copy.deepcopy(dice.one_of(_STRAYS)))


def begin_late(messages: list[object], dice: Dice) -> None:
    del messages[: dice.number(1, 3)]


def odd_role(messages: list[object], dice: Dice) -> None:
    message = dice.one_of(messages)
    if is_object(message):
        message["role"] = dice.one_of(("wizard", "", None, ["user"], "tool", "assistant", "system"))


def odd_item(messages: list[object], dice: Dice) -> None:
    kind = dice.one_of(("new_tool_call", "new_tool_call_output", "hologram", "", ["x"], None))
    messages.insert(dice.number(0, len(messages)), {"type": kind, "call_id": "call_new", "text": dice.text()})


def odd_content(messages: list[object], dice: Dice) -> None:
    message = dice.one_of(messages)
    if is_object(message):
        message["content"] = copy.deepcopy(dice.one_of(_CONTENTS))


# ---------------------------------------------------------------- blocks


def bare_string(messages: list[object], dice: Dice) -> None:
    lists = [m["content"] for m in messages if is_object(m) and is_list(m.get("content"))]
    for content in lists[:1]:
        if is_list(content):
            content.insert(dice.number(0, len(content)), dice.text())


def odd_block(messages: list[object], dice: Dice) -> None:
    fields: Json = dice.one_of(
        (
            {"text": None},
            {"thinking": None},
            {"type": ["x"]},
            {"type": "hologram"},
            {"type": None},
            {"source": "https://example.com/x.png"},
            {"image_url": "https://example.com/x.png"},
            {"signature": ""},
            {"summary": [{"type": "summary_text", "text": None}]},
            {"id": None, "tool_use_id": None},
            {"id": ["x"], "call_id": {"x": 1}},
        )
    )
    if found := blocks(messages):
        dice.one_of(found).update(fields)


def blank_text(messages: list[object], dice: Dice) -> None:
    if found := [block for block in blocks(messages) if "text" in block]:
        dice.one_of(found)["text"] = dice.one_of(("", " ", "\n"))


def one_id_for_all(messages: list[object], dice: Dice) -> None:
    del dice
    for fields in [*blocks(messages), *filter(is_object, messages)]:
        for name in {"id", "tool_use_id", "tool_call_id", "call_id", "toolCallId"} & fields.keys():
            fields[name] = "call_0"


def repeat_block(messages: list[object], dice: Dice) -> None:
    lists = [m["content"] for m in messages if is_object(m) and is_list(m.get("content")) and m.get("content")]
    if lists and is_list(content := dice.one_of(lists)):
        content.append(copy.deepcopy(dice.one_of(content)))


def any_value_anywhere(messages: list[object], dice: Dice) -> None:
    put = dice.one_of(list(places(messages)))
    put(dice.json(3))


MUTATIONS: tuple[Mutation, ...] = (
    lose_message,
    repeat_message,
    swap_messages,
    stray_value,
    begin_late,
    odd_role,
    odd_item,
    odd_content,
    bare_string,
    odd_block,
    blank_text,
    one_id_for_all,
    repeat_block,
    any_value_anywhere,
)
