"""Nothing raises, whatever JSON comes; and one odd block costs at most itself.

Source: faults B019, B020, B104 to B107; spec 90-decisions (`prepare` never raises).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import faithfold as ff
from faithfold import dialects
from faithfold.core.identity import canonical_json, digest
from faithfold.core.parts import Reading, Result, Text, Thinking
from faithfold.core.values import as_list, as_object, is_list
from tests.generate.conversations import DIALECT_NAMES, Case, any_json, legal, odd
from tests.generate.dice import Block
from tests.laws.running import read

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)


@every_dialect
@given(messages=st.lists(any_json(), max_size=6), keep_recent=st.integers(0, 2))
def test_any_json_is_taken(dialect: str, messages: list[object], keep_recent: int) -> None:
    all_is_taken(messages, dialect, keep_recent)


@every_dialect
@given(data=st.data(), keep_recent=st.integers(0, 2))
def test_any_json_between_good_messages_is_taken(dialect: str, data: st.DataObject, keep_recent: int) -> None:
    messages = data.draw(odd(dialect)).messages
    at = data.draw(st.integers(0, len(messages)))
    all_is_taken([*messages[:at], data.draw(any_json()), *messages[at:]], dialect, keep_recent)


def all_is_taken(messages: list[object], dialect: str, keep_recent: int) -> None:
    ff.faults(messages, dialect)
    assert ff.estimate_tokens(messages) >= 0
    row = dialects.dialect(dialect)
    for message in messages:
        assert row.read(message) == row.read(copy.deepcopy(message))
        canonical_json(row.canonical(message))
        assert len(digest(row.canonical(message))) == 64
    compaction = ff.compact(messages, dialect, ff.CompactSettings(keep_recent=keep_recent, target_tokens=10))
    assert compaction is None or compaction.notice


@every_dialect
@given(data=st.data())
def test_an_odd_block_costs_at_most_itself(dialect: str, data: st.DataObject) -> None:
    places = list(block_lists(data.draw(legal(dialect, most=6))))
    assume(places)
    message, name = data.draw(st.sampled_from(places))
    blocks = list(as_list(message[name]))
    blocks.insert(data.draw(st.integers(0, len(blocks))), data.draw(any_json()))
    seen = "\n".join(texts(read(dialect, {**message, name: blocks})))
    assert [text for text in block_texts(as_list(message[name])) if text not in seen] == []


def block_lists(case: Case) -> Iterator[tuple[Block, str]]:
    """Messages, each with the name of a field that holds blocks or calls."""
    for message in map(as_object, case.messages):
        yield from ((message, name) for name in ("content", "output", "tool_calls") if is_list(message.get(name)))


def block_texts(blocks: Sequence[object]) -> Iterator[str]:
    for block in blocks:
        text = as_object(block).get("text")
        if isinstance(text, str):
            yield text


def texts(reading: Reading) -> Iterator[str]:
    return (part.text for part in reading.parts if isinstance(part, Text | Thinking | Result))


@every_dialect
@given(data=st.data())
def test_one_odd_message_leaves_the_others_as_they_read(dialect: str, data: st.DataObject) -> None:
    messages = data.draw(legal(dialect, most=4)).messages
    at = data.draw(st.integers(0, len(messages)))
    stray = data.draw(any_json().filter(lambda value: not isinstance(value, dict)))
    faults = ff.faults([*messages[:at], stray, *messages[at:]], dialect)
    assert [fault.index for fault in faults if fault.code == "no-object"] == [at]
