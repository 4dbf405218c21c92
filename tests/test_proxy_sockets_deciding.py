"""What goes up over a WebSocket: increments as long as they go on, the whole projection where a new one begins."""

from __future__ import annotations

import json

import pytest

from faithfold.core.values import as_object
from faithfold.engine.options import EngineSettings
from faithfold.resending import Engine
from faithfold.testing import FakeProvider, says
from tests.pieces import Wire, message
from tests.talks import (
    HISTORY,
    LOOP,
    RESULT,
    SMALL,
    STEPS,
    THRESHOLD,
    TOOLS,
    USER,
    WINDOW,
    code_of,
    fates,
    id_of,
    loop,
    proxying,
    results_of,
    sent,
    whole,
)
from tests.wires import run

# ---------------------------------------------------------------- a long loop


def test_the_provider_has_what_the_engine_decides_after_each_request() -> None:
    settings = EngineSettings(threshold_tokens=THRESHOLD, keep_recent=1)
    with FakeProvider(LOOP, window=WINDOW, strict_faults=True) as provider:

        async def scenario() -> list[list[object]]:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                histories = await loop(talk)
                assert fates(proxy).count("compacted") >= 2
                return histories

        histories = run(scenario())
    assert [received.status for received in provider.requests] == [101, *[200] * (STEPS + 1)]
    engine = Engine(settings)
    for history, asked, body in zip(histories, provider.asked, sent(provider), strict=True):
        full = {**body, "input": history, "previous_response_id": None}
        decision = engine.prepare(json.dumps(full).encode(), "openai-responses")
        assert json.loads(json.dumps(asked.messages)) == decision.messages
        assert ("previous_response_id" not in body) == (decision.prefix != "continued")


def test_between_two_drops_only_what_is_new_goes_up() -> None:
    with FakeProvider(LOOP, strict_faults=True) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                await loop(talk)
                ended = proxy.ended
                assert [told["tries"] for told in ended] == [1] * (STEPS + 1)
                assert [told["bytes_up"] == told["bytes_in"] for told in ended] == [
                    not full or not number for number, full in enumerate(whole(provider))
                ]
                assert {(told["method"], told["dialect"], told["status"]) for told in ended} == {
                    ("WS", "openai-responses", 200)
                }
                assert len({told["session"] for told in ended}) == 1

        run(scenario())
    drops = whole(provider)
    assert drops.count(True) >= 3  # the first request, and at least two drops
    for before, after, drop in zip(provider.asked, provider.asked[1:], drops[1:], strict=False):
        goes_on = after.messages[: len(before.messages)] == before.messages
        assert goes_on == (not drop)


def test_what_the_client_sends_goes_up_byte_for_byte_where_nothing_is_to_be_done() -> None:
    odd = (
        '{ "type":"response.create", "model":"m","store":false,\n "input": [{"role":"user","content":"\\u00fc 1.0"}] }'
    )
    with FakeProvider(says("größe")) as provider:

        async def scenario() -> None:
            async with proxying(provider.url) as proxy, proxy.talk() as talk:
                await talk.line.send(odd)
                await talk.answer()

        run(scenario())
    assert [received.body for received in provider.requests] == [b"", odd.encode()]


def test_a_bare_text_begins_a_history_too() -> None:
    with FakeProvider(LOOP, window=WINDOW, strict_faults=True) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                events = await talk.ask(input="the task", **TOOLS)
                while results := results_of(events, RESULT):
                    events = await talk.ask(*results, previous_response_id=id_of(events), **TOOLS)
                assert "compacted" in fates(proxy)

        run(scenario())
    assert {received.status for received in provider.requests} == {101, 200}


# ---------------------------------------------------------------- warm-ups, and what isn't known


@pytest.mark.parametrize("warm", [{"generate": False}, {"prompt_cache_options": {"prewarm": True}, "generate": False}])
def test_a_warm_up_goes_up_as_it_comes_and_can_be_gone_on_from(warm: Wire) -> None:
    with FakeProvider(LOOP, window=WINDOW, strict_faults=True) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                warmed = await talk.ask(message("developer", "instructions"), **{**TOOLS, **warm})
                await loop(talk, first=warmed)
                assert fates(proxy).count("compacted") >= 2

        run(scenario())
    assert [asked.warms_up for asked in provider.asked] == [True, *[False] * (STEPS + 1)]
    assert [as_object(asked.messages[0])["role"] for asked in provider.asked] == ["developer"] * (STEPS + 2)


def test_a_warm_up_that_is_too_large_is_not_touched_and_what_follows_is() -> None:
    with FakeProvider(says("hi")) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                warmed = await talk.ask(*HISTORY, generate=False)
                await talk.ask(USER, previous_response_id=id_of(warmed))
                assert fates(proxy) == ["untouched", "compacted"]

        run(scenario())
    assert whole(provider) == [True, True]
    assert provider.asked[1].tokens < THRESHOLD < provider.asked[0].tokens


def test_b102_a_response_of_another_connection_is_not_known_and_its_requests_are_not_touched() -> None:
    with FakeProvider(LOOP) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy:
                async with proxy.talk() as talk:
                    events = await talk.ask(USER, store=True, **TOOLS)
                async with proxy.talk() as talk:
                    while results := results_of(events, RESULT):
                        events = await talk.ask(*results, previous_response_id=id_of(events), store=True, **TOOLS)
                    assert set(fates(proxy)) == {"untouched"}
                    await talk.ask(*HISTORY, store=True)
                    assert fates(proxy)[-1] == "compacted"  # seen whole

        run(scenario())
    assert whole(provider) == [True, *[False] * STEPS, True]


@pytest.mark.parametrize("kind", ["response.steer", "response.unheard_of"])
def test_b102_what_else_may_change_a_history_makes_it_unknown(kind: str) -> None:
    with FakeProvider(LOOP) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                events = await talk.ask(USER, **TOOLS)
                await talk.line.send(json.dumps({"type": kind}))
                assert code_of(await talk.answer()) is None  # the provider knows no such message
                await talk.ask(*results_of(events, RESULT * 10), previous_response_id=id_of(events), **TOOLS)
                assert fates(proxy) == ["untouched", "untouched"]

        run(scenario())
    assert provider.asked[-1].tokens > THRESHOLD
