"""WebSockets: an upgrade goes up as it came, and the two connections are tied together.

The idea: a client that can speak over a WebSocket can ask by HTTP too, and does so at once when a 426 tells it to. So
whatever keeps a WebSocket from being opened, on our side or the upstream's, has this answer, and the user is told. What
an upstream that knows WebSockets has to say (no key, a rate, its own 426) goes back as it is.

Invariant: an upgrade is judged as a request of its path is, and accepted only when the upstream has accepted it.

Source: spec 90-decisions, Proxy (WebSocket); spec 40-proxy, Safety; faults B099, B124, B125.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import cast

from faithfold.core.errors import FaithfoldError
from faithfold.proxy import errors
from faithfold.proxy.caution import Caution
from faithfold.proxy.client import Asked, Gone, Message, Receive, Send
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.gate import Gate, Passage, RefusedError
from faithfold.proxy.headers import OWN_PREFIX, Header, downward
from faithfold.proxy.noting import where
from faithfold.proxy.relay import Outgoing
from faithfold.proxy.routes import route, target
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.sockets_deciding import Place
from faithfold.proxy.sockets_line import Line
from faithfold.proxy.sockets_upstream import DeniedError, Provider, opened
from faithfold.proxy.watching import Watching

_BY_HTTP = 426
_BAD_REQUEST = 400
_NO_SOCKETS = frozenset({404, 405, 501})  # what servers say that don't know WebSockets
_STATUSES = range(_BAD_REQUEST, 600)
_OF_EACH = b"sec-websocket-"  # headers that each of the two connections has for itself
_JSON: Header = (b"content-type", b"application/json")


class Sockets:
    """Takes WebSockets to their upstreams.

    Args:
        settings: of the proxy.
        gate: lets them through.
        watching: is told of their requests.
        number: gives each request its own.
        caution: looks at the models that are asked.
    """

    def __init__(
        self, settings: ProxySettings, gate: Gate, watching: Watching, number: Callable[[], int], caution: Caution
    ) -> None:
        """Nobody has come yet."""
        self._settings = settings
        self._gate = gate
        self._watching = watching
        self._number = number
        self._caution = caution

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        await receive()
        asked = _asked(scope)
        first = asyncio.ensure_future(receive())
        try:
            async with AsyncExitStack() as stack:
                passage, provider = await self._opened(asked, cast("list[str]", scope["subprotocols"]), stack, first)
                place = self._place(asked, passage, provider)
                await send(self._acceptance(place, provider))
                await Line(place, provider, receive, send).talk(first)
        except (Gone, OSError):  # the client hung up
            pass
        except RefusedError as error:
            await self._deny(asked, scope, send, error)
        except DeniedError as error:
            await self._deny(asked, scope, send, *_sent_on(error, asked))
        finally:
            first.cancel()

    async def _opened(
        self, asked: Asked, protocols: list[str], stack: AsyncExitStack, first: asyncio.Future[Message]
    ) -> tuple[Passage, Provider]:
        """Where a connection goes, and its upstream.

        Raises:
            RefusedError, DeniedError: it can't be opened, by us or by the upstream.
            Gone: the client hung up.
        """
        limits = self._settings.max_body_bytes, self._settings.connect_timeout_s
        try:
            passage = self._gate.passage(asked)
            request = Outgoing("GET", passage.upstream, target(asked.path, asked.query), passage.headers, b"")
            provider = await _as_long_as(first, stack.enter_async_context(opened(request, protocols, *limits)))
        except (RefusedError, DeniedError, Gone):
            raise
        except FaithfoldError as error:
            raise _by_http(asked, str(error)) from error
        except Exception as error:  # whatever it was, there is a way without us: by HTTP
            raise _by_http(asked, f"a WebSocket can't be opened, for {where(error)}") from error
        return passage, provider

    def _place(self, asked: Asked, passage: Passage, provider: Provider) -> Place:
        return Place(
            settings=self._settings,
            watching=self._watching,
            caution=self._caution,
            number=self._number,
            asked=asked,
            passage=passage,
            headers=provider.headers,
        )

    def _acceptance(self, place: Place, provider: Provider) -> Message:
        headers = [header for header in downward(provider.headers) if _goes_on(header)]
        if self._settings.answer_headers and place.policy:
            headers.append((OWN_PREFIX + b"policy", place.policy.encode("ascii", "replace")))
        return {"type": "websocket.accept", "subprotocol": provider.protocol, "headers": headers}

    async def _deny(
        self, asked: Asked, scope: Message, send: Send, why: RefusedError, headers: list[Header] | None = None
    ) -> None:
        """Refuses an upgrade, and tells of it."""
        exchange = Exchange(self._number(), time.time(), "GET", asked.path.decode("latin-1"), route(asked.path) or "")
        exchange.status, exchange.bytes_out = why.status, len(why.body)
        exchange.fate, exchange.problem = ("refused", why.why) if headers is None else ("passed", "")
        self._watching.began(exchange)
        if why.status == _BY_HTTP:
            self._watching.notice(f"{why.why}; its clients are told to ask by HTTP")
        with suppress(OSError):
            await _denied(scope, send, why, headers)
        self._watching.ended(exchange)


async def turn_away(scope: Message, receive: Receive, send: Send) -> None:
    """Tells a client to ask by HTTP, where there can't be a WebSocket."""
    await receive()
    await _denied(scope, send, _by_http(_asked(scope), "there is no WebSocket here"))


