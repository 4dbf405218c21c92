"""The proxy as an ASGI app, without a framework in the way.

Invariant: a path under `/__faithfold__/`, as it came, belongs to the proxy's own pages and never reaches an upstream.

Source: spec 40-proxy; spec 05-api (`create_app`); faults B099, B103, B124.
"""

from __future__ import annotations

import asyncio
from typing import cast

from faithfold.engine.options import EngineSettings
from faithfold.models.catalogue import window
from faithfold.proxy.client import Asked, Headers, Message, Receive, Send
from faithfold.proxy.deciding import Engines
from faithfold.proxy.gate import Gate
from faithfold.proxy.guard import refusal
from faithfold.proxy.handler import Handler
from faithfold.proxy.pages import ROOT, Pages
from faithfold.proxy.relay import Upstream, proxy_to
from faithfold.proxy.settings import ANTHROPIC, OPENAI, ProxySettings
from faithfold.proxy.sockets import Sockets, turn_away
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine

_ROOT = ROOT.rstrip("/").encode()


class App:
    """The proxy.

    Args:
        settings: of the proxy.
        engine: that decides; one by the settings by default.
        watching: is told of each request; by default status, events, metrics, spans, log and dumps.

    Attributes:
        settings: of the proxy.
        watching: who is told.
    """

    def __init__(self, settings: ProxySettings, engine: Engine, watching: Watching) -> None:
        """Connects nothing yet."""
        self.settings = settings
        self.watching = watching
        self._engine = engine
        self._upstream = Upstream(settings.connect_timeout_s)
        gate = Gate(settings, Engines(engine))
        self._handler = Handler(settings, gate, self._upstream, watching)
        self._sockets = Sockets(settings, gate, watching, self._handler.number, self._handler.caution)
        self._pages = Pages(watching, self._allowed)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers whatever a server brings."""
        match scope["type"]:
            case "lifespan":
                await self._live(receive, send)
            case "websocket":
                own = _is_own(Asked.of({"method": "GET", **scope}).path)
                await (turn_away if own else self._sockets)(scope, receive, send)
            case _:
                await self._answer(scope, receive, send)

    def drain(self) -> None:
        """Ends what would never end by itself: call it when the server is told to stop."""
        self.watching.events.close()

    async def close(self) -> None:
        """Closes connections and files."""
        self.watching.close()
        await self._upstream.close()

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        asked = Asked.of(scope)
        if _is_own(asked.path):
            scope["path"] = asked.path.decode("latin-1")  # what was judged is what is looked up
            await self._pages(scope, receive, send)
        else:
            await self._handler(asked, receive, send)

    def _allowed(self, scope: Message) -> str | None:
        """Why somebody may not see the own pages."""
        headers = cast("Headers", scope["headers"])
        return refusal(headers, self.settings.host, self.settings.token, own_page=True)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Waits for the end of the server. Upstreams are connected when they are first needed."""
        await receive()
        await asyncio.to_thread(_warm_up, self._engine.settings)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})


def create_app(
    settings: ProxySettings | None = None, engine: Engine | None = None, *, watching: Watching | None = None
) -> App:
    """The proxy as an ASGI app.

    Args:
        settings: of the proxy.
        engine: that decides, with its own settings; one by the settings of the proxy by default.
        watching: is told of each request; by default status, events, metrics, spans, log and dumps.

    Raises:
        SettingsError: the policy is unknown, the folder for dumps can't be made, or a proxy on the way to an upstream
            is of a kind that can't be used.
    """
    settings = settings if settings is not None else ProxySettings()
    for upstream in (settings.anthropic_upstream or ANTHROPIC, settings.openai_upstream or OPENAI):
        proxy_to(upstream)
    engine = engine if engine is not None else Engine(settings.engine())
    return App(settings, engine, watching if watching is not None else Watching(engine, settings))


def _is_own(path: bytes) -> bool:
    """Whether a path is the proxy's."""
    return path == _ROOT or path.startswith(_ROOT + b"/")


def _warm_up(settings: EngineSettings) -> None:
    """Loads what the first request would have to wait for."""
    Engine(settings).prepare(b'{"model": "claude", "messages": []}', "anthropic")
    if settings.threshold_tokens is not None:
        window("claude")
