"""What is measured: a request through our engine, through the reference, and through JSON's reader alone.

CPU time in milliseconds. The three take turns, on the same bytes.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median

import faithfold as ff
from benchmarks.histories import KEYS, History
from tests.parity.oracle import Engine as ReferenceEngine

SETTINGS = ff.EngineSettings()


@dataclass(frozen=True)
class Costs:
    """What requests of one history cost, in milliseconds.

    Attributes:
        size: of the body, in bytes.
        cold, reference_cold: the first request, with the whole history in it.
        warm, reference, loads: a request with one step more than the one before: medians. `loads` reads the body only.
        again: the same request a second time.
        appended: what each message that is new costs in a warm request.
        recognition: what our engine takes to recognise messages, in bytes.
    """

    size: int
    cold: float
    reference_cold: float
    warm: float
    reference: float
    loads: float
    again: float
    appended: float
    recognition: int


class Ours:
    """Our engine, from bytes to bytes."""

    def __init__(self, dialect: str) -> None:
        """An engine that has seen nothing."""
        self.engine = ff.Engine(SETTINGS)
        self._dialect = dialect

    def send(self, body: bytes) -> bytes:
        """What is sent in place of a body."""
        return self.engine.prepare(body, self._dialect).body


class Reference:
    """The reference's engine, read and written as its proxy does."""

    def __init__(self, dialect: str) -> None:
        """An engine that has seen nothing."""
        self._engine = ReferenceEngine(SETTINGS)
        self._dialect = dialect

    def send(self, body: bytes) -> bytes:
        """What is sent in place of a body."""
        request: dict[str, object] = json.loads(body)
        sent = self._engine.prepare(request, self._dialect)
        if not sent.modified:
            return body
        return json.dumps({**request, KEYS[self._dialect]: sent.messages}, ensure_ascii=False).encode()


def milliseconds(work: Callable[[], object]) -> float:
    """The CPU time that some work takes."""
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


def costs(history: History, steps: int, rounds: int) -> Costs:
    """Measures requests of a history that has `steps` steps, and one more in each round."""
    ours, reference = Ours(history.dialect), Reference(history.dialect)
    body = history.body(steps)
    cold = milliseconds(lambda: ours.send(body))
    reference_cold = milliseconds(lambda: reference.send(body))
    times = [_turn(history.body(steps + number), ours, reference) for number in range(1, rounds + 1)]
    warm, again, theirs, loads = (median(column) for column in zip(*times, strict=True))
    new = 3 if history.dialect == "openai-responses" else 2
    appended = median((first - second) / new for first, second, _, _ in times)
    return Costs(len(body), cold, reference_cold, warm, theirs, loads, again, appended, ours.engine.recognition.size)


def _turn(body: bytes, ours: Ours, reference: Reference) -> tuple[float, float, float, float]:
    return (
        milliseconds(lambda: ours.send(body)),
        milliseconds(lambda: ours.send(body)),
        milliseconds(lambda: reference.send(body)),
        milliseconds(lambda: json.loads(body)),
    )


def peak(send: Callable[[bytes], object], body: bytes) -> int:
    """The most memory that two requests with the same body take besides it, in bytes."""
    tracemalloc.start()
    send(body)
    send(body)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def session(history: History, steps: int, engine: Ours | Reference) -> list[float]:
    """The cost of a session so far, in seconds, after each of its requests, which have 1 to `steps` steps."""
    total, totals = 0.0, list[float]()
    for count in range(1, steps + 1):
        body = history.body(count)
        total += milliseconds(partial(engine.send, body)) / 1000
        totals.append(total)
    return totals
