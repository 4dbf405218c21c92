"""What becomes of a request over a WebSocket that the provider refuses, that we refuse, or that we fail on."""

from __future__ import annotations

import pytest

from faithfold import SUMMARY_HEADER
from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Projection
from faithfold.core.strategy import Steps
from faithfold.core.values import as_object
from faithfold.strategies.cliff import cliff
from faithfold.strategies.options import CompactSettings
from faithfold.testing import Answer, Asked, FakeProvider, Refusal, says, sequence
from tests.pieces import Wire
from tests.talks import (
    HISTORY,
    LOOP,
    RESULT,
    SMALL,
    STEPS,
    THRESHOLD,
    USER,
    code_of,
    fates,
    id_of,
    loop,
    proxying,
    whole,
)
from tests.wires import run

# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("overflow", ["400", "413", "stream"])
def test_b055_an_overflow_is_tried_again_shorter_before_the_client_sees_anything(overflow: str) -> None:
    with FakeProvider(LOOP, window=THRESHOLD, overflow=overflow, strict_faults=True) as provider:  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

        async def scenario() -> None:
            settings: Wire = {"threshold_tokens": THRESHOLD + 500, "keep_recent": 1, "hold_ms": 5_000}
            async with proxying(provider.url, **settings) as proxy, proxy.talk() as talk:
                await loop(talk)
                tries = [told["tries"] for told in proxy.ended]
                assert tries.count(2) >= 2
                assert {(told["status"], told["problem"]) for told in proxy.ended} == {(200, "")}

        run(scenario())
    assert [asked.faults for asked in provider.asked] == [[]] * len(provider.asked)


def test_b058_when_the_ladder_ends_the_last_refusal_goes_to_the_client() -> None:
    with FakeProvider(sequence(*[Refusal(trouble="overflow", status=400 + n) for n in range(0, 26, 13)])) as provider:

        async def scenario() -> None:
            async with proxying(provider.url) as proxy, proxy.talk() as talk:
                [refused] = await talk.ask(*HISTORY)
                assert (refused["status"], code_of([refused])) == (413, "context_length_exceeded")
                tries = len(provider.asked)
                assert 1 < tries < 8
                assert [(told["tries"], told["status"]) for told in proxy.ended] == [(tries, 413)]

        run(scenario())
    sizes = [asked.tokens for asked in provider.asked]
    assert sizes == sorted(set(sizes), reverse=True)


@pytest.mark.parametrize("trouble", ["rate limit", "quota", "server error", "overloaded", "invalid"])
def test_b056_any_other_refusal_goes_to_the_client_at_once(trouble: str) -> None:
    refusal = Refusal(trouble=trouble)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with FakeProvider(sequence(refusal, says("hi"))) as provider:

        async def scenario() -> None:
            async with proxying(provider.url) as proxy, proxy.talk() as talk:
                [refused] = await talk.ask(USER)
                assert refused["status"] == provider.requests[1].status
                await talk.ask(USER)
                assert [told["tries"] for told in proxy.ended] == [1, 1]

        run(scenario())
    assert len(provider.asked) == 2


def only_what_was_said(asked: Asked) -> Answer:
    """A provider that has something against what we write."""
    return Refusal(trouble="invalid") if SUMMARY_HEADER in str(asked.messages) else LOOP(asked)


def test_what_the_provider_does_not_take_from_us_goes_up_as_the_client_sent_it() -> None:
    with FakeProvider(only_what_was_said) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy, proxy.talk() as talk:
                await loop(talk)
                ended = proxy.ended
                failed = next(number for number, told in enumerate(ended) if told["fate"] == "failed")
                assert (ended[failed]["tries"], ended[failed]["status"]) == (2, 200)
                assert "refused" in str(ended[failed]["problem"])
                assert {told["fate"] for told in ended[failed + 1 :]} == {"untouched"}

        run(scenario())
    assert [received.status for received in provider.requests].count(400) == 1
    assert provider.asked[-1].rounds == STEPS


# ---------------------------------------------------------------- strict, shadow, policies


