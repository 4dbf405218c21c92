"""What a script can answer: a reply of the model, a refusal, or bytes as they stand; and how that is delivered.

All are values without a wire format: each dialect writes them its own way. What goes wrong on the way (slow chunks,
a death in mid-stream) is a `Delivery` and belongs to any answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from faithfold.core.errors import SettingsError
from faithfold.testing.codings import CODINGS

Headers = Sequence[tuple[str, str]]

Trouble = Literal[
    "overflow", "too large", "invalid", "unknown response", "rate limit", "quota", "server error", "overloaded"
]
"""Why a provider refuses: the context is too long (400), the body is too large (413), the request is illegal (400),
its `previous_response_id` is not known (400), too many requests (429), nothing left to spend (429; Anthropic: 400),
something broke (500), too busy (529; OpenAI: 503)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """How an answer goes over the wire, and what goes wrong there.

    Attributes:
        delay: seconds before anything is answered; `math.inf` never answers.
        pause: seconds between two chunks.
        pings: how many keep-alives are put between two events.
        chunk: bytes in a chunk, whatever they cut apart: events, UTF-8 characters; 0 sends each event as a chunk.
        coding: `content-encoding` of the answer: `"gzip"`, `"deflate"`, `"br"` or `"zstd"`; empty for none.
        headers: added to the answer's own, repeats kept (several `set-cookie`, hop-by-hop headers).
        die_after: the connection is dropped after this many events; a body that is no stream is one event.
        hang_up: the connection is dropped without an answer.

    Over a WebSocket `chunk`, `coding`, `pings` and `headers` mean nothing.

    Raises:
        SettingsError: the coding is unknown.
    """

    delay: float = 0.0
    pause: float = 0.0
    pings: int = 0
    chunk: int = 0
    coding: str = ""
    headers: Headers = ()
    die_after: int | None = None
    hang_up: bool = False

    def __post_init__(self) -> None:
        """Refuses what can't be written."""
        if self.coding and self.coding not in CODINGS:
            raise SettingsError(f"unknown coding {self.coding!r}; known: {', '.join(CODINGS)}")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call.

    Attributes:
        name: of the tool.
        arguments: an object; or a text, the input of a custom tool.
        namespace: where the tool is defined in one (Responses).
    """

    name: str
    arguments: Mapping[str, object] | str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The provider refuses, in the words of its dialect.

    Attributes:
        trouble: why.
        message: the provider's own by default.
        status: the provider's own by default.
        headers: added to the provider's own (`retry-after`, rate limits).
        delivery: how it goes over the wire; the provider's setting by default.
    """

    trouble: Trouble
    message: str = ""
    status: int = 0
    headers: Headers = ()
    delivery: Delivery | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's turn.

    Attributes:
        text: what it says.
        thinking: what it thinks before; Chat Completions carry it as `reasoning_content`.
        calls: the tools that it calls, at once.
        breaks: the stream ends with this error, after the content; without any content it is an error inside a 200
            before anything was said. An answer that is no stream is refused with it.
        tokens_in: the size of the request that `usage` reports; what was counted by default.
        delivery: how it goes over the wire; the provider's setting by default.
    """

    text: str = ""
    thinking: str = ""
    calls: Sequence[Call] = ()
    breaks: Refusal | None = None
    tokens_in: int | None = None
    delivery: Delivery | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer as it stands: any status, headers and chunks, for what no dialect would say.

    Without a `content-length` of its own it is sent chunked.
    """

    chunks: Sequence[bytes]
    status: int = 200
    headers: Headers = (("content-type", "application/json"),)
    delivery: Delivery | None = None


Answer = Reply | Refusal | Raw
