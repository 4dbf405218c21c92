"""A body is split where its messages are, and spliced without a byte of them changed, however it is written.

Source: ARCHITECTURE, choose, never rebuild; faults B078, B079, B104 to B106.
"""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.values import as_object, is_list
from faithfold.wire import Split, resume, splice, split
from tests.generate.json_texts import Body, bodies

NOTE = b'{"role":"user","content":"a note"}'


def parts_of(body: bytes) -> Split:
    """The body, split; it has messages."""
    found = split(body, "messages")
    assert found is not None
    return found


@given(bodies())
def test_the_spans_are_exactly_the_messages(body: Body) -> None:
    found = parts_of(body.wire)
    assert [found.message(index) for index in range(len(found.messages))] == body.messages
    assert found.body[: found.array[0]] == body.before.encode()
    assert found.body[found.array[1] :] == body.after.encode()


@given(bodies(), st.data())
def test_what_is_known_of_the_beginning_changes_nothing(body: Body, data: st.DataObject) -> None:
    found = parts_of(body.wire)
    known = found.messages[: data.draw(st.integers(0, len(found.messages)))]
    assert resume(body.wire, "messages", found.array[0], known) == (found if known else None)


@given(bodies())
def test_the_rest_is_the_body_without_messages(body: Body) -> None:
    assert parts_of(body.wire).rest == f"{body.before}[]{body.after}".encode()


@given(bodies())
def test_both_readers_find_the_same(body: Body) -> None:
    """A field that stands twice is for the slow reader."""
    twice = b'{"twice":1,"twice":2,'
    slow = parts_of(body.wire.replace(b"{", twice, 1))
    fast = parts_of(body.wire)
    shift = len(twice) - 1
    assert [(start - shift, end - shift) for start, end in slow.messages] == fast.messages
    assert (slow.array[0] - shift, slow.array[1] - shift) == fast.array


@given(bodies(), st.data())
def test_what_is_kept_keeps_its_bytes(body: Body, data: st.DataObject) -> None:
    found = parts_of(body.wire)
    head = data.draw(st.integers(0, len(body.messages)))
    cut = data.draw(st.integers(head, len(body.messages)))
    sent = splice(found, [range(head), NOTE, range(cut, len(body.messages))])
    again = parts_of(sent)
    expected = [*body.messages[:head], NOTE, *body.messages[cut:]]
    assert [again.message(index) for index in range(len(again.messages))] == expected
    assert again.rest == found.rest
    for kept in (body.pieces[:head], body.pieces[cut:]):
        assert ",".join(map("".join, kept)).strip(" \t\r\n").encode() in sent  # with what stands between them


@given(bodies())
def test_what_is_sent_can_be_read(body: Body) -> None:
    sent = splice(parts_of(body.wire), [NOTE])
    assert repr(json.loads(sent)) == repr({**json.loads(body.text), "messages": [json.loads(NOTE)]})


@given(st.binary(max_size=40) | bodies().map(lambda body: body.wire), st.data())
def test_what_json_cannot_read_is_nobodys(raw: bytes, data: st.DataObject) -> None:
    """Broken bodies don't raise, and what is found in one that can be read is what JSON's own reader finds."""
    at = data.draw(st.integers(0, len(raw)))
    broken = raw[:at] + data.draw(st.binary(max_size=2)) + raw[at + data.draw(st.integers(0, 2)) :]
    found = split(broken, "messages")
    told = told_by_json(broken)
    if told is not None:
        assert found is not None
        assert repr([json.loads(found.message(index)) for index in range(len(found.messages))]) == repr(told)
    elif found is not None:
        assert not is_utf8(broken)  # the one thing that the fast reader doesn't look at inside of values


def told_by_json(body: bytes) -> object:
    """The messages, by JSON's own reader; None where it finds no list of them."""
    try:
        value: object = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    told = as_object(value).get("messages")
    return told if is_list(told) else None


def is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
