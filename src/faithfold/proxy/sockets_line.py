"""An open WebSocket: messages both ways, as fast as the slower side takes them, and one end for both.

The idea: three tasks. One listens to the client, so that it is noticed when it leaves, whatever else goes on; one
brings up what the client says, one brings down what the provider says. The first that ends ends all.

Invariant: little waits here, whatever is sent. Whoever closes first, the other side is given the same code and reason,
and the upstream is closed within a second.

Source: spec 90-decisions, Proxy (WebSocket); faults B087, B089, B128.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import cast

from faithfold.proxy.client import Message as Asgi
from faithfold.proxy.client import Receive, Send
from faithfold.proxy.noting import where
from faithfold.proxy.sockets_deciding import Place
from faithfold.proxy.sockets_dialogue import Dialogue, Message
from faithfold.proxy.sockets_upstream import LOST, Closed, Provider

_GRACE_S = 0.5  # for what was said last
_WAITING = 1  # messages of the client
_NO_CODE = 1005


class Line:
    """A WebSocket that is open on both sides.

    Args:
        place: where what is said belongs.
        provider: the upstream's side.
        receive, send: the client's side, of ASGI.
    """

    def __init__(self, place: Place, provider: Provider, receive: Receive, send: Send) -> None:
        """Nothing was said yet."""
        self._notice = place.watching.notice
        self._provider = provider
        self._receive = receive
        self._deliver = send
        self._dialogue = Dialogue(place, provider.send, self._send)
        self._waiting: asyncio.Queue[Message] = asyncio.Queue(_WAITING)

    async def talk(self, first: Awaitable[Asgi]) -> None:
        """Carries messages until one side closes the connection, and closes the other.

        Args:
            first: what the client says first.
        """
        listening = asyncio.create_task(self._listen(first))
        upward, downward = asyncio.create_task(self._upward()), asyncio.create_task(self._downward())
        problem = "the connection was cut off"
        try:
            await self._until_over(listening, upward, downward)
            problem = await self._part(listening, upward, downward)
        finally:
            for task in (listening, upward, downward):
                task.cancel()
            await asyncio.gather(listening, upward, downward, return_exceptions=True)
            self._dialogue.close(problem)

    async def _until_over(
        self, listening: asyncio.Task[Closed], upward: asyncio.Task[None], downward: asyncio.Task[Closed]
    ) -> None:
        """Waits for the end, and a moment for what was said last."""
        await asyncio.wait([listening, upward, downward], return_when=asyncio.FIRST_COMPLETED)
        if listening.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._waiting.join(), _GRACE_S)
        elif not downward.done():  # nothing goes up any more: how the provider ended it is still to be read
            await asyncio.wait([downward], timeout=_GRACE_S)

    async def _part(
        self, listening: asyncio.Task[Closed], upward: asyncio.Task[None], downward: asyncio.Task[Closed]
    ) -> str:
        """Closes the other side; says why requests were not answered to the end."""
        failed = next((error for task in (listening, upward, downward) if (error := _error(task))), None)
        if failed is not None:
            self._notice(f"a WebSocket was cut off, for {where(failed)}")
        left = _result(listening)
        if left is not None:
            await self._provider.close(left)
            return ""
        closed = _result(downward) or Closed(LOST, lost=True)
        with suppress(OSError):
            await self._deliver({"type": "websocket.close", "code": closed.code, "reason": closed.reason})
        return "the upstream's WebSocket broke off" if closed.lost else f"the upstream closed it, code {closed.code}"

    async def _listen(self, first: Awaitable[Asgi]) -> Closed:
        message = await first
        while message["type"] == "websocket.receive":
            text = message.get("text")
            await self._waiting.put(text if isinstance(text, str) else cast("bytes", message["bytes"]))
            message = await self._receive()
        return Closed.by(cast("int", message.get("code") or _NO_CODE), cast("str", message.get("reason") or ""))

    async def _upward(self) -> None:
        while True:
            message = await self._waiting.get()
            await self._dialogue.from_client(message)
            self._waiting.task_done()

    async def _downward(self) -> Closed:
        """Brings down what the provider says; returns how it closed the connection."""
        try:
            while not isinstance(message := await self._heard(), Closed):
                await self._dialogue.from_provider(message)
            await self._dialogue.release()
        except OSError:  # one of them is gone: the client, or the provider as it was asked again
            return Closed(LOST, lost=True)
        return message

    async def _heard(self) -> Message | Closed:
        """What the provider says next. What is held back in the meantime goes down when it is due."""
        if self._dialogue.due is None:
            return await self._provider.receive()
        receiving = asyncio.create_task(self._provider.receive())
        try:
            left = self._dialogue.due - asyncio.get_running_loop().time()
            await asyncio.wait([receiving], timeout=max(0.0, left))
            if not receiving.done():
                await self._dialogue.release()
            return await receiving
        finally:
            receiving.cancel()

    async def _send(self, message: Message) -> None:
        kind = "text" if isinstance(message, str) else "bytes"
        await self._deliver({"type": "websocket.send", kind: message})


def _result(task: asyncio.Task[Closed]) -> Closed | None:
    """How a side closed the connection, if it did."""
    return task.result() if task.done() and not task.cancelled() and not task.exception() else None


def _error(task: asyncio.Task[Closed] | asyncio.Task[None]) -> BaseException | None:
    """What a task failed with, if that was none of the two sides' doing."""
    error = task.exception() if task.done() and not task.cancelled() else None
    return None if isinstance(error, OSError) else error
