"""The proxy, served on a free port before a raw upstream; and raw answers as a client gets them."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from faithfold.core.values import as_list, as_object
from faithfold.proxy.app import App, create_app
from faithfold.proxy.logs import Log
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from faithfold.testing.codings import packed
from tests.pieces import session
from tests.resending import body_of, wire
from tests.wires import PATIENCE, RawUpstream, Script, connected, post, said, served, upstream, whole

PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "openai-responses": "/v1/responses"}
SECRET = "sk-sesame"
THRESHOLD = 2_000
RESULT = "some result of a tool " * 30

TOO_LONG = {"error": {"code": "context_length_exceeded", "message": "prompt is too long: 9 tokens > 8 maximum"}}
REFUSAL = whole(json.dumps(TOO_LONG).encode(), "400 Bad Request", "content-type: application/json", "request-id: r1")


@dataclass(frozen=True)
class Answered:
    """An answer, as it came over the wire."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    @classmethod
    def of(cls, data: bytes) -> Answered:
        head, _, body = data.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
        return cls(int(first.split(" ")[1]), headers, body)

    def value(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def own(self) -> Mapping[str, str]:
        """The headers that are faithfold's, without what they all begin with."""
        return {
            key.removeprefix("x-faithfold-"): value for key, value in self.headers if key.startswith("x-faithfold-")
        }


@dataclass(frozen=True)
class Proxy:
    """A proxy that is served, and the upstream behind it."""

    url: str
    app: App
    provider: RawUpstream
    log: io.StringIO

    async def ask(self, body: bytes, *headers: str, path: str = "/v1/messages") -> Answered:
        """Posts a body, and waits for the answer and the end of the connection."""
        return Answered.of(await said(self.url, post(path, body, f"x-api-key: {SECRET}", *headers)))

    @asynccontextmanager
    async def asking(self, body: bytes, *headers: str) -> AsyncGenerator[asyncio.StreamReader]:
        """Posts a body, and gives what the answer can be read from; leaving it closes the connection."""
        async with connected(self.url) as (reader, writer), asyncio.timeout(PATIENCE):
            writer.write(post("/v1/messages", body, f"x-api-key: {SECRET}", *headers))
            yield reader

    async def get(self, path: str, *headers: str, method: str = "GET") -> Answered:
        lines = (f"{method} {path} HTTP/1.1", "host: 127.0.0.1", "connection: close", *headers)
        return Answered.of(await said(self.url, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"))

    @property
    def ended(self) -> Sequence[Mapping[str, object]]:
        """What the log tells of each exchange."""
        return [as_object(json.loads(line)) for line in self.log.getvalue().splitlines()]

    @property
    def bodies(self) -> list[bytes]:
        """Those that came to the upstream."""
        return [request.body for request in self.provider.requests]


@asynccontextmanager
async def proxied(script: Script, engine: Engine | None = None, **settings: object) -> AsyncGenerator[Proxy]:
    """A proxy before an upstream that follows a script; both dialects go to it, unless the settings say otherwise."""
    async with upstream(script) as provider:
        known = {"anthropic_upstream": provider.url, "openai_upstream": provider.url, "threshold_tokens": THRESHOLD}
        made = ProxySettings(**{**known, **settings})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        deciding = engine if engine is not None else Engine(made.engine())
        log = io.StringIO()
        app = create_app(made, deciding, watching=Watching(deciding, made, log=Log(file=log)))
        async with served(app) as url:
            yield Proxy(url, app, provider, log)


def body(dialect: str, steps: int, **fields: object) -> bytes:
    """A request with a history of so many steps; more than nine are over the threshold."""
    return wire(body_of(dialect, session(dialect, steps, RESULT), **fields))


def encoded(data: bytes, codings: str) -> bytes:
    """A body in these codings, the last one outermost."""
    for coding in codings.split(", "):
        data = b"".join(packed([data], coding))
    return data


def messages_in(data: bytes) -> Sequence[object]:
    """The messages of a body, whatever the dialect."""
    fields = as_object(json.loads(data))
    return as_list(fields.get("messages") or fields.get("input"))
