"""The digest of a message holds all of it, but for an explicit list of fields that change and mean nothing.

Source: spec 90-decisions (canonical form and digest); faults B083, B108, B111.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from faithfold.core.identity import chain
from tests.generate.conversations import DIALECT_NAMES, Case, legal
from tests.generate.dice import Json
from tests.generate.mutations import is_list, is_object
from tests.pieces import digest_of

Path = tuple[str | int, ...]
every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)


# ---------------------------------------------------------------- every change shows


@dataclass(frozen=True)
class Leaf:
    """A string, number or truth value inside a message: where it stands, and how another is put there."""

    path: Path
    value: object
    put: Callable[[object], None]


def leaves(value: object, path: Path = ()) -> Iterator[Leaf]:
    places: list[tuple[str | int, object, Callable[[object], None]]] = []
    if is_object(value):
        places = [(name, inner, _putter(value, name)) for name, inner in value.items()]
    elif is_list(value):
        places = [(index, inner, _list_putter(value, index)) for index, inner in enumerate(value)]
    for key, inner, put in places:
        if isinstance(inner, str | int | float):
            yield Leaf((*path, key), inner, put)
        else:
            yield from leaves(inner, (*path, key))


def _putter(where: Json, name: str) -> Callable[[object], None]:
    return lambda value: where.__setitem__(name, value)


def _list_putter(where: list[object], index: int) -> Callable[[object], None]:
    return lambda value: where.__setitem__(index, value)


def other(value: object) -> object:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return 0.5 if value != 0.5 else 1.5
        case _:
            return f"{value}x"


def volatile(dialect: str, path: Path) -> bool:
    """Whether a field may change without the provider seeing another message."""
    names = tuple(key for key in path if isinstance(key, str))
    match dialect, names:
        case "anthropic", ("content", "cache_control" | "signature", *_):
            return True
        case "anthropic", ("content", "content", "cache_control", *_):
            return True
        case "anthropic", ("content", "source", "media_type"):
            return True  # an inline medium's first bytes say the same
        case "openai-responses", ("id" | "status",):
            return True
        case "pi", ("timestamp" | "usage" | "details" | "api" | "provider" | "model", *_):
            return True
        case "pi", ("content", "thinkingSignature" | "textSignature" | "thoughtSignature"):
            return True
        case _:
            return False


def found_by_id(message: object) -> bool:
    """Items of Responses whose id is what they say."""
    return is_object(message) and message.get("type") in ("item_reference", "mcp_approval_request")


@every_dialect
@given(data=st.data())
def test_every_change_shows(dialect: str, data: st.DataObject) -> None:
    message = copy.deepcopy(data.draw(st.sampled_from(data.draw(legal(dialect)).messages)))
    before = digest_of(dialect, message)
    leaf = data.draw(st.sampled_from(list(leaves(message))))
    unseen = volatile(dialect, leaf.path) and not (found_by_id(message) and leaf.path == ("id",))
    event("volatile" if unseen else "seen")
    leaf.put(other(leaf.value))
    assert (digest_of(dialect, message) == before) == unseen, leaf.path


@every_dialect
@given(data=st.data(), name=st.sampled_from(("new_field", "phase", "namespace", "caller")))
def test_a_new_field_shows(dialect: str, data: st.DataObject, name: str) -> None:
    message = data.draw(st.sampled_from(data.draw(legal(dialect)).messages))
    assert is_object(message)
    assert digest_of(dialect, {**message, name: "new"}) != digest_of(dialect, message)


@every_dialect
@given(data=st.data())
def test_a_lost_message_shows_in_the_chain(dialect: str, data: st.DataObject) -> None:
    case = data.draw(legal(dialect))
    digests = [digest_of(dialect, message) for message in case.messages]
    lost = data.draw(st.integers(0, len(digests) - 1))
    links = chain(digests)
    assert links[:lost] == chain(digests[:lost])
    assert chain(digests[:lost] + digests[lost + 1 :])[lost:] != links[lost + 1 :] or lost == len(digests) - 1


# ---------------------------------------------------------------- what is volatile doesn't


@given(legal("anthropic"), st.sampled_from(({"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"})))
def test_cache_marks_may_move(case: Case, mark: Json) -> None:
    for message in case.messages:
        marked = copy.deepcopy(message)
        assert is_object(marked)
        if is_list(content := marked["content"]) and is_object(content[-1]):
            content[-1]["cache_control"] = mark
        assert digest_of("anthropic", marked) == digest_of("anthropic", message)


@every_dialect
@given(data=st.data())
def test_a_text_is_the_same_as_one_text_block(dialect: str, data: st.DataObject) -> None:
    for message in data.draw(legal(dialect)).messages:
        assert is_object(message)
        text = message.get("content")
        if isinstance(text, str) and message.get("role") not in ("tool", "function"):
            kind = "input_text" if dialect == "openai-responses" else "text"
            listed = {**message, "content": [{"type": kind, "text": text}]}
            assert digest_of(dialect, listed) == digest_of(dialect, message)


@given(legal("openai-responses"))
def test_ids_and_status_of_items_may_go(case: Case) -> None:
    for item in case.messages:
        assert is_object(item)
        if not found_by_id(item):
            bare = {name: value for name, value in item.items() if name not in ("id", "status")}
            marked = {**item, "status": "completed", "internal_chat_message_metadata_passthrough": {"x": 1}}
            assert digest_of("openai-responses", bare) == digest_of("openai-responses", marked)
