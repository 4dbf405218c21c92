"""Spans, as OpenTelemetry's own SDK takes them; and nothing at all where there is no SDK."""

from __future__ import annotations

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler
from opentelemetry.trace import SpanKind, StatusCode

from faithfold.proxy.events import event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.spans import Spans
from tests.exchanges import LABEL, compacted, exchange


class Exported:
    """Spans, and what an SDK exports of them."""

    def __init__(self, sampler: Sampler = ALWAYS_ON) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(sampler, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.spans = Spans("1.2.3", self.provider)

    def watch(self, *exchanges: Exchange) -> list[ReadableSpan]:
        """Each begins, is decided on, and ends."""
        for each in exchanges:
            self.spans.began(each)
            self.spans.decided(event_of(each, "decided"))
            self.spans.ended(event_of(each, "ended"))
        return list(self.exporter.get_finished_spans())


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_an_exchange_is_a_span_with_conventional_names() -> None:
    told = compacted(first_byte=0.5, overhead=0.002, bytes_in=900, bytes_up=400, bytes_out=50)
    (span,) = Exported().watch(told)
    made = told.decision
    assert made is not None
    assert (span.name, span.kind, span.start_time) == ("chat claude", SpanKind.CLIENT, 1_000 * 10**9)
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span) == {
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude",
        "gen_ai.conversation.id": LABEL,
        "gen_ai.response.time_to_first_chunk": 0.5,
        "faithfold.fate": "compacted",
        "faithfold.policy": "cliff",
        "faithfold.shadow": False,
        "faithfold.modified": True,
        "faithfold.compacted": True,
        "faithfold.over_budget": made.over_budget,
        "faithfold.rung": 0,
        "faithfold.cut": made.cut,
        "faithfold.prefix": "new",
        "faithfold.tokens_in": made.tokens_in,
        "faithfold.tokens_out": made.tokens_out,
        "faithfold.tries": 1,
        "faithfold.bytes_in": 900,
        "faithfold.bytes_up": 400,
        "faithfold.bytes_out": 50,
        "faithfold.overhead_ms": 2.0,
        "faithfold.problem": "",
    }


def test_each_decision_is_an_event_of_the_span() -> None:
    exported = Exported()
    told = compacted(tries=0)
    exported.spans.began(told)
    for tries in (0, 1):
        told.tries = tries
        exported.spans.decided(event_of(told, "decided"))
    exported.spans.ended(event_of(told, "ended"))
    (span,) = exported.exporter.get_finished_spans()
    assert [event.name for event in span.events] == ["faithfold.decision"] * 2
    assert all((event.attributes or {})["faithfold.fate"] == "compacted" for event in span.events)


def test_what_was_only_passed_on_has_no_model() -> None:
    (span,) = Exported().watch(exchange(method="GET", status=404))
    assert span.name == "pass through"
    assert [name for name in attributes(span) if name.startswith("gen_ai")] == []
    assert span.status.status_code is StatusCode.UNSET


def test_what_failed_is_an_error() -> None:
    exported = Exported()
    exported.watch(
        compacted(1, status=529),
        compacted(2, problem="the answer broke off"),
        exchange(3, fate="failed"),
        exchange(4, fate="refused", status=400, problem="too large"),
    )
    spans = exported.exporter.get_finished_spans()
    assert [attributes(span).get("error.type") for span in spans] == ["529", "compacted", "failed", None]
    assert [span.status.status_code.name for span in spans] == ["ERROR", "ERROR", "ERROR", "UNSET"]
    assert spans[1].status.description == "the answer broke off"


def test_exchanges_at_the_same_time_have_their_own_spans() -> None:
    exported = Exported()
    one, other = compacted(1, model="one"), compacted(2, model="other")
    for each in (one, other):
        exported.spans.began(each)
    for each in (other, one):
        exported.spans.ended(event_of(each, "ended"))
    assert [span.name for span in exported.exporter.get_finished_spans()] == ["chat other", "chat one"]


def test_a_span_that_is_current_becomes_the_parent() -> None:
    exported = Exported()
    with exported.provider.get_tracer("theirs").start_as_current_span("theirs") as theirs:
        (ours,) = exported.watch(compacted())
    assert ours.parent == theirs.get_span_context()


def test_what_is_not_sampled_is_not_described() -> None:
    assert Exported(ALWAYS_OFF).watch(compacted()) == []


def test_without_an_sdk_nothing_happens() -> None:
    spans = Spans("1.2.3")
    spans.began(compacted())
    spans.decided(event_of(compacted(), "decided"))
    spans.ended(event_of(compacted(), "ended"))


def test_an_exchange_that_never_began_is_no_span() -> None:
    exported = Exported()
    exported.spans.decided(event_of(compacted(), "decided"))
    exported.spans.ended(event_of(compacted(), "ended"))
    assert exported.exporter.get_finished_spans() == ()
