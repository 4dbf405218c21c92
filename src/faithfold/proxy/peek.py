"""Looking at the beginning of an answer before the client is sent any of it: is it a refusal for its length?

A provider may say so in an error's body, or inside a stream that began with a 200 (fault B055). A stream is held back
only as long as nothing but events of the lifecycle came, and never longer than the caller allows.

Invariant: what was read is given back byte for byte, whatever it is, cut wherever the network cut it.

Source: spec 90-decisions, "Overflow inside a 200"; faults B055, B086, B128.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from faithfold.dialects.overflow import ERROR_LIMIT, is_lifecycle, overflow_event
from faithfold.proxy.relay import BrokenOffError

Read = Callable[[], Awaitable[bytes]]
"""Reads what there is next; empty at the end."""

MOST_HELD = 1024 * 1024
"""Bytes of a stream. What began with so much is no refusal."""

_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_END = 4
_DATA = re.compile(rb"^data: ?(.*?)\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Held:
    """The beginning of a stream.

    Attributes:
        data: the bytes, to be sent on first.
        overflow: whether it says that the request is too long, and nothing else before.
    """

    data: bytes
    overflow: bool


async def peek(read: Read, seconds: float) -> Held:
    """Reads a stream of events as far as is needed to see whether it is an overflow.

    Args:
        read: the stream.
        seconds: how long that may take.
    """
    held, done, overflow = bytearray(), 0, None
    with suppress(TimeoutError, BrokenOffError):  # whoever reads on comes to know that it broke off
        async with asyncio.timeout(seconds):
            while overflow is None and len(held) < MOST_HELD:
                chunk, seen = await read(), len(held)
                held += chunk
                if not chunk:  # the last event may have no end
                    overflow = _judged(held + b"\n\n", done, done)[1]
                    break
                done, overflow = _judged(held, done, seen)
    return Held(bytes(held), overflow is True)


async def whole(read: Read) -> bytes:
    """Reads an error to its end, or as far as it is looked at."""
    held = bytearray()
    with suppress(BrokenOffError):  # the same
        while len(held) < ERROR_LIMIT and (chunk := await read()):
            held += chunk
    return bytes(held)


def _judged(held: bytearray, done: int, seen: int) -> tuple[int, bool | None]:
    """Looks at the events that are whole now.

    Args:
        held: what was read.
        done: where the first event begins that wasn't looked at.
        seen: how much was searched for the end of an event before.

    Returns:
        How far events were looked at, and whether it is an overflow; None as long as that is open.
    """
    start = max(done, seen - _LONGEST_END + 1)
    while end := _EVENT_END.search(held, start):
        data = b"\n".join(_DATA.findall(held, done, end.start()))
        start = done = end.end()
        if not is_lifecycle(data):
            return done, overflow_event(data)
    return done, None
