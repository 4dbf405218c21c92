"""Answers over HTTP: written in their dialect, cut and coded as the delivery says, and sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from faithfold.testing.answers import Answer, Delivery, Headers, Raw, Refusal, Reply
from faithfold.testing.asked import Asked
from faithfold.testing.codings import packed
from faithfold.testing.line import Line, Message
from faithfold.testing.received import Received
from faithfold.testing.wire import Fields, Wire, frame, written

_JSON: Headers = (("content-type", "application/json"),)
_STREAM: Headers = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))


@dataclass(frozen=True, slots=True)
class Rendered:
    """An answer over HTTP.

    Attributes:
        status, headers: of the answer, but for what the delivery adds.
        pieces: the events of a stream, or a body as one piece.
        whole: whether it is a body, whose length is told.
        ping: a keep-alive that may stand between two events; empty where there is none.
    """

    status: int
    headers: Headers
    pieces: Iterable[bytes]
    whole: bool = False
    ping: bytes = b""


def document(fields: Fields, status: int = 200, headers: Headers = ()) -> Rendered:
    """A JSON body."""
    return Rendered(status, (*_JSON, *headers), [written(fields)], whole=True)


def rendered(wire: Wire, asked: Asked, answer: Answer) -> Rendered:
    """An answer, written in its dialect."""
    match answer:
        case Raw():
            return Rendered(answer.status, answer.headers, answer.chunks)
        case Refusal():
            refused = wire.refused(asked, answer)
            return document(refused.body, refused.status, (*wire.headers, *refused.headers))
        case Reply(breaks=Refusal() as refusal) if not asked.streams:
            return rendered(wire, asked, refusal)
        case Reply() if asked.streams:
            return Rendered(200, (*_STREAM, *wire.headers), map(frame, wire.events(asked, answer)), ping=wire.ping)
        case Reply():
            return document(wire.whole(asked, answer), headers=wire.headers)


async def respond(answer: Rendered, delivery: Delivery, line: Line, received: Received) -> None:
    """Sends an answer as the delivery says.

    Raises:
        GoneError, DroppedError: it was not sent to its end.
    """
    await line.open(delivery)
    received.status = answer.status
    coding: Headers = [("content-encoding", delivery.coding)] if delivery.coding else []
    length, pieces = _measured(packed(_pinged(answer, delivery), delivery.coding), answer)
    headers = [*answer.headers, *coding, *length, *delivery.headers]
    coded = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    await line.send({"type": "http.response.start", "status": answer.status, "headers": coded})
    await line.play(map(_body, _recut(islice(pieces, delivery.die_after), delivery.chunk)), delivery)
    await line.send({"type": "http.response.body", "body": b""})


def _measured(pieces: Iterator[bytes], answer: Rendered) -> tuple[Headers, Iterable[bytes]]:
    """The header that tells the length of a body, and the body as one piece; a stream as it is."""
    if not answer.whole:
        return [], pieces
    body = b"".join(pieces)
    return [("content-length", str(len(body)))], [body]


def _pinged(answer: Rendered, delivery: Delivery) -> Iterator[bytes]:
    for number, piece in enumerate(answer.pieces):
        if number and answer.ping:
            yield from [answer.ping] * delivery.pings
        yield piece


def _recut(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in chunks of one size, wherever that cuts; as they are where there is none."""
    if not size:
        yield from pieces
        return
    rest = b""
    for piece in pieces:
        rest += piece
        full = len(rest) - len(rest) % size
        yield from (rest[start : start + size] for start in range(0, full, size))
        rest = rest[full:]
    if rest:
        yield rest


def _body(chunk: bytes) -> Message:
    return {"type": "http.response.body", "body": chunk, "more_body": True}
