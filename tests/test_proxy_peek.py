"""Looking at the beginning of an answer: an overflow is found, all else comes through untouched and at once."""

from __future__ import annotations

import asyncio
import json
from time import perf_counter

import pytest

from faithfold.proxy.peek import MOST_HELD, Held, Read, peek, whole
from faithfold.proxy.relay import BrokenOffError

LONG = "prompt is too long: 210000 tokens > 200000 maximum"


def event(data: object, name: str = "", end: str = "\n") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    lines = ([f"event: {name}"] if name else []) + [f"data: {line}" for line in text.split("\n")]
    return (end.join(lines) + end * 2).encode()


PING = event({"type": "ping"}, "ping")
START = event({"type": "message_start", "message": {"content": [], "usage": {}}}, "message_start")
CREATED = event({"type": "response.created", "response": {"error": None, "instructions": "你好" * 500}})
PROGRESS = event({"type": "response.in_progress", "response": {}}, "response.in_progress")
TEXT = event({"type": "content_block_delta", "delta": {"text": LONG}}, "content_block_delta")
ANTHROPIC = event({"type": "error", "error": {"type": "invalid_request_error", "message": LONG}}, "error")
FAILED = {"status": "failed", "error": {"code": "context_length_exceeded", "message": "too long"}}
RESPONSES = event({"type": "response.failed", "response": FAILED}, "response.failed")
CHAT = event({"error": {"message": "x", "code": "context_length_exceeded"}})
BUSY = event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error")

OVERFLOWS = {
    "Anthropic, at once": ANTHROPIC,
    "Anthropic, after its start": START + PING + ANTHROPIC,
    "Responses, at once": RESPONSES,
    "Responses, after its start": CREATED + PROGRESS + RESPONSES,
    "Chat": CHAT,
    "after a comment": b": connected\n\n" + CHAT,
    "with the ends of lines of other systems": event(json.loads(CHAT[6:]), end="\r\n"),
    "without an end": ANTHROPIC.rstrip(),
    "over several lines": event('{"error":\n{"code": "context_length_exceeded"}}'),
}

OTHERS = {
    "content": START + TEXT,
    "content before the error": START + TEXT + ANTHROPIC,
    "another error": START + BUSY,
    "no events": b'{"error": "context_length_exceeded"}',
    "nothing": b"",
    "nothing but the lifecycle": START + PING,
    "the end of a Chat stream": b"data: [DONE]\n\n",
    "bytes": bytes(range(256)) * 10,
}


def reader(*parts: bytes, then: Exception | None = None) -> Read:
    """Gives the parts, and then the end, or what goes wrong."""
    left = list(parts)

    async def read() -> bytes:
        if not left and then is not None:
            raise then
        return left.pop(0) if left else b""

    return read


def looked(read: Read, seconds: float = 5.0) -> Held:
    return asyncio.run(peek(read, seconds))


@pytest.mark.parametrize("stream", OVERFLOWS.values(), ids=OVERFLOWS.keys())
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
def test_b055_an_overflow_is_found_however_the_stream_is_cut(stream: bytes, size: int) -> None:
    parts = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert looked(reader(*parts)) == Held(stream, overflow=True)


@pytest.mark.parametrize("stream", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
def test_b086_all_else_comes_through_byte_for_byte(stream: bytes, size: int) -> None:
    parts = [stream[start : start + size] for start in range(0, len(stream), size)]
    read = reader(*parts)
    held = looked(read)
    assert held.overflow is False
    assert held.data + asyncio.run(whole(read)) == stream


def test_what_comes_after_the_first_content_is_not_read() -> None:
    read = reader(START, TEXT, PING)
    assert looked(read).data == START + TEXT
    assert asyncio.run(whole(read)) == PING


def test_b055_a_stream_that_is_silent_is_held_for_the_time_that_was_given() -> None:
    async def scenario() -> None:
        queue = asyncio.Queue[bytes]()
        queue.put_nowait(START)
        began = perf_counter()
        assert await peek(queue.get, 0.05) == Held(START, overflow=False)
        assert 0.04 < perf_counter() - began < 2
        queue.put_nowait(ANTHROPIC)
        assert await queue.get() == ANTHROPIC  # nothing was lost

    asyncio.run(scenario())


def test_what_breaks_off_is_given_back_as_far_as_it_came() -> None:
    broken = BrokenOffError("gone")
    assert looked(reader(START, b"data: {", then=broken)) == Held(START + b"data: {", overflow=False)
    assert asyncio.run(whole(reader(b"{", then=broken))) == b"{"


def test_b128_what_is_held_is_bounded() -> None:
    endless = reader(*[b"data: " + b"x" * 100_000] * 100)
    assert MOST_HELD <= len(looked(endless).data) <= MOST_HELD + 200_000
    assert len(asyncio.run(whole(endless))) <= MOST_HELD
