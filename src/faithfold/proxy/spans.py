"""OpenTelemetry spans: one for each exchange, with an event for each decision.

Only the API is used, so they cost next to nothing unless the user has set up an SDK. Names are those of the semantic
conventions for generative AI where there is one; what is ours begins with `faithfold.`. A span that is current when a
request comes becomes its parent.

Source: spec 40-proxy, What a person sees; https://opentelemetry.io/docs/specs/semconv/gen-ai/.
"""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from faithfold.proxy.events import Event
from faithfold.proxy.exchange import Exchange

_PROVIDERS: Mapping[str, str] = {"anthropic": "anthropic", "openai": "openai", "openai-responses": "openai"}
_DECIDED = (
    "fate",
    "shadow",
    "modified",
    "compacted",
    "over_budget",
    "rung",
    "cut",
    "prefix",
    "tokens_in",
    "tokens_out",
)
_ENDED = (*_DECIDED, "policy", "tries", "bytes_in", "bytes_up", "bytes_out", "overhead_ms", "problem")
_NANOSECONDS = 1_000_000_000
_SERVER_ERROR = 500

Attribute = str | bool | int | float


class Spans:
    """The spans of the exchanges that go on.

    Args:
        provider: who takes them; by default the one that the user has set up for the process, if any.
    """

    def __init__(self, version: str, provider: TracerProvider | None = None) -> None:
        """No spans yet."""
        self._tracer = trace.get_tracer("faithfold", version, provider)
        self._open: dict[int, Span] = {}

    def began(self, exchange: Exchange) -> None:
        """A request came."""
        start = int(exchange.began * _NANOSECONDS)
        self._open[exchange.number] = self._tracer.start_span("faithfold", kind=SpanKind.CLIENT, start_time=start)

    def decided(self, event: Event) -> None:
        """A decision was made."""
        span = self._open.get(event.number)
        if span is not None and span.is_recording():
            span.add_event("faithfold.decision", _ours(event, _DECIDED))

    def ended(self, event: Event) -> None:
        """An exchange is over."""
        span = self._open.pop(event.number, None)
        if span is None:
            return
        if span.is_recording():
            _describe(span, event)
        span.end()


def _describe(span: Span, event: Event) -> None:
    span.update_name(f"chat {event.model}".strip() if event.dialect else "pass through")
    span.set_attributes({**_conventional(event), **_ours(event, _ENDED)})
    if event.failed or event.status >= _SERVER_ERROR:
        span.set_attribute("error.type", str(event.status) if event.status >= _SERVER_ERROR else event.fate)
        span.set_status(Status(StatusCode.ERROR, event.problem or None))


def _conventional(event: Event) -> dict[str, Attribute]:
    """What the conventions have a name for; what isn't known is left out."""
    attributes: dict[str, Attribute] = {
        "http.request.method": event.method,
        "http.response.status_code": event.status,
        "gen_ai.operation.name": "chat" if event.dialect else "",
        "gen_ai.provider.name": _PROVIDERS.get(event.dialect, ""),
        "gen_ai.request.model": event.model,
        "gen_ai.conversation.id": event.session,
    }
    if event.first_byte_ms is not None:
        attributes["gen_ai.response.time_to_first_chunk"] = event.first_byte_ms / 1_000
    return {name: value for name, value in attributes.items() if value}


def _ours(event: Event, names: tuple[str, ...]) -> dict[str, Attribute]:
    return {f"faithfold.{name}": getattr(event, name) for name in names}
