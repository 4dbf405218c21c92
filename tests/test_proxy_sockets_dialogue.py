"""What is said on a WebSocket reaches the other side in its order, whatever is made of it on the way."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.asyncio.server import ServerConnection

from tests.pieces import Wire, message
from tests.talks import (
    HISTORY,
    LIMITS,
    MORE,
    RESULT,
    SMALL,
    USER,
    Event,
    answer,
    completed,
    created,
    delta,
    fates,
    hears,
    proxying,
    talking,
    upstream,
)
from tests.wires import run

NEAR: Wire = {"threshold_tokens": 5_000, "keep_recent": 1, "hold_ms": 60_000}
"""The whole history is more than half of this."""

TOO_LONG: Event = {"type": "error", "status": 400, "error": {"code": "context_length_exceeded", "message": "too long"}}
BUSY: Event = {"type": "error", "status": 503, "error": {"message": "busy"}}
IN_STREAM: Event = {"type": "error", "code": "context_length_exceeded", "message": "too long", "sequence_number": 2}


# ---------------------------------------------------------------- what is held back


def test_what_is_held_back_comes_in_its_order() -> None:
    events = [created("r1"), LIMITS, {"type": "response.in_progress"}, delta(), delta(), completed("r1")]

    async def scenario() -> None:
        async with talking(events, **NEAR) as (talk, _, _):
            await talk.send(*HISTORY)
            await hears(talk, *events)

    run(scenario())


@pytest.mark.parametrize(
    "settings",
    [{**NEAR, "hold_ms": 100}, {**NEAR, "hold_ms": 0}, {**NEAR, "threshold_tokens": 100_000}],
    ids=["for a moment", "never", "only when it is near"],
)
def test_nothing_is_held_back_for_long(settings: Wire) -> None:
    async def scenario() -> None:
        async with talking([created("r1"), LIMITS], **settings) as (talk, provider, _):
            await talk.send(*HISTORY)
            await hears(talk, created("r1"), LIMITS)  # though nothing follows
            provider.more.put_nowait(TOO_LONG)
            await hears(talk, TOO_LONG)
            assert len(provider.messages) == 1

    run(scenario())


def test_b055_what_tells_of_the_connection_alone_is_no_content() -> None:
    async def scenario() -> None:
        async with talking([LIMITS, TOO_LONG], answer("r2"), **NEAR) as (talk, provider, proxy):
            await talk.send(*HISTORY)
            await hears(talk, LIMITS, *answer("r2"))
            assert len(provider.messages) == 2
            assert [(told["fate"], told["tries"]) for told in proxy.ended] == [("compacted", 2)]

    run(scenario())


def test_b055_what_tells_of_the_connection_is_not_given_up_with_an_answer() -> None:
    async def scenario() -> None:
        refused = [created("r1"), LIMITS, IN_STREAM, completed("r1", kind="failed")]
        async with talking(refused, answer("r2"), **NEAR) as (talk, provider, _):
            await talk.send(*HISTORY)
            await hears(talk, LIMITS, *answer("r2"))
            assert len(provider.messages) == 2

    run(scenario())


@pytest.mark.parametrize("last", [completed("r1"), BUSY], ids=["completed", "busy"])
def test_what_is_held_back_comes_before_an_end_without_content(last: Event) -> None:
    async def scenario() -> None:
        async with talking([created("r1"), last], **NEAR) as (talk, _, _):
            await talk.send(*HISTORY)
            await hears(talk, created("r1"), last)

    run(scenario())


def test_what_is_held_back_comes_before_the_connection_is_closed() -> None:
    async def script(line: ServerConnection) -> None:
        await line.recv()
        await line.send(json.dumps(created("r1")))

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url, **NEAR) as proxy, proxy.talk() as talk:
            await talk.send(*HISTORY)
            await hears(talk, created("r1"))

    run(scenario())


@pytest.mark.parametrize("refusal", [TOO_LONG, {**completed("r1", kind="failed"), "error": TOO_LONG["error"]}])
def test_b090_an_answer_that_was_shown_is_not_asked_for_again(refusal: Event) -> None:
    async def scenario() -> None:
        async with talking([created("r1"), delta(), refusal], **NEAR) as (talk, provider, proxy):
            await talk.send(*HISTORY)
            await hears(talk, created("r1"), delta(), refusal)
            assert len(provider.messages) == 1
            assert [(told["tries"], told["status"]) for told in proxy.ended] == [(1, 200)]

    run(scenario())


def test_b055_of_an_answer_that_was_given_up_nothing_comes_through() -> None:
    refused = [created("r1"), IN_STREAM, completed("r1", kind="failed")]

    async def scenario() -> None:
        async with talking(refused, answer("r2"), answer("r3"), **NEAR) as (talk, provider, _):
            await talk.send(*HISTORY)
            await hears(talk, *answer("r2"))
            await talk.send(USER, previous_response_id="r2")
            await hears(talk, *answer("r3"))
            assert provider.whole == [True, True, False]

    run(scenario())


def test_b058_an_error_that_is_none_of_ours_comes_whole_and_the_next_request_is_not_mixed_up_with_it() -> None:
    failed = [created("r2"), {"type": "error", "message": "busy"}, completed("r2", kind="failed")]

    async def scenario() -> None:
        async with talking(answer("r1"), failed[:2], answer("r3"), answer("r4"), **SMALL) as (talk, provider, proxy):
            await talk.send(USER)
            await hears(talk, *answer("r1"))
            await talk.send(USER, previous_response_id="r1")
            await hears(talk, *failed[:2])
            provider.more.put_nowait(failed[2])
            await talk.send(USER, previous_response_id="r1")
            heard = [json.loads(await talk.line.recv()) for _ in range(4)]
            assert sorted(map(str, heard)) == sorted(map(str, [failed[2], *answer("r3")]))
            await talk.send(*MORE, previous_response_id="r3")
            await hears(talk, *answer("r4"))
            assert len(proxy.ended) == 4
            assert proxy.ended[-1]["tokens_in"] != 0  # what is behind r3 is known

    run(scenario())


# ---------------------------------------------------------------- several at once


def test_lanes_are_kept_apart() -> None:
    async def scenario() -> None:
        async with talking([created("a1", stream_id="a")], [created("b1", stream_id="b")], [], [], **SMALL) as talked:
            talk, provider, proxy = talked
            await talk.send(message("user", "for a"), stream_id="a")
            await talk.send(message("user", "for b"), stream_id="b")
            await hears(talk, created("a1", stream_id="a"), created("b1", stream_id="b"))
            for name in ("b", "a"):
                provider.more.put_nowait(completed(f"{name}1", stream_id=name))
            await hears(talk, completed("b1", stream_id="b"), completed("a1", stream_id="a"))
            for name in "ab":
                await talk.send(*MORE, stream_id=name, previous_response_id=f"{name}1")
            await provider.came(4)
            for name, told in zip("ab", provider.messages[2:], strict=True):
                assert f"for {name}" in str(told["input"])  # it went up whole, and is that of its lane
            assert provider.whole == [True] * 4
            assert proxy.app.watching.status.in_flight == 2

    run(scenario())


def test_requests_that_do_not_wait_for_each_other_are_answered_and_leave_nothing_known() -> None:
    async def scenario() -> None:
        answers = [[], [*answer("r1"), *answer("r2")], answer("r3"), answer("r4")]
        async with talking(*answers, **SMALL) as (talk, provider, proxy):
            await talk.send(USER)
            await talk.send(USER)
            await hears(talk, *answer("r1"), *answer("r2"))
            for number in (2, 3):
                await talk.send(*MORE, previous_response_id=f"r{number}")
                await hears(talk, *answer(f"r{number + 1}"))
            assert fates(proxy) == ["untouched"] * 4
            assert provider.whole == [True, True, False, False]

    run(scenario())


def test_b090_a_request_that_another_one_follows_is_not_sent_again() -> None:
    async def scenario() -> None:
        async with talking([], [TOO_LONG, *answer("r2")], **NEAR) as (talk, provider, _):
            await talk.send(*HISTORY)
            await talk.send(USER)
            await hears(talk, TOO_LONG, *answer("r2"))
            assert len(provider.messages) == 2

    run(scenario())


def test_b090_nor_while_another_lane_waits_and_nothing_is_held_back_for_it() -> None:
    async def scenario() -> None:
        async with talking([], [created("a1", stream_id="a")], [], **NEAR) as (talk, provider, _):
            await talk.send(*HISTORY, stream_id="a")
            await talk.send(USER, stream_id="b")
            await hears(talk, created("a1", stream_id="a"))
            provider.more.put_nowait(completed("b1", stream_id="b"))
            await hears(talk, completed("b1", stream_id="b"))
            await talk.send(*HISTORY, stream_id="b")
            provider.more.put_nowait({**TOO_LONG, "stream_id": "b"})
            await hears(talk, {**TOO_LONG, "stream_id": "b"})
            provider.more.put_nowait(completed("a1", stream_id="a"))
            await hears(talk, completed("a1", stream_id="a"))
            assert len(provider.messages) == 3

    run(scenario())


def test_nothing_is_held_back_of_an_answer_that_cannot_be_asked_for_again() -> None:
    async def scenario() -> None:
        async with talking([], answer("r1"), **NEAR) as (talk, provider, _):
            await talk.send(USER)
            await talk.send(*HISTORY)
            await hears(talk, *answer("r1"))
            provider.more.put_nowait(created("r2"))
            await hears(talk, created("r2"))

    run(scenario())


def test_a_refusal_of_ours_waits_for_its_turn() -> None:
    async def scenario() -> None:
        async with talking([created("r1")], threshold_tokens=300, strict=True) as (talk, provider, proxy):
            await talk.send(USER)
            await talk.send(message("user", RESULT * 12))
            await hears(talk, created("r1"))
            await asyncio.sleep(0.1)  # time enough for a refusal that doesn't wait
            provider.more.put_nowait(completed("r1"))
            await hears(talk, completed("r1"))
            assert json.loads(await talk.line.recv())["error"]["code"] == "context_length_exceeded"
            assert fates(proxy) == ["untouched", "refused"]

    run(scenario())


def test_b128_requests_that_are_never_answered_are_not_waited_for_for_ever() -> None:
    async def scenario() -> None:
        nothing: list[list[Event]] = [[]] * 100
        async with talking(*nothing) as (talk, provider, proxy):
            for _ in range(100):
                await talk.send(USER)
            await provider.came(100)
            assert proxy.app.watching.status.in_flight <= 65

    run(scenario())