def test_strict_answers_itself_and_the_connection_stays() -> None:
    with FakeProvider(says("hi")) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, threshold_tokens=300, strict=True) as proxy, proxy.talk() as talk:
                huge = {"type": "message", "role": "user", "content": RESULT * 10}
                [refused] = await talk.ask(huge, stream_id="lane 1")
                assert (refused["type"], refused["status"], refused["stream_id"]) == ("error", 400, "lane 1")
                assert code_of([refused]) == "context_length_exceeded"
                assert "prompt is too long" in str(as_object(refused["error"])["message"])
                assert (await talk.ask(USER))[-1]["type"] == "response.completed"
                assert [(told["fate"], told["status"], told["tries"]) for told in proxy.ended] == [
                    ("refused", 400, 0),
                    ("untouched", 200, 1),
                ]

        run(scenario())
    assert len(provider.asked) == 1


def test_shadow_decides_and_changes_nothing() -> None:
    with FakeProvider(LOOP) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL, shadow=True, strict=True) as proxy, proxy.talk() as talk:
                await loop(talk)
                assert fates(proxy).count("compacted") >= 2
                assert {(told["shadow"], told["tries"]) for told in proxy.ended} == {(True, 1)}
                assert [told["bytes_up"] for told in proxy.ended] == [told["bytes_in"] for told in proxy.ended]

        run(scenario())
    assert whole(provider) == [True, *[False] * STEPS]


def test_a_header_of_the_handshake_turns_it_off() -> None:
    with FakeProvider(LOOP) as provider:

        async def scenario() -> None:
            async with (
                proxying(provider.url, **SMALL) as proxy,
                proxy.talk(x_faithfold_policy="none") as talk,
            ):
                assert talk.line.response is not None
                assert talk.line.response.headers["x-faithfold-policy"] == "none"
                await loop(talk)
                assert {(told["fate"], told["policy"]) for told in proxy.ended} == {("untouched", "none")}

        run(scenario())
    assert whole(provider) == [True, *[False] * STEPS]
    assert provider.requests[0].header("x-faithfold-policy") == []


# ---------------------------------------------------------------- our own failures


def broken(*_: object) -> Steps[Projection]:
    """A policy that a user wrote."""
    yield from ()
    raise ValueError("sesame")


def test_where_the_policy_fails_the_message_goes_up_as_it_came() -> None:
    with FakeProvider(LOOP) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, policy=broken, threshold_tokens=THRESHOLD) as proxy, proxy.talk() as talk:
                await loop(talk)
                assert fates(proxy)[-1] == "failed"
                assert [told["bytes_up"] for told in proxy.ended] == [told["bytes_in"] for told in proxy.ended]

        run(scenario())
    assert whole(provider) == [True, *[False] * STEPS]


def test_where_the_policy_fails_later_what_the_provider_has_goes_on() -> None:
    drops = 0

    def tiring(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        nonlocal drops
        drops += 1
        if drops > 1:
            raise ValueError("sesame")
        return (yield from cliff(CompactSettings(keep_recent=1))(conversation, projection, budget))

    with FakeProvider(LOOP) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, policy=tiring, threshold_tokens=THRESHOLD) as proxy, proxy.talk() as talk:
                await loop(talk)
                assert (fates(proxy).count("compacted"), fates(proxy)[-1]) == (1, "failed")

        run(scenario())
    assert whole(provider).count(True) == 2


def test_where_deciding_itself_fails_the_message_goes_up_as_it_came() -> None:
    with FakeProvider(says("hi")) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, max_body_bytes=3_000) as proxy, proxy.talk() as talk:
                events = await talk.ask({"type": "message", "role": "user", "content": "x" * 2_000})
                more = {"type": "message", "role": "user", "content": "y" * 2_000}
                events = await talk.ask(more, previous_response_id=id_of(events))
                assert events[-1]["type"] == "response.completed"
                [_, told] = proxy.ended
                assert (told["fate"], "TooLargeError" in str(told["problem"])) == ("failed", True)

        run(scenario())
    assert [len(asked.messages) for asked in provider.asked] == [1, 3]
