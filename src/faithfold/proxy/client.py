"""The client's side of one request: what it asks, its body, and the answer that it is sent.

The idea: a client that hangs up ends whatever is done for it, by cancelling it, wherever that stands; so the request to
the upstream that belongs to it is closed too, before the first byte, in mid-stream and between two tries.

Invariant: an answer is begun at most once (fault B090), and its bytes and times are noted as they go out.

Source: spec 40-proxy, Request path; faults B087, B089, B090, B098.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import cast
from urllib.parse import quote

from faithfold.core.errors import FaithfoldError
from faithfold.proxy.exchange import Exchange

Message = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]

LINGER_S = 1.0
"""How long the rest of a body that is too large is read, so that the client comes to see why it was refused."""


class TooLargeError(FaithfoldError):
    """The body is larger than the settings allow."""


class Gone(Exception):  # noqa: N818  it is no error that a client hangs up
    """The client hung up."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks: all of a request but its body, as it was sent.

    Attributes:
        method: such as POST.
        path: as it came, with its escapes.
        query: what stands behind the question mark.
        headers: in order, the names in lower case; a name may come several times.
    """

    method: str
    path: bytes
    query: bytes
    headers: Headers

    @classmethod
    def of(cls, scope: Message) -> Asked:
        """What an ASGI scope says."""
        raw = scope.get("raw_path")
        path = raw if isinstance(raw, bytes) else quote(str(scope["path"])).encode()
        headers = cast("Headers", scope["headers"])
        return cls(str(scope["method"]), path, cast("bytes", scope["query_string"]), headers)


class Client:
    """Who sent a request, and is sent its answer.

    Args:
        receive, send: of ASGI.
        exchange: where bytes and times are noted.
    """

    def __init__(self, receive: Receive, send: Send, exchange: Exchange) -> None:
        """Reads and sends nothing yet."""
        self.exchange = exchange
        self._began = perf_counter()
        self._answered = False
        self._deliver = send
        self._receive = receive
        self._has_all = False
        self._complete = False
        self._gone = False

    @property
    def seconds(self) -> float:
        """How long ago the request came."""
        return perf_counter() - self._began

    async def body(self, asked: Asked, limit: int) -> bytes:
        """The body of the request.

        Args:
            asked: the request.
            limit: how large it may be, in bytes.

        Raises:
            TooLargeError: it is larger, or says that it is.
            Gone: the client hung up.
        """
        if _declared(asked.headers) > limit:
            raise TooLargeError(_too_large(limit))
        parts: list[bytes] = []
        size = 0
        while not self._has_all:
            part = await self._part()
            size += len(part)
            if size > limit:
                raise TooLargeError(_too_large(limit))
            parts.append(part)
        self.exchange.bytes_in = size
        return parts[0] if len(parts) == 1 else b"".join(parts)

    @asynccontextmanager
    async def there(self) -> AsyncGenerator[None]:
        """As long as the client is: what is done in here is cancelled when it hangs up.

        Raises:
            Gone: the client hung up.
        """
        task = asyncio.current_task()
        assert task is not None  # a coroutine runs in a task
        watch = asyncio.create_task(self._until_gone(task))
        try:
            yield
        except asyncio.CancelledError:
            if self._gone and task.uncancel() == 0:
                raise Gone from None
            raise
        finally:
            watch.cancel()

    async def begin(self, status: int, headers: Headers) -> None:
        """Begins the answer.

        Args:
            status: of it.
            headers: all of them.
        """
        assert not self._answered, "an answer can't be begun anew"
        self._answered = True
        self.exchange.status = status
        self.exchange.first_byte = self.seconds
        await self._deliver({"type": "http.response.start", "status": status, "headers": headers})

    async def send(self, chunk: bytes) -> None:
        """A part of the answer's body, as soon as the client takes it."""
        self.exchange.bytes_out += len(chunk)
        await self._deliver({"type": "http.response.body", "body": chunk, "more_body": True})

    async def end(self) -> None:
        """Ends the answer: it is whole."""
        self._complete = True
        await self._deliver({"type": "http.response.body"})

    async def linger(self) -> None:
        """Reads on for a moment, and throws away what comes: a client may look for its answer only when it has sent."""
        with suppress(TimeoutError, Gone):
            async with asyncio.timeout(LINGER_S):
                while not self._has_all:
                    await self._part()

    async def _part(self) -> bytes:
        """Some of the body."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise Gone
        self._has_all = not message.get("more_body", False)
        return cast("bytes", message.get("body", b""))

    async def _until_gone(self, task: asyncio.Task[object]) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if not self._complete:  # a server says the same when an answer is through
            self._gone = True
            task.cancel()


def _declared(headers: Headers) -> int:
    """How large a body says that it is; 0 where it says nothing."""
    said = next((value for name, value in headers if name == b"content-length"), b"")
    return int(said) if said.isdigit() else 0


def _too_large(limit: int) -> str:
    return f"the body is larger than {limit} bytes, the setting max_body_bytes"
