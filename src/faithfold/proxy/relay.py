"""The upstream's side: one request up, its answer down as it comes.

The idea: nothing is added, nothing is looked at. The client's own headers and bytes go up, the upstream's own come
down, chunk by chunk. aiohttp keeps the connections, and is told to do nothing by itself: no redirects, cookies,
decompression or headers.

Invariant: a request is sent once more in one case only: it went into a kept connection that turned out to be dead, and
no byte of an answer came (fault B093). An answer that breaks off is never made to look whole.

Source: spec 40-proxy, Request path; DEPENDENCIES, HTTP; faults B086 to B103.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from urllib.parse import urlsplit

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from faithfold.core.errors import FaithfoldError
from faithfold.proxy.client import Client, Headers
from faithfold.proxy.connections import Connector, noticing_its_end
from faithfold.proxy.settings import is_loopback
from faithfold.settings import proxy_for

_KEPT_S = 60.0  # how long an idle connection is kept: an agent's tools take their time
_SLICE = 1024 * 1024  # larger bodies go up in slices of this size, which is quicker than all at once
_LONGEST_HEADER = 32 * 1024  # of an answer, in bytes: with their number, that bounds the memory they can take
_MOST_HEADERS = 250
_STATUSES = range(200, 600)  # what HTTP knows as the status of an answer, and servers can pass on
_PROBES = {"TCP_KEEPIDLE": 60, "TCP_KEEPALIVE": 60, "TCP_KEEPINTVL": 20, "TCP_KEEPCNT": 5}
_OWN_HEADERS = ("accept", "accept-encoding", "content-type", "user-agent")  # what aiohttp would add


class UnreachableError(FaithfoldError):
    """No answer came from the upstream."""


class BrokenOffError(FaithfoldError):
    """The upstream's answer ended before it was whole."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request as it goes up.

    Attributes:
        method: such as POST.
        upstream: the address of the provider.
        target: path and query, as the client sent them.
        headers: all of them but Host and Content-Length.
        body: the bytes.
    """

    method: str
    upstream: str
    target: str
    headers: Headers
    body: bytes


class Answer:
    """The answer of an upstream, as far as it has come.

    Attributes:
        status: of it.
        headers: all of them, as they came.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        """Of a response whose body is still to be read."""
        self.status = response.status
        self.headers: Headers = response.raw_headers
        self._content = response.content

    async def read(self) -> bytes:
        """What there is next; empty at the end.

        Raises:
            BrokenOffError: the upstream is gone before the answer was whole. Whatever came before can be read first.
        """
        try:
            return await self._content.readany()
        except (aiohttp.ClientError, OSError) as error:
            # There is no public way to what came before the end, and aiohttp gives nothing more once it is there.
            left: bytes = self._content._read_nowait(-1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            if not left:
                raise BrokenOffError("the upstream's answer broke off") from error
            return left


class Upstream:
    """The client of the providers.

    It makes its connections when they are first needed, in the event loop that needs them, until it is closed.

    Args:
        connect_timeout_s: how long a connection may take to come about, in seconds.
    """

    def __init__(self, connect_timeout_s: float) -> None:
        """Connects nothing yet."""
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect_timeout_s)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._proxies: dict[str, str | None] = {}

    @asynccontextmanager
    async def ask(self, request: Outgoing) -> AsyncGenerator[Answer]:
        """Sends a request; its answer can be read inside, and whatever is left of it afterwards is dropped.

        Raises:
            UnreachableError: no answer came; one line says why.
        """
        response = await self._sent(request)
        try:
            if response.status not in _STATUSES:
                raise UnreachableError(f"{_no_answer(request.upstream)}: its status is {response.status}")
            with noticing_its_end(response):
                yield Answer(response)
        finally:
            response.close()

    async def close(self) -> None:
        """Closes all connections."""
        while self._sessions:
            await self._sessions.popitem()[1].close()

    async def _sent(self, request: Outgoing) -> aiohttp.ClientResponse:
        kept = SimpleNamespace(used=False)
        try:
            return await self._try(request, kept, fresh=False)
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
            if not kept.used or _has_begun(error):
                raise UnreachableError(why_not(request.upstream, error)) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UnreachableError(why_not(request.upstream, error)) from error
        try:
            return await self._try(request, kept, fresh=True)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UnreachableError(why_not(request.upstream, error)) from error

    async def _try(self, request: Outgoing, kept: SimpleNamespace, *, fresh: bool) -> aiohttp.ClientResponse:
        body = request.body
        headers = CIMultiDict((header_text(name), header_text(value)) for name, value in request.headers)
        if body:
            headers["content-length"] = str(len(body))
        return await self._session(fresh=fresh).request(
            request.method,
            URL(request.upstream.rstrip("/") + request.target, encoded=True),
            headers=headers,
            data=None if not body else body if len(body) <= _SLICE else _slices(body),
            allow_redirects=False,
            proxy=self._proxy(request.upstream),
            trace_request_ctx=kept,
        )

    def _session(self, *, fresh: bool) -> aiohttp.ClientSession:
        """Connections that are kept, or that are used once."""
        if fresh not in self._sessions:
            kept_s = None if fresh else _KEPT_S
            connector = Connector(limit=0, force_close=fresh, keepalive_timeout=kept_s, socket_factory=probing_socket)
            traces = [_telling_of_kept_connections()]
            self._sessions[fresh] = client_session(connector, self._timeout, trace_configs=traces)
        return self._sessions[fresh]

    def _proxy(self, upstream: str) -> str | None:
        """The proxy to an upstream, looked up once."""
        if upstream not in self._proxies:
            self._proxies[upstream] = proxy_to(upstream)
        return self._proxies[upstream]


