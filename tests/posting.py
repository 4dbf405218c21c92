"""Plain requests to a provider, one for each dialect, as small as they can be."""

from __future__ import annotations

import socket
import time

import httpx2

from faithfold.testing import FakeProvider, Received

Body = dict[str, object]
PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "openai-responses": "/v1/responses"}


def body_of(dialect: str, *, stream: bool = True) -> Body:
    """A request to the model that says hi."""
    key = "input" if dialect == "openai-responses" else "messages"
    return {"model": "m", "stream": stream, key: [{"role": "user", "content": "hi"}]}


def post(provider: FakeProvider, dialect: str = "anthropic", *, stream: bool = True) -> httpx2.Response:
    """Sends it."""
    return httpx2.post(provider.url + PATHS[dialect], json=body_of(dialect, stream=stream))


def connect(provider: FakeProvider) -> socket.socket:
    """A bare connection."""
    return socket.create_connection(("127.0.0.1", httpx2.URL(provider.url).port or 0), timeout=10)


def raw(provider: FakeProvider, told: bytes) -> bytes:
    """Sends bytes as they are, and reads until the connection ends."""
    with connect(provider) as line:
        line.sendall(told)
        seen = bytearray()
        while part := line.recv(65_536):
            seen += part
        return bytes(seen)


def received(provider: FakeProvider) -> Received:
    """The first request, as soon as it came."""
    while not provider.requests:
        time.sleep(0.001)
    return provider.requests[0]
