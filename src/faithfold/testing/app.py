"""The server's application: each request is recorded, routed by its raw path, and answered.

What no dialect claims is echoed: method, target, headers and size as they came, so that a test sees what reached the
provider from what came back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence

from faithfold.core.sizes import estimate_tokens
from faithfold.core.values import as_object
from faithfold.testing import anthropic, openai_chat, openai_responses
from faithfold.testing.answers import Delivery
from faithfold.testing.http import Rendered, document, rendered, respond
from faithfold.testing.line import GoneError, Line, Peer, Receive, Send
from faithfold.testing.model import Model
from faithfold.testing.received import Received
from faithfold.testing.sockets import Inbox, Socket, read
from faithfold.testing.wire import CREATED, Fields, Wire, written

_WIRES: Mapping[bytes, Wire] = {
    b"/v1/messages": anthropic.WIRE,
    b"/chat/completions": openai_chat.WIRE,
    b"/responses": openai_responses.WIRE,
}
"""By the end of the path."""

PEER = "faithfold.peer"
"""Where the state of a scope holds the `Peer`."""


class App:
    """An ASGI application.

    Args:
        model: what answers.
        delivery: how, where an answer doesn't say.
        websockets: whether WebSockets are taken; else they are refused with 426.
        models: the names that `/v1/models` lists.
        keep: how many requests are remembered, the newest; None for all.
    """

    def __init__(
        self, model: Model, delivery: Delivery, *, websockets: bool, models: Sequence[str], keep: int | None
    ) -> None:
        """Nothing has come yet."""
        self.requests: deque[Received] = deque(maxlen=keep)
        self._model = model
        self._delivery = delivery
        self._websockets = websockets
        self._models = models

    async def __call__(self, scope: Mapping[str, object], receive: Receive, send: Send) -> None:
        """Serves one request, or one WebSocket."""
        peer = as_object(scope["state"])[PEER]
        assert isinstance(peer, Peer)  # the server puts it there
        if scope["type"] == "websocket":
            await self._websocket(peer, receive, send)
        else:
            await self._http(peer, receive, send)

    def _received(self, peer: Peer, body: bytes = b"", *, websocket: bool = False) -> Received:
        received = Received(peer.method, peer.target, peer.headers, body, websocket)
        self.requests.append(received)
        return received

    # ------------------------------------------------------------ HTTP

    async def _http(self, peer: Peer, receive: Receive, send: Send) -> None:
        received = self._received(peer)
        with received.answering():
            received.body = await _body(receive)
            gone = asyncio.create_task(_left(receive))
            answer, delivery = self._answer(received)
            await respond(answer, delivery, Line(send, gone, peer.transport), received)

    def _answer(self, received: Received) -> tuple[Rendered, Delivery]:
        wire = next((wire for end, wire in _WIRES.items() if received.path.endswith(end)), None)
        if wire is None or received.method != "POST":
            return self._other(received), self._delivery
        received.asked, answer = self._model.ask(wire, received.json())
        self._model.keep(received.asked, answer)
        return rendered(wire, received.asked, answer), answer.delivery or self._delivery

    def _other(self, received: Received) -> Rendered:
        if received.method == "POST" and received.path.endswith(b"/v1/messages/count_tokens"):
            return document({"input_tokens": estimate_tokens(received.json())}, headers=anthropic.WIRE.headers)
        if received.method == "GET" and received.path.endswith(b"/v1/models"):
            return document(_listed(self._models))
        return document(_echo(received))

    # ------------------------------------------------------------ WebSocket

    async def _websocket(self, peer: Peer, receive: Receive, send: Send) -> None:
        opening = self._received(peer, websocket=True)
        opening.status = 101 if self._websockets else 426
        await receive()
        with opening.answering():
            if not self._websockets:
                await _upgrade_refused(send)
                return
            inbox = Inbox()
            gone = asyncio.create_task(read(receive, inbox))
            line = Line(send, gone, peer.transport)
            await line.send({"type": "websocket.accept"})
            await self._converse(peer, inbox, line)

    async def _converse(self, peer: Peer, inbox: Inbox, line: Line) -> None:
        socket = Socket(self._model, self._delivery, line)
        while (message := await inbox.get()) is not None:
            kind, body = ("text", message.encode()) if isinstance(message, str) else ("bytes", message)
            received = self._received(peer, body, websocket=True)
            with received.answering():
                if received.path.endswith(b"/responses"):
                    await socket.answer(received)
                else:
                    await line.send({"type": "websocket.send", kind: message})


async def _body(receive: Receive) -> bytes:
    """The body of a request.

    Raises:
        GoneError: the client left before it was through.
    """
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise GoneError
        part, more = message.get("body"), message.get("more_body") is True
        body += part if isinstance(part, bytes) else b""
    return bytes(body)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _upgrade_refused(send: Send) -> None:
    error = {"message": "Use HTTP.", "type": "invalid_request_error", "param": None, "code": "upgrade_required"}
    headers = [(b"content-type", b"application/json")]
    await send({"type": "websocket.http.response.start", "status": 426, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": written({"error": error})})


def _echo(received: Received) -> Fields:
    return {
        "method": received.method,
        "target": received.target.decode("latin-1"),
        "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in received.headers],
        "bytes": len(received.body),
    }


def _listed(names: Sequence[str]) -> Fields:
    """The models as both providers list them."""
    listed = [
        {"id": name, "object": "model", "created": CREATED, "owned_by": "fake"}
        | {"type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
        for name in names
    ]
    return {"object": "list", "data": listed, "has_more": False, "first_id": names[0], "last_id": names[-1]}
