"""Raw connections for tests of the proxy, so that what went over the wire can be looked at as it was.

An upstream is a script over bytes, a client writes bytes, and an app is served on a free port.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Any, TypeVar, cast

import uvicorn
import uvloop

_T = TypeVar("_T")

PATIENCE = 10.0
"""Seconds after which a test that waits has failed."""

Script = Callable[["Connection"], Awaitable[None]]


def run(work: Coroutine[object, object, _T]) -> _T:
    """Runs a test in the event loop that the proxy is served in, for a bounded time."""

    async def bounded() -> _T:
        async with asyncio.timeout(3 * PATIENCE):
            return await work

    return uvloop.run(bounded())


def whole(body: bytes = b"{}", status: str = "200 OK", *headers: str) -> bytes:
    """An answer with a length."""
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers))
    return head.encode("latin-1") + b"\r\n" + body


STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
"""The head of an answer in chunks."""

END = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """A chunk of such an answer."""
    return b"%x\r\n%b\r\n" % (len(data), data)


@dataclass
class Request:
    """A request as it came over the wire: its first line, its headers in order, its body."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def target(self) -> str:
        return self.line.split(" ")[1]

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]


@dataclass
class Connection:
    """One connection that an upstream was opened."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int
    upstream: RawUpstream

    async def request(self) -> Request:
        """The next request; it is noted with the upstream."""
        head = (await self.reader.readuntil(b"\r\n\r\n"))[:-4].decode("latin-1").split("\r\n")
        headers = [cast("tuple[str, str]", tuple(line.split(": ", 1))) for line in head[1:]]
        lengths = [int(value) for name, value in headers if name.lower() == "content-length"]
        request = Request(head[0], headers, await self.reader.readexactly(sum(lengths)))
        self.upstream.requests.append(request)
        return request

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Ends the connection so that the other side gets an error."""
        self.writer.transport.abort()

    async def closed(self) -> None:
        """Returns when the other side has closed the connection."""
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionError):
                while await self.reader.read(65_536):
                    pass


@dataclass
class RawUpstream:
    """A provider that does what a script does with each connection."""

    url: str = ""
    requests: list[Request] = field(default_factory=list[Request])
    connections: int = 0


@asynccontextmanager
async def upstream(script: Script, ssl: SSLContext | None = None) -> AsyncGenerator[RawUpstream]:
    """Serves a script on a free port, with TLS where there is a context for it."""
    made = RawUpstream()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        made.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError, RuntimeError):  # how uvloop says it, the last
            await script(Connection(reader, writer, made.connections, made))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=ssl)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.close()


def answering(*answers: bytes) -> Script:
    """A script that answers the nth request of all with the nth answer, and later ones with the last."""

    async def script(connection: Connection) -> None:
        while True:
            await connection.request()
            await connection.send(answers[min(len(connection.upstream.requests), len(answers)) - 1])

    return script


@asynccontextmanager
async def served(app: object, **config: object) -> AsyncGenerator[str]:
    """Serves an app on a free port, as `faithfold serve` does; its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    options = {"http": "httptools", "ws": "none", "log_config": None, "access_log": False, **config}
    options |= {"server_header": False, "date_header": False, "timeout_graceful_shutdown": 1}
    made = uvicorn.Config(cast("Any", app), **cast("dict[str, Any]", options))
    made.load()
    server = uvicorn.Server(made)
    server.lifespan = made.lifespan_class(made)
    await server.startup(sockets=[listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        for each in server.servers:
            each.close()
        for connection in [*server.server_state.connections]:
            connection.transport.abort()
        if server.server_state.tasks:
            await asyncio.wait(server.server_state.tasks, timeout=PATIENCE)
        await server.lifespan.shutdown()


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A raw connection to an address."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def said(url: str, data: bytes) -> bytes:
    """All that is answered to these bytes, until the connection is closed."""
    async with connected(url) as (reader, writer), asyncio.timeout(PATIENCE):
        writer.write(data)
        return await reader.read()


def post(path: str, body: bytes, *headers: str) -> bytes:
    """A request, after which the connection is closed."""
    lines = [f"POST {path} HTTP/1.1", "host: proxy", "connection: close", f"content-length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
