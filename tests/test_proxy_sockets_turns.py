"""Which request an event belongs to, and what is behind an answer: known for sure, or not at all."""

from __future__ import annotations

import json

import msgspec
import pytest

from faithfold.proxy.exchange import Exchange
from faithfold.proxy.sockets_history import Event, History, Response, read_create
from faithfold.proxy.sockets_turns import Turn, Turns

ASKED = History().then([b'{"a":1}'])
SAID = b'{"type":"message"}'
THOUGHT = b'{"type":"reasoning","id":"rs_1"}'


def turn(lane: str | None = None, previous: str = "", **fields: object) -> Turn:
    """A request that waits to be sent."""
    create = read_create(json.dumps({"type": "response.create", "stream_id": lane, "input": [], **fields}).encode())
    assert create is not None
    return Turn("", create, Exchange(1, 0.0, "WS", "/"), history=ASKED, previous=previous)


def sent(turns: Turns, *waiting: Turn) -> Turns:
    for each in waiting:
        assert turns.add(each) is None
        turns.send(each)
    return turns


def event(kind: str, answer: str = "r1", lane: str | None = None, previous: str | None = None) -> Event:
    return Event(f"response.{kind}", lane, response=Response(answer, previous))


def done(*items: bytes, answer: str = "r1", store: bool | None = None, kind: str = "completed") -> Event:
    return Event(f"response.{kind}", response=Response(answer, None, store, [msgspec.Raw(item) for item in items]))


# ---------------------------------------------------------------- which request


def test_one_that_waits_is_answered_by_what_comes() -> None:
    turns, one = Turns(), turn()
    turns.add(one)
    assert [turns.only, turns.of(event("created"))] == [None, None]
    turns.send(one)
    assert turns.only is one is turns.of(event("created")) is turns.of(event("created", lane=None))
    assert turns.of(Event("error", status=400)) is one
    assert turns.of(Event("codex.rate_limits")) is None
    assert turns.remove(one)
    assert not turns.remove(one)
    assert [turns.only, turns.of(event("created", "r2"))] == [None, None]


def test_two_of_a_lane_are_answered_in_their_order_and_leave_nothing_known() -> None:
    first, second = turn(), turn()
    turns = sent(Turns(), first, second)
    assert (turns.only, turns.of(event("created"))) == (None, first)
    assert [each.history for each in turns] == [None, None]
    assert [each.alone for each in turns] == [False, False]
    turns.remove(first)
    assert turns.only is second is turns.of(event("created", "r2"))
    assert not second.alone


def test_lanes_do_not_mix() -> None:
    first, second = turn("a"), turn("b")
    turns = sent(Turns(), first, second)
    assert [turns.of(event("created", lane=lane)) for lane in ("a", "b", None)] == [first, second, None]
    assert [(each.history, each.alone) for each in turns] == [(ASKED, False)] * 2
    turns.remove(first)
    assert turns.of(event("created", "r2")) is second  # a server that knows no lanes, and one that waits


@pytest.mark.parametrize(
    ("previous", "told", "belongs"),
    [("r0", "r0", True), ("r0", None, True), ("", None, True), ("", "r0", False), ("r0", "r9", False)],
)
def test_an_answer_that_goes_on_from_another_response_is_not_taken_for_this_one(
    previous: str, told: str | None, belongs: bool
) -> None:
    one = turn(previous=previous)
    assert (sent(Turns(), one).of(event("created", previous=told)) is one) == belongs


def test_an_answer_is_known_by_its_id_from_then_on() -> None:
    one = turn()
    turns = sent(Turns(), one)
    one.hear(event("created", "r1"))
    assert (turns.of(event("completed", "r1")), turns.of(event("completed", "r2"))) == (one, None)


def test_what_follows_the_end_of_an_answer_is_not_the_next_ones() -> None:
    one, following = turn(), turn()
    turns = sent(Turns(), one)
    one.hear(event("created", "r1"))
    turns.remove(one)
    sent(turns, following)
    assert (turns.of(event("failed", "r1")), turns.is_given_up(event("failed", "r1"))) == (None, False)
    assert turns.of(event("created", "r2")) is following


def test_an_answer_that_is_given_up_is_not_wanted_any_more() -> None:
    one = turn()
    turns = sent(Turns(), one)
    one.hear(event("created", "r1"))
    one.held.append("…")
    turns.give_up(one)
    assert (one.response, one.held, turns.is_given_up(event("failed", "r1"))) == ("", [], True)
    assert turns.of(event("failed", "r1")) is None
    assert turns.of(event("created", "r2")) is one


def test_who_is_ahead() -> None:
    first, second, other = turn(), turn(), turn("b")
    turns = sent(Turns(), first)
    turns.add(second)
    assert (turns.ahead(second), turns.ahead(other)) == (True, False)
    turns.remove(first)
    assert not turns.ahead(second)


def test_b128_not_many_wait() -> None:
    turns, waiting = Turns(), [turn() for _ in range(100)]
    left_out = [turns.add(each) for each in waiting]
    assert [each for each in left_out if each is not None] == waiting[:36]
    assert [*turns] == waiting[36:]


# ---------------------------------------------------------------- what is behind an answer


def test_what_is_behind_an_answer_is_what_was_asked_and_what_was_said() -> None:
    one = turn()
    one.hear(event("created"))
    assert one.left(done(SAID)) == ASKED.then([SAID])
    assert one.left(done(SAID, kind="incomplete")) == ASKED.then([SAID])
    assert [one.left(done(SAID, kind=kind)) for kind in ("failed", "cancelled")] == [None, None]
    one.history = None
    assert one.left(done(SAID)) is None


def test_items_that_were_told_one_by_one_stand_in_for_an_answer_that_does_not_repeat_them() -> None:
    one = turn()
    item = Event("response.output_item.done", item=msgspec.Raw(SAID))
    one.hear(item)  # before its answer began: of another
    for each in (event("created"), item, done()):
        one.hear(each)
    assert one.left(done()) == ASKED.then([SAID])


@pytest.mark.parametrize(
    ("store", "told", "known"),
    [(False, None, False), (None, None, True), (True, True, True), (None, False, False), (False, True, False)],
)
def test_a_thought_that_nobody_keeps_leaves_nothing_known(store: bool | None, told: bool | None, known: bool) -> None:
    one = turn(store=store)
    assert (one.left(done(THOUGHT, SAID, store=told)) is not None) == known
    assert one.left(done(SAID, store=told)) is not None