def client_session(
    connector: aiohttp.TCPConnector,
    timeout: aiohttp.ClientTimeout,
    *,
    trace_configs: list[aiohttp.TraceConfig] | None = None,
    middlewares: Sequence[aiohttp.ClientMiddlewareType] = (),
) -> aiohttp.ClientSession:
    """A client that adds nothing to what it sends, and changes nothing in what it gets."""
    return aiohttp.ClientSession(
        connector=connector,
        timeout=timeout,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=_OWN_HEADERS,
        trace_configs=trace_configs,
        middlewares=middlewares,
        max_line_size=_LONGEST_HEADER,
        max_field_size=_LONGEST_HEADER,
        max_headers=_MOST_HEADERS,
    )


def probing_socket(address: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
    """A socket that finds out within minutes that nobody is there any more, however long the answer is silent."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, seconds in _PROBES.items():
        if hasattr(socket, name):  # each system knows some of them
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)
    return made


def proxy_to(upstream: str) -> str | None:
    """The proxy to an upstream, as the usual variables say. To this machine there is none (fault B101)."""
    return None if is_loopback(urlsplit(upstream).hostname or "") else proxy_for(upstream)


async def pour(answer: Answer, client: Client) -> None:
    """Sends what is left of an answer to the client as it comes, and ends it.

    Raises:
        BrokenOffError: the upstream did not send it whole; the client has what came, and no end.
    """
    while chunk := await answer.read():
        await client.send(chunk)
    await client.end()


async def _slices(body: bytes) -> AsyncIterator[memoryview]:
    view = memoryview(body)
    for start in range(0, len(body), _SLICE):
        yield view[start : start + _SLICE]


def header_text(header: bytes) -> str:
    """A header's name or value as aiohttp takes it: it writes UTF-8 again."""
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


def _telling_of_kept_connections() -> aiohttp.TraceConfig:
    """Marks the requests that go into a connection that was used before."""

    async def mark(_session: object, context: SimpleNamespace, _params: object) -> None:
        context.trace_request_ctx.used = True

    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(mark)
    return config


def _has_begun(error: aiohttp.ClientError) -> bool:
    """Whether a part of an answer came before the connection was lost."""
    return isinstance(error, aiohttp.ServerDisconnectedError) and not isinstance(error.message, str)


def why_not(upstream: str, error: Exception) -> str:
    """One line about a request that got no answer. It quotes nothing that the client or the upstream sent."""
    return f"{_no_answer(upstream)}: {_reason(error)}"


def _no_answer(upstream: str) -> str:
    return f"the upstream {urlsplit(upstream).netloc} gave no answer"


def _reason(error: Exception) -> str:
    match error:
        case TimeoutError():
            return "no connection came about in time"
        case aiohttp.ClientConnectorCertificateError():
            return "its certificate is not trusted; SSL_CERT_FILE can name a file with others to trust"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy on the way says {error.status}"
        case aiohttp.ServerDisconnectedError():
            return "it closed the connection"
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return "what it sent is no HTTP"
        case OSError():
            return error.strerror or type(error).__name__
        case _:
            return type(error).__name__
