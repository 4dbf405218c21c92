"""Metrics of one app, for Prometheus.

Each app has its own registry, so that two in one process don't meet. Invariant: a label's values are names of ours, so
no client can make more series; children are bound once.

Source: spec 40-proxy, What a person sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from faithfold.dialects import DIALECTS
from faithfold.proxy.events import Event
from faithfold.resending import Engine

_PREFIX = "faithfold_"
_NONE = "none"  # no dialect, no answer
_OVERHEAD = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_FIRST_BYTE = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320)  # seconds: models think long
_ANSWERS = range(100, 600)


class Metrics:
    """Counts what ended.

    Args:
        engine: whose memory is gauged.
        in_flight: how many exchanges go on now.
    """

    def __init__(self, engine: Engine, in_flight: Callable[[], float]) -> None:
        """Nothing counted yet."""
        self._registry = CollectorRegistry()
        self._requests = self._counter("requests", "Requests that ended.", "dialect", "fate", "status")
        self._compactions = self._counter("compactions", "Requests that were compacted.", "rung")
        self._tokens_in = self._counter("tokens_in", "Estimated tokens as they came.")
        self._tokens_out = self._counter("tokens_out", "Estimated tokens as decided.")
        self._replays = self._counter("replays", "More requests to a provider, after overflows.")
        self._over = self._counter("over_budget", "Requests sent though over the threshold.")
        moved = self._counter("bytes", "Bytes of bodies: from clients, to providers, back.", "way")
        self._bytes_in, self._bytes_up, self._bytes_out = (moved.labels(way) for way in ("in", "up", "out"))
        self._overhead = self._histogram("overhead_seconds", "Deciding and writing.", _OVERHEAD)
        self._first_byte = self._histogram("first_byte_seconds", "Until the answer's first byte.", _FIRST_BYTE)
        self._bound: dict[tuple[str, ...], Counter] = {}
        self._gauge("in_flight", "Requests that go on now.", in_flight)
        self._gauge("recognition_bytes", "Memory of messages seen before.", lambda: engine.recognition.size)
        self._gauge("store_bytes", "Memory of earlier compactions.", lambda: engine.store.size)
        self._gauge("store_entries", "Earlier compactions that are remembered.", lambda: len(engine.store))

    def ended(self, event: Event) -> None:
        """An exchange is over."""
        dialect = event.dialect if event.dialect in DIALECTS else _NONE
        answer = f"{event.status // 100}xx" if event.status in _ANSWERS else _NONE
        self._child(self._requests, dialect, event.fate, answer).inc()
        if event.compacted:
            self._child(self._compactions, str(event.rung)).inc()
        self._tokens_in.inc(event.tokens_in)
        self._tokens_out.inc(event.tokens_out)
        self._replays.inc(max(0, event.tries - 1))
        self._over.inc(event.over_budget and event.fate != "refused")
        self._bytes_in.inc(event.bytes_in)
        self._bytes_up.inc(event.bytes_up)
        self._bytes_out.inc(event.bytes_out)
        self._overhead.observe(event.overhead_ms / 1_000)
        if event.first_byte_ms is not None:
            self._first_byte.observe(event.first_byte_ms / 1_000)

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self._registry)

    def _child(self, counter: Counter, *labels: str) -> Counter:
        """The counter of these labels. Two counters never have the same number of labels."""
        found = self._bound.get(labels)
        if found is None:
            found = self._bound[labels] = counter.labels(*labels)
        return found

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(_PREFIX + name, about, labels, registry=self._registry)

    def _histogram(self, name: str, about: str, edges: Sequence[float]) -> Histogram:
        return Histogram(_PREFIX + name, about, buckets=edges, registry=self._registry)

    def _gauge(self, name: str, about: str, value: Callable[[], float]) -> None:
        Gauge(_PREFIX + name, about, registry=self._registry).set_function(value)
