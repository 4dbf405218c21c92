"""What is told of an exchange, and what is not; who listens hears all, or how much was lost."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from dataclasses import fields

import pytest

from faithfold.proxy.events import Event, Events, Subscription, event_of, shown
from tests.exchanges import LABEL, compacted, decision, exchange


def test_of_an_exchange_that_was_passed_on_little_is_told() -> None:
    passed = exchange(7, method="GET", path="/v1/models", status=200, bytes_out=12, first_byte=0.25, seconds=1.23456)
    told = event_of(passed, "ended").to_json()
    nothing = {
        **dict.fromkeys(("session", "dialect", "model", "policy", "prefix", "problem"), ""),
        **dict.fromkeys(("shadow", "modified", "compacted", "over_budget"), False),
        **dict.fromkeys(("rung", "cut", "threshold", "tokens_in", "tokens_out", "tries", "bytes_in", "bytes_up"), 0),
    }
    assert told == nothing | {
        "kind": "ended",
        "number": 7,
        "time": 1_000.0,
        "method": "GET",
        "path": "/v1/models",
        "fate": "passed",
        "status": 200,
        "bytes_out": 12,
        "overhead_ms": 0.0,
        "first_byte_ms": 250.0,
        "seconds": 1.235,
    }
    assert list(told) == [field.name for field in fields(Event)]


def test_a_decision_is_told_by_its_numbers() -> None:
    made = decision()
    told = event_of(compacted(decision=made, overhead=0.0015), "decided")
    assert (told.tokens_in, told.tokens_out, told.cut) == (made.tokens_in, made.tokens_out, made.cut)
    assert (told.modified, told.compacted, told.over_budget, told.rung) == (True, True, made.over_budget, made.rung)
    assert (told.threshold, told.prefix) == (700, "new")
    assert told.tokens_in > told.tokens_out > 0 < told.cut
    assert (told.overhead_ms, told.first_byte_ms, told.session) == (1.5, None, LABEL)


def test_nothing_of_the_conversation_is_told() -> None:
    told = json.dumps(event_of(compacted(), "ended").to_json())
    assert "some result" not in told


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/v1/messages", "/v1/messages"),
        ("/v1beta/models/count_tokens", "/v1beta/models/count_tokens"),
        ("/v1/messages?key=sk-secret", "/v1/messages"),
        ("/v1/messages#sk-secret", "/v1/messages"),
        ("/sk-secret/v1/messages", "/.../v1/messages"),
        ("/v1/files/file_011CNha8iCJcU1wXNR6q4V8w/content", "/v1/files/.../content"),
        ("/" + "a" * 25, "/..."),
        ("/v1/%6bey", "/v1/..."),
        ("//x/../y", "//x/.../y"),
        ("/x" * 70, "/x" * 58 + "/..."),
        ("", ""),
    ],
)
def test_of_a_path_only_plain_words_are_told(path: str, told: str) -> None:
    assert event_of(exchange(path=path), "ended").path == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("claude", "claude"),
        ("a" * 10, "a" * 10),
        ("a" * 11, "a" * 7 + "..."),
        ("a\nb\x1b[31m", "a�b�[31m"),
        ("\ud83d", "�"),
        ("a\u202eb", "a�b"),
        ("Größe 大", "Größe 大"),
    ],
)
def test_texts_from_outside_are_made_fit_to_show(text: str, told: str) -> None:
    assert shown(text, 10) == told


def test_every_text_that_may_come_from_outside_is_bounded() -> None:
    long = dict.fromkeys(("model", "method", "path", "policy", "problem"), "x\n" * 100_000)
    told = event_of(exchange(**long), "ended")
    for name in long:
        assert len(getattr(told, name)) <= 200
        assert str(getattr(told, name)).isprintable()


@pytest.mark.parametrize(
    ("about", "saved"),
    [
        ({"fate": "compacted"}, True),
        ({"fate": "substituted"}, True),
        ({"fate": "compacted", "shadow": True}, False),
        ({"fate": "refused"}, False),
        ({"fate": "failed"}, False),
        ({"fate": "untouched", "decision": decision(1_000_000)}, False),
        ({"fate": "passed", "decision": None}, False),
    ],
)
def test_tokens_are_saved_where_the_decision_was_followed(about: dict[str, object], saved: bool) -> None:
    told = event_of(compacted(**about), "ended")
    assert told.tokens_saved == (told.tokens_in - told.tokens_out if saved else 0)
    assert bool(told.tokens_saved) is saved


@pytest.mark.parametrize(
    ("fate", "problem", "failed"),
    [("untouched", "", False), ("untouched", "broke off", True), ("failed", "", True), ("refused", "too large", False)],
)
def test_what_failed(fate: str, problem: str, failed: bool) -> None:
    assert event_of(exchange(fate=fate, problem=problem), "ended").failed is failed


def test_what_is_kept_holds_on_to_no_decision() -> None:
    events = Events()
    made = decision()
    gone = weakref.ref(made)
    told = compacted(decision=made)
    events.publish(event_of(told, "ended"))
    told.decision = None
    del made
    gc.collect()
    assert gone() is None


def publish(events: Events, *numbers: int) -> None:
    for number in numbers:
        events.publish(event_of(exchange(number), "ended"))


async def taken(subscription: Subscription, count: int) -> list[object]:
    """The numbers of the next exchanges; what was dropped as a text."""
    told = [await anext(subscription) for _ in range(count)]
    return [each["number"] if "number" in each else f"{each['kind']} {each['count']}" for each in told]


@pytest.mark.parametrize(
    ("since", "first"),
    [
        (0, [13, 14, 15, 16]),
        (14, [15, 16]),
        (12, [13, 14, 15, 16]),
        (10, ["dropped 2", 13, 14, 15, 16]),
        (16, []),
        (17, [13, 14, 15, 16]),
        (-1, [13, 14, 15, 16]),
    ],
    ids=["from the start", "later", "all there is", "gone", "nothing new", "of another process", "nonsense"],
)
def test_a_listener_hears_the_recent_events_and_then_each_that_comes(since: int, first: list[object]) -> None:
    async def listen() -> None:
        events = Events(4)
        publish(events, *range(1, 17))
        with events.subscribe(since) as subscription:
            assert await taken(subscription, len(first)) == first
            publish(events, 17)
            assert await taken(subscription, 1) == [17]

    asyncio.run(listen())


def test_ids_count_on_through_all_kinds_of_events() -> None:
    async def listen() -> None:
        events = Events()
        events.publish(event_of(exchange(5), "decided"))
        events.publish(event_of(exchange(5), "ended"))
        with events.subscribe() as subscription:
            told = [await anext(subscription) for _ in range(2)]
        assert [(each["id"], each["number"], each["kind"]) for each in told] == [(1, 5, "decided"), (2, 5, "ended")]

    asyncio.run(listen())


def test_who_waits_is_woken() -> None:
    async def listen() -> None:
        events = Events()
        with events.subscribe() as subscription:
            waiting = asyncio.create_task(taken(subscription, 2))
            await asyncio.sleep(0)
            publish(events, 1)
            await asyncio.sleep(0)
            publish(events, 2)
            assert await waiting == [1, 2]

    asyncio.run(listen())


def test_a_slow_listener_loses_the_oldest_and_is_told_how_many() -> None:
    async def listen() -> None:
        events = Events(3)
        with events.subscribe() as slow, events.subscribe() as quick:
            publish(events, 1, 2)
            assert await taken(quick, 2) == [1, 2]
            publish(events, 3, 4, 5)
            assert await taken(quick, 3) == [3, 4, 5]
            assert await taken(slow, 4) == ["dropped 2", 3, 4, 5]
            publish(events, 6)
            assert await taken(slow, 1) == [6]

    asyncio.run(listen())


def test_who_has_gone_is_forgotten() -> None:
    events = Events()
    with events.subscribe():
        assert events.listeners == 1
    assert events.listeners == 0
    publish(events, 1)


def test_when_the_events_are_closed_every_feed_ends_also_later_ones() -> None:
    async def listen() -> None:
        events = Events()
        with events.subscribe() as waiting:
            task = asyncio.create_task(heard(waiting))
            await asyncio.sleep(0)
            publish(events, 1)
            events.close()
            assert await task == [1]
        with events.subscribe() as late:
            assert await heard(late) == [1]

    async def heard(subscription: Subscription) -> list[object]:
        return [told["number"] async for told in subscription]

    asyncio.run(listen())
