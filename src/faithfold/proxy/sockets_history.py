"""What a WebSocket of the Responses API shows of its histories: what is asked, what is told, what is behind a response.

The idea: a request brings what is new and names the response that it goes on from. So what it goes on from is what was
asked for that response, and what was answered; both went by here. Nothing is kept but the items' own bytes.

Invariant: a history is whole, or it isn't known at all. It is bounded, whatever either side sends.

Source: spec 90-decisions, Proxy (WebSocket); fault B102; the API's reference, `response.create` over a WebSocket.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from faithfold.core.values import as_object, as_text
from faithfold.engine.store import PrefixEntry
from faithfold.wire import split

DIALECT = "openai-responses"

_CREATE = "response.create"
_INPUT = "input"
_PREVIOUS = "previous_response_id"
_MOST = 64  # responses that are remembered: a connection has few conversations, and each goes on from its newest

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled", "error"})
_TELLING = re.compile(
    r'"type"\s*:\s*"(?:response\.(?:created|completed|incomplete|failed|cancelled|output_item\.done)|error)"'
)


@dataclass(frozen=True, slots=True)
class History:
    """Items in order, as the client knows them.

    Attributes:
        items: the bytes of each.
        size: of all, in bytes.
        standing: what stands for their beginning at the provider; None: it has them as they are.
    """

    items: tuple[bytes, ...] = ()
    size: int = 0
    standing: PrefixEntry | None = None

    def then(self, items: Sequence[bytes]) -> History:
        """With more items, that the provider was sent or has sent."""
        return replace(self, items=(*self.items, *items), size=self.size + sum(map(len, items)))


# ---------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class Create:
    """A request for a response.

    Attributes:
        rest: its JSON, with no items in it.
        about: the same, read.
        items: the bytes of those that are new; None where they can't be told.
    """

    rest: bytes
    about: Mapping[str, object]
    items: tuple[bytes, ...] | None

    @property
    def previous(self) -> str:
        """The response that it goes on from; empty where it brings its whole history."""
        return as_text(self.about.get(_PREVIOUS))

    @property
    def lane(self) -> str:
        """Answers to requests of one lane come one after the other; those of several may come at once."""
        return as_text(self.about.get("stream_id"))

    @property
    def warms_up(self) -> bool:
        """Whether nothing is to be said yet."""
        prewarms = as_object(self.about.get("prompt_cache_options")).get("prewarm")
        return self.about.get("generate") is False or prewarms is True

    @property
    def stored(self) -> bool:
        """Whether the provider is to keep the response for other connections."""
        return self.about.get("store") is not False

    def history(self, before: History | None) -> History | None:
        """All that it asks on, or None where that isn't known.

        Args:
            before: what is behind the response that it names, if that is known.
        """
        if self.items is None or self.about.get("conversation") or (self.about.get(_PREVIOUS) and before is None):
            return None
        return (before or History()).then(self.items)

    def whole(self, history: History) -> bytes:
        """The same request with its whole history: all other fields as they came, and no response named.

        Raises:
            msgspec.DecodeError: it can't be cut into fields.
        """
        fields = msgspec.json.decode(self.rest, type=dict[str, msgspec.Raw])
        fields.pop(_PREVIOUS, None)
        return b"{%b}" % b",".join(
            b"%b:%b" % (json.dumps(name).encode(), b"[%b]" % b",".join(history.items) if name == _INPUT else bytes(raw))
            for name, raw in fields.items()
        )


def read_create(message: bytes) -> Create | None:
    """The request in a message of the client, or None where it is none.

    Args:
        message: as it came.
    """
    if _CREATE.encode() not in message:
        return None
    body = split(message, _INPUT)
    rest = message if body is None else body.rest
    about = _read(rest)
    if about.get("type") != _CREATE:
        return None
    items = _said(about.get(_INPUT)) if body is None else tuple(map(body.message, range(len(body.messages))))
    return Create(rest, about, items)


def kind_of(message: bytes) -> str:
    """The type of a message; that of a request where it may be one that only others can read; else empty."""
    return as_text(_read(message).get("type")) or (_CREATE if _CREATE.encode() in message else "")


def _said(text: object) -> tuple[bytes, ...] | None:
    """A bare text as the item that it is short for."""
    if not isinstance(text, str):
        return None
    return (json.dumps({"type": "message", "role": "user", "content": text}, separators=(",", ":")).encode(),)


def _read(message: bytes) -> Mapping[str, object]:
    try:
        return as_object(json.loads(message))
    except (ValueError, RecursionError):
        return {}


# ---------------------------------------------------------------- what is told


class Response(msgspec.Struct, frozen=True):
    """A response, in an event: its id, the one that it goes on from, whether it is stored, its items."""

    id: str = ""
    previous_response_id: str | None = None
    store: bool | None = None
    output: list[msgspec.Raw] | None = None


class Event(msgspec.Struct, frozen=True):
    """An event that the provider tells: its type, the lane, the status of an error, the response or the item in it."""

    type: str = ""
    stream_id: str | None = None
    status: int | str | None = None
    response: Response | None = None
    item: msgspec.Raw = msgspec.Raw()

    @property
    def lane(self) -> str:
        """The lane of the request that it answers."""
        return self.stream_id or ""

    @property
    def refusal(self) -> int | None:
        """The status that a refusal has; None where it is an error in a stream."""
        return self.status if isinstance(self.status, int) else None

    @property
    def id(self) -> str:
        """The response in it; empty where there is none."""
        return "" if self.response is None else self.response.id

    @property
    def is_last(self) -> bool:
        """Whether nothing of an answer follows it."""
        return self.type in _LAST

    @property
    def is_answer(self) -> bool:
        """Whether it belongs to an answer; others tell of the connection."""
        return self.type == "error" or self.type.startswith("response.")


_events = msgspec.json.Decoder(Event)


def read_event(message: str, *, closely: bool) -> Event | None:
    """The event in a message, or None where it is of no interest, or none that can be read.

    Args:
        message: as it came.
        closely: whether any event is of interest; else only those that tell what becomes of a response.
    """
    if not closely and not _TELLING.search(message):
        return None
    try:
        return _events.decode(message)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


class _Item(msgspec.Struct, frozen=True):
    type: str = ""
    encrypted_content: str | None = None


def can_be_sent(items: Iterable[bytes]) -> bool:
    """Whether items of an answer that nobody stores can be sent again: not where a thought is only an id."""
    try:
        read = [msgspec.json.decode(item, type=_Item) for item in items]
    except msgspec.MsgspecError:
        return False
    return all(item.type != "reasoning" or item.encrypted_content for item in read)


# ---------------------------------------------------------------- what is remembered


class Seen:
    """What is behind each response of a connection, the least recently told out first.

    Args:
        limit: how large all of it may be, in bytes; what histories share counts for each.
    """

    def __init__(self, limit: int) -> None:
        """Nothing was told yet."""
        self._limit = limit
        self._size = 0
        self._histories: OrderedDict[str, History] = OrderedDict()

    def behind(self, response: str) -> History | None:
        """What is behind a response, or None where that isn't known."""
        return self._histories.get(response)

    def add(self, response: str, history: History) -> None:
        """Remembers what is behind a response."""
        self._size += history.size - self._histories.pop(response, History()).size
        self._histories[response] = history
        while self._size > self._limit or len(self._histories) > _MOST:
            self._size -= self._histories.popitem(last=False)[1].size

    def forget(self) -> None:
        """Remembers nothing: somebody else may have changed what is behind a response."""
        self._histories.clear()
        self._size = 0
