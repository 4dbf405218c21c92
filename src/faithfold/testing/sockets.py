"""The Responses API over a WebSocket: each `response.create` is a request, its events are messages.

A connection remembers its latest response, whether that was stored or not; a request goes on from it, or from a
stored one, by `previous_response_id`. One that names another is refused, and a refused one is forgotten, as at OpenAI.
A WebSocket on any other path echoes what it is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice

from faithfold.core.values import as_object, as_text
from faithfold.testing import openai_responses
from faithfold.testing.answers import Answer, Delivery, Raw, Refusal, Reply
from faithfold.testing.asked import Asked
from faithfold.testing.line import Line, Receive
from faithfold.testing.model import History, Model
from faithfold.testing.received import Received
from faithfold.testing.wire import written

Inbox = asyncio.Queue[str | bytes | None]


async def read(receive: Receive, inbox: Inbox) -> None:
    """Puts each message into the inbox, and None when the client is gone."""
    while (message := await receive())["type"] == "websocket.receive":
        data = message.get("bytes")
        inbox.put_nowait(bytes(data) if isinstance(data, (bytes, bytearray)) else as_text(message.get("text")))
    inbox.put_nowait(None)


class Socket:
    """One connection to the Responses API.

    Args:
        model: what answers.
        delivery: how, where an answer doesn't say.
        line: the connection.
    """

    def __init__(self, model: Model, delivery: Delivery, line: Line) -> None:
        """Nothing is remembered yet."""
        self._model = model
        self._delivery = delivery
        self._line = line
        self._latest: History = {}

    async def answer(self, received: Received) -> None:
        """Answers one message.

        Raises:
            GoneError, DroppedError: it was not answered to the end.
        """
        asked, answer = self._ask(as_object(received.json()))
        received.asked = asked
        delivery = answer.delivery or self._delivery
        await self._line.open(delivery)
        received.status, texts = _told(asked, answer)
        messages = ({"type": "websocket.send", "text": text} for text in texts)
        await self._line.play(islice(messages, delivery.die_after), delivery)

    def _ask(self, body: Mapping[str, object]) -> tuple[Asked, Answer]:
        if body.get("type") != "response.create":
            known = Refusal("invalid", message="The only message that is known is 'response.create'.")
            return Asked(openai_responses.WIRE.dialect, body, 0), known
        asked, answer = self._model.ask(openai_responses.WIRE, body, self._latest)
        left = self._model.keep(asked, answer)
        previous = as_text(body.get("previous_response_id"))
        self._latest = left or {name: told for name, told in self._latest.items() if name != previous}
        return asked, answer


def _told(asked: Asked, answer: Answer) -> tuple[int, Iterable[str]]:
    """The status of an answer, and its messages."""
    match answer:
        case Raw():
            return answer.status, (chunk.decode() for chunk in answer.chunks)
        case Refusal():
            refused = openai_responses.refused(asked, answer)
            told = {"type": "error", "status": refused.status, "error": refused.error, "headers": dict(refused.headers)}
            return refused.status, [written(told).decode()]
        case Reply():
            return 200, (written(data).decode() for _, data in openai_responses.events(asked, answer))
