"""What is remembered of messages seen before: what is in use stays, and the memory is bounded."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from faithfold.engine.options import EngineSettings
from faithfold.engine.recognition import Known, Recognition, Stretch
from faithfold.resending import Engine
from tests.pieces import says, use, user
from tests.resending import body_of, wire


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def known(number: int) -> Known:
    return Known(f"digest {number}", number)


def test_what_was_seen_is_known() -> None:
    memory = Recognition(1_000_000)
    assert (memory.get(key(1)), memory.size) == (None, 0)
    memory.put(key(1), known(1))
    memory.put(key(2), known(2))
    assert (memory.get(key(1)), memory.get(key(2)), memory.get(key(3))) == (known(1), known(2), None)


def test_messages_and_stretches_are_not_taken_for_each_other() -> None:
    memory = Recognition(1_000_000)
    stretch = Stretch(0, [(1, 2)], [known(1)], ["link"])
    memory.put(key(1), known(1))
    memory.put(key(2), stretch)
    assert (memory.stretch(key(1)), memory.get(key(2)), memory.stretch(key(2))) == (None, None, stretch)


def test_it_never_grows_past_its_bound() -> None:
    memory = Recognition(100_000)
    for number in range(10_000):
        memory.put(key(number), known(number))
        assert memory.size <= 100_000
    assert memory.size > 50_000
    assert memory.get(key(9_999)) == known(9_999)
    assert memory.get(key(0)) is None


def test_what_is_in_use_stays() -> None:
    memory = Recognition(100_000)
    memory.put(key(0), known(0))
    for number in range(1, 10_000):
        memory.put(key(number), known(number))
        assert memory.get(key(0)) == known(0)


def test_what_is_put_again_counts_once() -> None:
    memory = Recognition(100_000)
    memory.put(key(1), known(1))
    size = memory.size
    memory.put(key(1), known(1))
    assert memory.size == size


@pytest.mark.parametrize("bound", [0, 1, 600])
def test_what_would_fill_it_alone_is_not_kept(bound: int) -> None:
    memory = Recognition(bound)
    memory.put(key(1), known(1))
    assert (memory.get(key(1)), memory.size) == (None, 0)


def test_an_engine_without_memory_decides_alike() -> None:
    body = wire(body_of("anthropic", [user("task"), says("x" * 70_000), user("go on")]))
    forgetful, other = Engine(EngineSettings(recognition_max_bytes=0)), Engine(EngineSettings())
    for _ in range(2):
        assert forgetful.prepare(body, "anthropic").chain == other.prepare(body, "anthropic").chain
    assert forgetful.recognition.size == 0


@pytest.mark.parametrize("sessions", [50, pytest.param(1_000, marks=pytest.mark.slow)])
def test_many_sessions_of_a_megabyte_keep_it_within_its_bound(sessions: int) -> None:
    """Each of fifty messages: they are told apart by their first words. What it takes is measured too."""
    bound = 1_000_000
    engine = Engine(EngineSettings(recognition_max_bytes=bound, store_max_entries=1, threshold_tokens=10_000_000))
    long = b'{"role": "user", "content": "%d %d ' + b"word " * 4_000 + b'"}'
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(sessions):
            messages = b",".join(long % (number, place) for place in range(50))
            engine.prepare(b'{"model": "m", "messages": [' + messages + b"]}", "openai")
            assert engine.recognition.size <= bound
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert engine.recognition.size > bound // 2
    assert taken < 1.5 * bound


def test_messages_with_many_calls_count_for_what_they_take() -> None:
    bound = 1_000_000
    engine = Engine(EngineSettings(recognition_max_bytes=bound, threshold_tokens=10_000_000))
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(50):
            calls = [use(f"{number}_{place}" + "x" * 60) for place in range(500)]
            engine.prepare(wire(body_of("anthropic", [user("task"), says(*calls)])), "anthropic")
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert taken < 1.5 * bound
