"""What is told by the messages of a WebSocket: requests, events, and what is behind a response."""

from __future__ import annotations

import json

import pytest

from faithfold.engine.store import PrefixEntry
from faithfold.proxy.sockets_history import (
    Create,
    Event,
    History,
    Seen,
    can_be_sent,
    kind_of,
    read_create,
    read_event,
)
from tests.pieces import Wire, message

USER = message("user", "hi")


def create(**fields: object) -> bytes:
    return json.dumps({"type": "response.create", "model": "m", **fields}).encode()


def made(**fields: object) -> Create:
    read = read_create(create(**fields))
    assert read is not None
    return read


# ---------------------------------------------------------------- what is asked

ODD = (
    b'{ "type" : "response.create",\n "n": 1.000000000000000000001, "previous_response_id": "r1",'
    b' "input":[ {"type":"message", "role":"user","content":"\\ud83d cut"} , {"a":1e400,"a":2}],"caf\\u00e9":"\\/" }'
)


def test_the_items_of_a_request_are_the_clients_own_bytes() -> None:
    read = read_create(ODD)
    assert read is not None
    first, second = b'{"type":"message", "role":"user","content":"\\ud83d cut"}', b'{"a":1e400,"a":2}'
    assert (read.items, read.previous) == ((first, second), "r1")
    history = read.history(History().then([b'{"b":1}']))
    assert history is not None
    assert history == History((b'{"b":1}', first, second), 7 + len(first) + len(second))
    assert read.whole(history) == b"".join(
        (
            b'{"type":"response.create","n":1.000000000000000000001,"input":[{"b":1},',
            b"%b,%b" % (first, second),
            b'],"caf\\u00e9":"\\/"}',
        )
    )


@pytest.mark.parametrize(
    "message",
    [
        b'{"type":"response.cancel"}',
        b'{"type":"response.create"',
        b'["response.create"]',
        b'{"kind":"response.create"}',
        b'{"type":{"response.create":1}}',
        b"",
        b"[" * 100_000 + b"response.create",
        b'{"type":"response.steer","input":"response.create"}',
    ],
)
def test_other_messages_are_no_requests(message: bytes) -> None:
    assert read_create(message) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (b'{"type":"response.cancel"}', "response.cancel"),
        (b'{"type":1}', ""),
        (b"ping", ""),
        (b'{"type":"response.create",}', "response.create"),
    ],
)
def test_the_kind_of_a_message(message: bytes, kind: str) -> None:
    assert kind_of(message) == kind


def test_a_bare_text_is_a_message_of_the_user() -> None:
    read = made(input='größe "\n')
    assert read.items is not None
    [item] = read.items
    assert json.loads(item) == {"type": "message", "role": "user", "content": 'größe "\n'}
    assert json.loads(read.whole(History(read.items))) == {**json.loads(create()), "input": [json.loads(item)]}


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"input": [USER]}, True),
        ({"input": []}, True),
        ({"input": [USER], "previous_response_id": None}, True),
        ({"input": [USER], "previous_response_id": ""}, True),
        ({"input": [USER], "conversation": None}, True),
        ({"input": [USER], "previous_response_id": "r0"}, False),
        ({"input": [USER], "previous_response_id": 7}, False),
        ({"input": [USER], "conversation": "conv_1"}, False),
        ({"input": [USER], "conversation": {"id": "conv_1"}}, False),
        ({"input": None}, False),
        ({"input": {"type": "message"}}, False),
        ({}, False),
    ],
)
def test_b102_a_history_is_whole_or_unknown(fields: Wire, known: bool) -> None:
    assert (made(**fields).history(None) is not None) == known


@pytest.mark.parametrize(
    ("fields", "warms_up"),
    [
        ({}, False),
        ({"generate": False}, True),
        ({"generate": True}, False),
        ({"generate": None}, False),
        ({"prompt_cache_options": {"prewarm": True}}, True),
        ({"prompt_cache_options": {"prewarm": False}}, False),
    ],
)
def test_a_warm_up_is_known(fields: Wire, warms_up: bool) -> None:
    assert made(**fields).warms_up == warms_up


