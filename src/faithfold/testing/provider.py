"""The fake provider: a server of its own on a free port of this machine, in a thread.

It is there inside of its `with`, and gone after it: connections are dropped, whoever waits is told so.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import get_args

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.http11 import Request

from faithfold.core.errors import SettingsError
from faithfold.testing.answers import Delivery
from faithfold.testing.app import PEER, App
from faithfold.testing.asked import Asked
from faithfold.testing.line import Peer
from faithfold.testing.model import Model, Overflow
from faithfold.testing.received import Received
from faithfold.testing.scripts import Script

_LARGEST_MESSAGE = 1 << 30


class _Http(HttpToolsProtocol):
    """uvicorn's own, that also hands on the target as it was sent, and the connection."""

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        peer = Peer(self.scope["method"], self.url, tuple(self.headers), self.transport)
        self.scope["state"] = {PEER: peer}


class _WebSocket(WebSocketsSansIOProtocol):
    """The same for WebSockets."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            return
        headers = tuple((name.lower(), value) for name, value in self.scope["headers"])
        self.scope["state"] = {PEER: Peer("GET", event.path.encode("ascii"), headers, self.transport)}


class FakeProvider:
    """A provider of models that says what a script wants, in the wire formats of the real ones.

    It speaks Anthropic's Messages, OpenAI's Chat Completions and Responses (a WebSocket too), streamed or not, counts
    tokens and lists models; whatever else is asked it echoes.

    Args:
        script: what the model says.
        window: in tokens; a request over it, by `faithfold.estimate_tokens`, is refused.
        overflow: how it is refused: `"400"`, `"413"`, or `"stream"` for an error inside a 200.
        strict_faults: whether illegal messages are refused, as `faithfold.faults` finds them.
        websockets: whether WebSockets are taken; else they are refused with 426.
        delivery: how answers go over the wire, where an answer doesn't say.
        models: the names that `/v1/models` lists.
        keep: how many requests are remembered, the newest; None for all.

    Attributes:
        url: where it is, without a path: the base URL of Anthropic's clients; OpenAI's want `/v1` after it.

    Raises:
        SettingsError: `overflow` is unknown, or the window is negative.
    """

    def __init__(
        self,
        script: Script,
        *,
        window: int | None = None,
        overflow: Overflow = "400",
        strict_faults: bool = False,
        websockets: bool = True,
        delivery: Delivery | None = None,
        models: Sequence[str] = ("fake-model",),
        keep: int | None = None,
    ) -> None:
        """Nothing is served before the `with`."""
        if overflow not in get_args(Overflow):
            raise SettingsError(f"overflow must be one of {', '.join(get_args(Overflow))}, not {overflow!r}")
        if window is not None and window < 0:
            raise SettingsError(f"window must not be negative, not {window}")
        model = Model(script=script, window=window, overflow=overflow, strict_faults=strict_faults)
        self._app = App(model, delivery or Delivery(), websockets=websockets, models=models, keep=keep)
        self._thread = threading.Thread(target=self._run, name="fake-provider", daemon=True)
        self._ready = threading.Event()
        self.url = ""
        self._end: Callable[[], object] = bool

    def __enter__(self) -> FakeProvider:
        """Serves, from now on."""
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        """Drops all connections and frees the port."""
        self._end()
        self._thread.join()

    @property
    def requests(self) -> list[Received]:
        """The requests so far, and the messages of WebSockets, in the order in which they came."""
        return [*self._app.requests]

    @property
    def asked(self) -> list[Asked]:
        """What the model was asked so far; requests for other things left out."""
        return [received.asked for received in self.requests if received.asked is not None]

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        loop, stopped, state = asyncio.get_running_loop(), asyncio.Event(), ServerState()
        config = Config(self._app, ws=_WebSocket, ws_max_size=_LARGEST_MESSAGE, log_config=None, proxy_headers=False)
        config.load()
        server = await loop.create_server(lambda: _Http(config, state, {}), "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._end = partial(loop.call_soon_threadsafe, stopped.set)
        self._ready.set()
        await stopped.wait()
        server.close()
        for connection in [*state.connections]:
            connection.transport.abort()
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=1.0)
