"""What a dialect's wire format is to this server: how a reply, a stream and a refusal are written.

An event is a name and its data. Over HTTP it is a frame of server-sent events, over a WebSocket its data alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from faithfold.core.sizes import estimate_tokens
from faithfold.testing.answers import Call, Headers, Refusal, Reply, Trouble
from faithfold.testing.asked import Asked, Tool

Fields = Mapping[str, object]
Event = tuple[str, object]
"""The name of an event (empty where the dialect names none) and its data."""

CREATED = 1_767_225_600
"""When everything was created: seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Words:
    """How a provider refuses. `message` may name `{tokens}` and `{window}`."""

    status: int
    kind: str
    message: str
    code: str | None = None
    param: str | None = None
    headers: Headers = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal, written: the whole body, and the error alone, as streams carry it."""

    status: int
    headers: Headers
    body: Fields
    error: Fields = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Wire:
    """One dialect's wire format.

    Attributes:
        dialect: its name in faithfold.
        whole: the body of an answer that is no stream.
        events: the events of a stream.
        refused: a refusal.
        tools: the tools that a body offers.
        ping: a keep-alive, as it stands between two events.
        headers: of each answer.
    """

    dialect: str
    whole: Callable[[Asked, Reply], Fields]
    events: Callable[[Asked, Reply], Iterator[Event]]
    refused: Callable[[Asked, Refusal], Refused]
    tools: Callable[[Mapping[str, object]], Iterator[Tool]]
    ping: bytes
    headers: Headers


def worded(words: Mapping[Trouble, Words], asked: Asked, refusal: Refusal) -> Words:
    """The words of a refusal, with its own message, status and headers where it has some."""
    own = words[refusal.trouble]
    message = refusal.message or own.message.format(tokens=asked.tokens, window=_window(asked))
    headers = (*own.headers, *refusal.headers)
    return Words(refusal.status or own.status, own.kind, message, own.code, own.param, headers)


def _window(asked: Asked) -> int:
    """The window that the message names; where there is none, one that the request just exceeds."""
    return asked.tokens - 1 if asked.window is None else asked.window


def sizes(asked: Asked, reply: Reply) -> tuple[int, int]:
    """The tokens that `usage` reports, of the request and of the reply."""
    told = [reply.text, reply.thinking, *([call.name, call.arguments] for call in reply.calls)]
    return asked.tokens if reply.tokens_in is None else reply.tokens_in, estimate_tokens(told)


def arguments_text(call: Call) -> str:
    """The arguments as their JSON text; the input of a custom tool as it is."""
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def words_of(text: str) -> list[str]:
    """The text cut into the deltas of a stream, each word with the space after it."""
    return re.findall(r"\s*\S+\s*|\s+", text)


def slices(text: str, length: int = 9) -> Iterator[str]:
    """The text cut into deltas of one length, as arguments come."""
    return (text[start : start + length] for start in range(0, len(text), length))


def written(value: object) -> bytes:
    """JSON as providers write it: no spaces, UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def frame(event: Event) -> bytes:
    """An event as a frame of server-sent events; data that is a text stands as it is (`[DONE]`)."""
    name, data = event
    head = b"event: " + name.encode() + b"\n" if name else b""
    return head + b"data: " + (data.encode() if isinstance(data, str) else written(data)) + b"\n\n"