# ---------------------------------------------------------------- what is told


def told(kind: str, **fields: object) -> str:
    return json.dumps({"type": kind, **fields})


@pytest.mark.parametrize(
    ("message", "closely", "seen"),
    [
        (told("response.output_text.delta", delta="x"), False, None),
        (told("response.output_text.delta", delta='"type":"response.completed"'), False, None),
        (told("response.output_text.delta", delta="x"), True, "response.output_text.delta"),
        (told("response.completed", response={"id": "r"}), False, "response.completed"),
        ('{"sequence_number":3,"type" : "response.failed"}', False, "response.failed"),
        (told("error", status=400, error={}), False, "error"),
        (told("response.created", response={"id": "r", "error": None}), False, "response.created"),
        (told("codex.rate_limits"), True, "codex.rate_limits"),
        ("no json", True, None),
        (told("response.completed", response=7), False, None),
        ("", True, None),
    ],
)
def test_events_are_read_where_they_matter(message: str, closely: bool, seen: str | None) -> None:
    event = read_event(message, closely=closely)
    assert (event and event.type) == seen


def test_what_an_event_tells() -> None:
    message = told("response.completed", stream_id="s", response={"id": "r", "output": [{"a": 1.0}], "store": None})
    event = read_event(message, closely=False)
    assert event is not None
    assert event.response is not None
    assert (event.lane, event.id, event.is_last, event.is_answer) == ("s", "r", True, True)
    assert [bytes(item) for item in event.response.output or ()] == [b'{"a": 1.0}']
    limits = read_event(told("codex.rate_limits"), closely=True)
    assert limits is not None
    assert (limits.lane, limits.id, limits.is_last, limits.is_answer) == ("", "", False, False)
    assert Event(type="error").is_last


@pytest.mark.parametrize(
    ("item", "sendable"),
    [
        ({"type": "message", "content": []}, True),
        ({"type": "reasoning", "id": "rs_1", "summary": []}, False),
        ({"type": "reasoning", "id": "rs_1", "encrypted_content": None}, False),
        ({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA"}, True),
        ({"type": 1}, False),
    ],
)
def test_a_thought_that_is_only_an_id_cannot_be_sent_again(item: Wire, sendable: bool) -> None:
    assert can_be_sent([b'{"type":"message"}', json.dumps(item).encode()]) == sendable


# ---------------------------------------------------------------- what is remembered


def test_what_is_behind_a_response_is_remembered_until_it_is_forgotten() -> None:
    seen = Seen(1_000)
    standing = PrefixEntry(1, (), (b"{}",), 4)
    history = History((b"12",), 2, standing)
    seen.add("r1", history)
    assert (seen.behind("r1"), seen.behind("r2")) == (history, None)
    assert history.then([b"3"]) == History((b"12", b"3"), 3, standing)
    seen.forget()
    assert seen.behind("r1") is None


def test_b128_what_is_remembered_is_bounded_in_bytes() -> None:
    seen = Seen(100)
    for number in range(5):
        seen.add(f"r{number}", History().then([b"x" * 40]))
    assert [number for number in range(5) if seen.behind(f"r{number}")] == [3, 4]
    seen.add("r4", History().then([b"x" * 50]))
    assert [number for number in range(5) if seen.behind(f"r{number}")] == [3, 4]
    seen.add("huge", History().then([b"x" * 101]))
    assert [name for name in ("r3", "r4", "huge") if seen.behind(name)] == []
    seen.add("r5", History().then([b"x" * 100]))
    assert seen.behind("r5") is not None


def test_b128_what_is_remembered_is_bounded_in_number() -> None:
    seen = Seen(1_000)
    for number in range(1_000):
        seen.add(f"r{number}", History())
    assert sum(1 for number in range(1_000) if seen.behind(f"r{number}")) <= 64
    assert seen.behind("r999") is not None