def _asked(scope: Message) -> Asked:
    """An upgrade, as the request that each of its messages is; without what belongs to its own connection alone."""
    asked = Asked.of({**scope, "method": "POST"})
    small = [(name.lower(), said) for name, said in asked.headers]
    return replace(asked, headers=[header for header in small if _goes_on(header) and header[0] != b"upgrade"])


def _goes_on(header: Header) -> bool:
    """Whether a header is more than a part of the upgrade. There is no body that it could tell of."""
    return _goes_back(header) and header[0].lower() != b"content-encoding"


def _goes_back(header: Header) -> bool:
    """The same in a refusal. Its length is counted anew."""
    name = header[0].lower()
    return not name.startswith(_OF_EACH) and name != b"content-length"


async def _as_long_as(first: asyncio.Future[Message], opening: Coroutine[object, object, Provider]) -> Provider:
    """Opens a connection, as long as the client is there.

    Raises:
        Gone: it hung up.
    """
    task = asyncio.create_task(opening)
    either: list[asyncio.Task[Provider] | asyncio.Future[Message]] = [task, first]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done() and first.result()["type"] == "websocket.disconnect":
            raise Gone
        return await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


def _by_http(asked: Asked, why: str) -> RefusedError:
    return RefusedError(_BY_HTTP, errors.http_only(route(asked.path) or ""), why)


def _sent_on(error: DeniedError, asked: Asked) -> tuple[RefusedError, list[Header] | None]:
    """What the client is told of an upstream's refusal, and its headers if it goes back itself."""
    why = f"the upstream opens no WebSocket: it answered {error.status}"
    if error.status in _NO_SOCKETS or error.status not in _STATUSES:
        return _by_http(asked, why), None
    return RefusedError(error.status, error.body, why), [each for each in downward(error.headers) if _goes_back(each)]


async def _denied(scope: Message, send: Send, why: RefusedError, headers: list[Header] | None = None) -> None:
    """Answers an upgrade with a refusal."""
    if "websocket.http.response" not in cast("Mapping[str, object]", scope.get("extensions") or {}):
        await send({"type": "websocket.close"})
        return
    shown = [_JSON] if headers is None else headers
    await send({"type": "websocket.http.response.start", "status": why.status, "headers": shown})
    await send({"type": "websocket.http.response.body", "body": why.body})
