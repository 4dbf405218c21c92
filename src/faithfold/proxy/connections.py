"""Connections to upstreams that don't keep to HTTP: none is used again wrongly, none is waited for in vain.

The idea: aiohttp does nearly all of it. It looks whether a connection can be used again when it is put back, but not
when it is taken: what came in between, unasked, would be the answer to the next request, maybe another session's. And
where the rest of a body is no HTTP, it closes the connection, and leaves the reader waiting.

Invariant: an answer is never that to another request, as far as it came before that one was sent; nobody waits for a
connection that is closed.

Source: DEPENDENCIES, HTTP; faults B090, B093.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace


class Connector(aiohttp.TCPConnector):
    """Makes connections, and keeps those that can be trusted."""

    @cached_property
    def _used(self) -> WeakSet[ResponseHandler]:
        """Connections that carried a request before."""
        return WeakSet()

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        """A connection for a request: a kept one on which nothing came unasked, or a new one."""
        connection = await super().connect(req, traces, timeout)
        while (protocol := connection.protocol) in self._used and protocol is not None and protocol.should_close:
            connection.close()
            connection = await super().connect(req, traces, timeout)
        if protocol is not None:
            self._used.add(protocol)
        return connection


@contextmanager
def noticing_its_end(response: aiohttp.ClientResponse) -> Generator[None]:
    """As long as an answer is read: whoever waits for more of it is told when its connection is closed."""
    protocol = response.connection and response.connection.protocol
    closed = protocol.closed if protocol is not None else None
    if closed is None:  # all of it is there already
        yield
        return

    def end(_: asyncio.Future[None]) -> None:
        if not response.content.is_eof() and response.content.exception() is None:
            response.content.set_exception(aiohttp.ClientPayloadError("the connection was closed"))

    closed.remove_done_callback(_seen)  # once is enough
    closed.add_done_callback(_seen)
    closed.add_done_callback(end)
    try:
        yield
    finally:
        closed.remove_done_callback(end)


def _seen(closed: asyncio.Future[None]) -> None:
    """Looks at how a connection ended, or asyncio says that nobody did."""
    if not closed.cancelled():
        closed.exception()
