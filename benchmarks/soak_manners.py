"""How clients of the soak ask: well, slowly, rudely, and in ways that are no HTTP.

Invariant: a manner that leaves says when it left; until then it keeps to what HTTP allows, unless its name says else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.soak_wire import END, Got, Line, chunked, head

SOON_S = 0.15
"""After how many seconds somebody leaves who gets no answer."""


@dataclass(frozen=True)
class Order:
    """What is to be asked.

    Attributes:
        path: of the request.
        headers: of it, but for those that frame its body.
        body: of it.
    """

    path: str
    headers: tuple[str, ...]
    body: bytes

    def head(self, *framing: str) -> bytes:
        """The head of the request."""
        return head(f"POST {self.path} HTTP/1.1", "host: localhost", *self.headers, *framing)

    def whole(self) -> bytes:
        """The request."""
        return self.head(f"content-length: {len(self.body)}") + self.body


@dataclass(frozen=True)
class Ended:
    """How a request ended.

    Attributes:
        how: the status of an answer that was whole; `torn`, `none`, or `left`.
        answers: what came, in order.
        at: when the client left, by the clock that does not jump; 0 where it didn't.
    """

    how: str
    answers: tuple[Got, ...] = ()
    at: float = 0.0


Manner = Callable[[Line, Order], Awaitable[Ended]]


async def heard(line: Line) -> Ended:
    """What is answered."""
    got = await line.answer()
    if got is None:
        return Ended("none")
    return Ended(str(got.status) if got.whole else "torn", (got,))


def left(line: Line, *, reset: bool = False) -> Ended:
    """The client goes."""
    at = time.monotonic()
    (line.reset if reset else line.close)()
    return Ended("left", at=at)


async def plainly(line: Line, order: Order) -> Ended:
    """As everybody does."""
    await line.say(order.whole())
    return await heard(line)


async def with_get(line: Line, order: Order) -> Ended:
    """What is only passed through."""
    await line.say(head("GET /v1/models?limit=5 HTTP/1.1", "host: localhost", *order.headers))
    return await heard(line)


async def slowly(line: Line, order: Order) -> Ended:
    """With pauses, in the head too."""
    whole = order.whole()
    cuts = [0, 20, 90, len(whole) // 3, len(whole) // 2, len(whole) - 1, len(whole)]
    for start, end in pairwise(cuts):
        await line.say(whole[start:end])
        await asyncio.sleep(0.03)
    return await heard(line)


async def reading_slowly(line: Line, order: Order) -> Ended:
    """With a pause, in which the answer has to wait."""
    await line.say(order.whole())
    await asyncio.sleep(0.4)
    return await heard(line)


async def in_chunks(line: Line, order: Order) -> Ended:
    """Without a length."""
    await line.say(order.head("transfer-encoding: chunked"), chunked(order.body, 5_000), END)
    return await heard(line)


async def asking_first(line: Line, order: Order) -> Ended:
    """Sends the body only when it is asked for it."""
    await line.say(order.head(f"content-length: {len(order.body)}", "expect: 100-continue"))
    await line.reader.readuntil(b"100 Continue\r\n\r\n")
    await line.say(order.body)
    return await heard(line)


async def twice_at_once(line: Line, order: Order) -> Ended:
    """Two requests before the first answer."""
    await line.say(order.whole(), order.whole())
    first, second = await heard(line), await heard(line)
    return Ended(second.how if first.how == "200" else first.how, first.answers + second.answers)


# ---------------------------------------------------------------- those who leave


def leaving(seconds: float = SOON_S, *, reset: bool = False) -> Manner:
    """Before anything came."""

    async def manner(line: Line, order: Order) -> Ended:
        await line.say(order.whole())
        await asyncio.sleep(seconds)
        return left(line, reset=reset)

    return manner


def leaving_in_the_answer(*, reset: bool = False) -> Manner:
    """When the first part of it came."""

    async def manner(line: Line, order: Order) -> Ended:
        await line.say(order.whole())
        await line.reader.readuntil(b"data: ")
        return left(line, reset=reset)

    return manner


async def leaving_in_the_request(line: Line, order: Order) -> Ended:
    """When half of it was sent."""
    whole = order.whole()
    await line.say(whole[: len(whole) // 2])
    await asyncio.sleep(0.02)
    return left(line)


async def half_closing(line: Line, order: Order) -> Ended:
    """Says that it will send no more, and waits for the end."""
    await line.say(order.whole())
    await asyncio.sleep(SOON_S)
    at = time.monotonic()
    line.half_close()
    ended = await heard(line)
    return Ended("left", ended.answers, at) if ended.how in ("none", "torn") else ended


# ---------------------------------------------------------------- what is no HTTP


def framed(*framing: str, more: bytes = b"") -> Manner:
    """With a head that lies about the body."""

    async def manner(line: Line, order: Order) -> Ended:
        await line.say(order.head(*framing), order.body, more)
        return await heard(line)

    return manner


async def too_short(line: Line, order: Order) -> Ended:
    """The length says less than there is; what is over looks like another request, and is none."""
    await line.say(order.head(f"content-length: {len(order.body) - 10}"), order.body)
    return await heard(line)


async def too_long(line: Line, order: Order) -> Ended:
    """The length says more than there is; the rest never comes."""
    await line.say(order.head(f"content-length: {len(order.body) + 10}"), order.body)
    await asyncio.sleep(SOON_S)
    return left(line)


async def in_garbled_chunks(line: Line, order: Order) -> Ended:
    """What should be a size is none."""
    await line.say(order.head("transfer-encoding: chunked"), chunked(order.body[:50]), b"what?\r\n", order.body)
    return await heard(line)


async def babbling(line: Line, _: Order) -> Ended:
    """What is no request at all."""
    await line.say(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n")
    return await heard(line)
