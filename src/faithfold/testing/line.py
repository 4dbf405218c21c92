"""The connection to a client: what is sent when, and what happens when either side drops it.

Whatever waits here ends as soon as the client is gone.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from faithfold.testing.answers import Delivery

Message = Mapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class GoneError(Exception):
    """The client closed the connection."""


class DroppedError(Exception):
    """We closed the connection, as the delivery wanted it."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end: the head of the request as it came, and the connection itself.

    Attributes:
        method: of the request.
        target: the path with its query, byte for byte.
        headers: with their repeats and order; names in lower case.
        transport: the connection.
    """

    method: str
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    transport: asyncio.Transport


class Line:
    """What can be done with a connection.

    Args:
        send: of the ASGI server.
        gone: is done when the client is gone.
        transport: the connection itself.
    """

    def __init__(self, send: Send, gone: asyncio.Task[None], transport: asyncio.Transport) -> None:
        """Nothing is sent yet."""
        self._send = send
        self._gone = gone
        self._transport = transport

    async def open(self, delivery: Delivery) -> None:
        """Waits until the answer is due, or drops the connection instead of an answer.

        Raises:
            GoneError, DroppedError: there is nobody to answer.
        """
        await self._pause(delivery.delay)
        if delivery.hang_up:
            await self._drop()

    async def play(self, messages: Iterable[Message], delivery: Delivery) -> None:
        """Sends each message when it is due; drops the connection after the last one if that is wanted.

        Raises:
            GoneError, DroppedError: it could not send all, or was to drop the connection.
        """
        for number, message in enumerate(messages):
            await self._pause(delivery.pause if number else 0.0)
            await self.send(message)
        if delivery.die_after is not None:
            await self._drop()

    async def send(self, message: Message) -> None:
        """Sends one message.

        Raises:
            GoneError: the client is gone.
        """
        try:
            await self._send(message)
        except OSError:  # how the server says it of a WebSocket
            raise GoneError from None

    async def _pause(self, seconds: float) -> None:
        if seconds:
            await asyncio.wait({self._gone}, timeout=None if seconds == math.inf else seconds)
        else:
            await asyncio.sleep(0)  # lets the chunk leave, and others have their turn
        if self._gone.done():
            raise GoneError

    async def _drop(self) -> None:
        self._transport.abort()
        await asyncio.wait({self._gone})
        raise DroppedError
