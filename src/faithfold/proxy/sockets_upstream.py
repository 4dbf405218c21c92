"""The upstream's side of a WebSocket: the upgrade, with the client's own headers, and the messages after it.

The idea: aiohttp is told to do nothing by itself, and to look at each answer before it does: so a refusal comes back
whole, and a redirect is not followed. Each connection has a client of its own, and is gone with it.

Invariant: nothing goes anywhere but to the upstream, and all that is waited for is bounded in time, but for the
provider's messages.

Source: spec 40-proxy, Request path and Safety; spec 90-decisions, Proxy; faults B094, B099, B101, B125.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from faithfold.dialects.overflow import ERROR_LIMIT
from faithfold.proxy.client import Headers
from faithfold.proxy.relay import (
    Outgoing,
    UnreachableError,
    client_session,
    header_text,
    probing_socket,
    proxy_to,
    why_not,
)

_SWITCHING = 101
_LEAVE_S = 0.3  # how long a provider may take to answer that a connection is closed
LOST = 1011
"""The code for a side whose other side is gone without a word."""

_NORMAL = 1000
_NEVER_SENT = (1004, 1005, 1006, 1015)
_CODES = range(_NORMAL, 5_000)
_LONGEST_REASON = 123  # bytes: a closing frame has no room for more


@dataclass(frozen=True, slots=True)
class Closed:
    """A side closed the connection.

    Attributes:
        code: that it gave, as far as the other side can be given it.
        reason: that it gave.
        lost: whether it gave none, and the connection just ended.
    """

    code: int = _NORMAL
    reason: str = ""
    lost: bool = False

    @classmethod
    def by(cls, code: int, reason: str) -> Closed:
        """With what can be sent on of a code and a reason."""
        sendable = code in _CODES and code not in _NEVER_SENT
        return cls(code if sendable else _NORMAL, reason if len(reason.encode()) <= _LONGEST_REASON else "")


class DeniedError(Exception):
    """The upstream doesn't open a WebSocket.

    Attributes:
        status: of its answer.
        headers: of its answer, as they came.
        body: of its answer, as far as it is looked at.
    """

    def __init__(self, status: int, headers: Headers, body: bytes) -> None:
        """With its answer."""
        super().__init__(f"the upstream answered {status}")
        self.status = status
        self.headers = headers
        self.body = body


class Provider:
    """A WebSocket to the provider.

    Args:
        line: the connection.
        headers: with which it was accepted.

    Attributes:
        headers: the same.
        protocol: that was agreed on, if any.
    """

    def __init__(self, line: aiohttp.ClientWebSocketResponse, headers: Headers) -> None:
        """Open."""
        self.headers = headers
        self.protocol = line.protocol
        self._line = line

    async def receive(self) -> str | bytes | Closed:
        """The next message."""
        message = await self._line.receive()
        match message.type:
            case aiohttp.WSMsgType.TEXT | aiohttp.WSMsgType.BINARY:
                data: str | bytes = message.data
                return data
            case aiohttp.WSMsgType.CLOSE:
                return Closed.by(message.data or _NORMAL, message.extra or "")
            case aiohttp.WSMsgType.ERROR if isinstance(message.data, aiohttp.WebSocketError):
                return Closed(message.data.code, lost=True)
            case _:
                return Closed(LOST, lost=True)

    async def send(self, message: str | bytes) -> None:
        """Sends a message, as soon as the provider takes it.

        Raises:
            ConnectionError: the connection is gone.
        """
        if isinstance(message, str):
            await self._line.send_str(message)
        else:
            await self._line.send_bytes(message)

    async def close(self, closed: Closed) -> None:
        """Closes the connection; in bounded time, whatever the provider does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LEAVE_S):
                await self._line.close(code=closed.code, message=closed.reason.encode())


class _Handshake:
    """Looks at the answer to an upgrade before anything is done about it."""

    def __init__(self) -> None:
        self.headers: Headers = ()

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        response = await handler(request)
        self.headers = response.raw_headers
        if response.status != _SWITCHING:
            body = await response.content.read(ERROR_LIMIT)
            response.close()
            raise DeniedError(response.status, response.raw_headers, body)
        return response


@asynccontextmanager
async def opened(request: Outgoing, protocols: Sequence[str], limit: int, timeout_s: float) -> AsyncGenerator[Provider]:
    """A WebSocket to an upstream.

    Args:
        request: the upgrade; all but the headers that each connection has for itself.
        protocols: that the client offers.
        limit: how large a message may be, in bytes.
        timeout_s: how long the connection may take to come about, in seconds.

    Raises:
        DeniedError: the upstream answered something else.
        UnreachableError: it didn't answer, or what it answered is no upgrade.
    """
    handshake = _Handshake()
    connector = aiohttp.TCPConnector(force_close=True, socket_factory=probing_socket)
    async with client_session(connector, aiohttp.ClientTimeout(), middlewares=[handshake]) as session:
        try:
            async with asyncio.timeout(timeout_s):
                line = await session.ws_connect(
                    URL(request.upstream.rstrip("/") + request.target, encoded=True),
                    headers=CIMultiDict((header_text(name), header_text(value)) for name, value in request.headers),
                    protocols=protocols,
                    proxy=proxy_to(request.upstream),
                    max_msg_size=limit,
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UnreachableError(why_not(request.upstream, error)) from error
        provider = Provider(line, handshake.headers)
        try:
            yield provider
        finally:
            await provider.close(Closed())
