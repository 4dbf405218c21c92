"""The proxy's own pages, under `/__faithfold__/`: status (JSON), events (a live feed), metrics (Prometheus).

Invariant: whoever may not see them sees nothing: access is judged before anything else, for every page, method and
kind of connection. Nothing is cached, nothing is guessed, and no other site is let in. No request changes anything.

Source: spec 40-proxy, What a person sees and Safety; fault B124.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import parse_qs

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from faithfold.proxy.events import Subscription, Told
from faithfold.proxy.watching import Watching

ROOT = "/__faithfold__/"

Allowed = Callable[[Scope], str | None]
"""Why a request may not see the pages, in one line; None where it may."""

_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_LONGEST_ID = 16  # digits


class Pages:
    """An ASGI app for all that is under `ROOT`.

    Args:
        watching: what is shown.
        allowed: who may see it.
    """

    def __init__(self, watching: Watching, allowed: Allowed) -> None:
        """Shows nothing yet."""
        self._watching = watching
        self._allowed = allowed
        self._pages: Mapping[str, Callable[[Scope, Receive, Send], Awaitable[None]]] = {
            ROOT + "status": self._status,
            ROOT + "events": self._events,
            ROOT + "metrics": self._metrics,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request. A WebSocket is refused as any other thing that isn't there."""
        page = self._pages.get(scope["path"])
        refused = self._allowed(scope)
        if refused is not None:
            await _error(403, refused)(scope, receive, send)
        elif page is None:
            await _error(404, f"there is no such page; there are {', '.join(self._pages)}")(scope, receive, send)
        elif scope.get("method") != "GET":
            await _error(405, "expected GET", allow="GET")(scope, receive, send)
        else:
            await page(scope, receive, send)

    async def _status(self, scope: Scope, receive: Receive, send: Send) -> None:
        content = self._watching.status.to_json(time.time())
        await JSONResponse(content, headers=_HEADERS)(scope, receive, send)

    async def _metrics(self, scope: Scope, receive: Receive, send: Send) -> None:
        content = self._watching.metrics.text()
        await Response(content, headers=_HEADERS, media_type=CONTENT_TYPE_LATEST)(scope, receive, send)

    async def _events(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The recent events and then each as it comes, until the client goes or the events are closed."""
        with self._watching.events.subscribe(_since(scope)) as subscription:
            feed = StreamingResponse(_feed(subscription), headers=_HEADERS, media_type="text/event-stream")
            await feed(scope, receive, send)


async def _feed(subscription: Subscription) -> AsyncIterator[str]:
    async for told in subscription:
        yield _message(told)


def _message(told: Told) -> str:
    """An event as the feed has it. What was dropped has no id: a client goes on from the last one that it has."""
    data = f"data: {json.dumps(told, separators=(',', ':'))}\n\n"
    return f"id: {told['id']}\n{data}" if "id" in told else data


def _since(scope: Scope) -> int:
    """After which event the feed is to begin: `?since=N`, or where a client that lost its connection goes on."""
    asked = parse_qs(scope["query_string"].decode("latin-1")).get("since", [""])[-1]
    text = asked or Headers(scope=scope).get("last-event-id", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < _LONGEST_ID else 0


def _error(status: int, reason: str, **headers: str) -> Response:
    return JSONResponse({"error": reason}, status, {**_HEADERS, **headers})
