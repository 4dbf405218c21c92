"""How a request is read before it is decided on: its encoding, whether it is whole, and by which policy."""

from __future__ import annotations

import json

import pytest

from faithfold.core.values import as_object
from faithfold.testing.codings import CODINGS
from tests.proxies import PATHS, Answered, Proxy, body, encoded, messages_in, proxied
from tests.wires import answering, run, whole

OK = answering(whole(b'{"usage": {"input_tokens": 3}}', "200 OK", "content-type: application/json"))
SHORT, LONG = 3, 12
"""Steps: below the threshold, and over it."""


@pytest.mark.parametrize("coding", [*CODINGS, "gzip, br"])
def test_b091_an_encoded_body_is_read_and_never_mislabelled(coding: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            short, long = encoded(body("anthropic", SHORT), coding), encoded(body("anthropic", LONG), coding)
            for sent in (short, long):
                await proxy.ask(sent, f"content-encoding: {coding}")
            first, second = proxy.provider.requests
            assert (first.body, first.values("content-encoding")) == (short, [coding])
            assert second.values("content-encoding") == []
            assert 0 < len(messages_in(second.body)) < len(messages_in(body("anthropic", LONG)))

    run(scenario())


@pytest.mark.parametrize("coding", ["gzip", "zstd", "unheard-of"])
def test_a_body_that_is_not_in_its_encoding_goes_up_as_it_came(coding: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            await proxy.ask(body("anthropic", LONG), f"content-encoding: {coding}")
            (request,) = proxy.provider.requests
            assert (request.body, request.values("content-encoding")) == (body("anthropic", LONG), [coding])

    run(scenario())


PARTS: list[tuple[str, str, object, object]] = [
    ("openai-responses", "previous_response_id", "resp_1", None),
    ("openai-responses", "conversation", "conv_1", None),
    ("anthropic", "thread", {"type": "continue", "previous_message_id": "msg_1"}, {"type": "create"}),
]


@pytest.mark.parametrize(("dialect", "field", "goes_on", "begins"), PARTS)
def test_b102_a_body_with_a_part_of_its_history_goes_up_as_it_came(
    dialect: str, field: str, goes_on: object, begins: object
) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            for value in (goes_on, begins):
                await proxy.ask(body(dialect, LONG, **{field: value}), path=PATHS[dialect])
            part, all_of_it = proxy.bodies
            assert part == body(dialect, LONG, **{field: goes_on})
            assert len(all_of_it) < len(part)
            assert [(told["fate"], told["model"], told["tokens_in"] == 0) for told in proxy.ended] == [
                ("untouched", "m", True),
                ("compacted", "m", False),
            ]

    run(scenario())


async def asked_by(proxy: Proxy, policy: str) -> Answered:
    return await proxy.ask(body("anthropic", LONG), f"x-faithfold-policy: {policy}")


def test_a_header_of_the_request_switches_the_policy_or_bypasses() -> None:
    async def scenario() -> None:
        async with proxied(OK, policy="none", strict=True) as proxy:
            for _ in range(2):
                assert (await asked_by(proxy, "cliff")).own["policy"] == "cliff"
            bypassed = await asked_by(proxy, "none")
            assert bypassed.own == {"policy": "none"}
            assert [len(sent) < len(body("anthropic", LONG)) for sent in proxy.bodies] == [True, True, False]
            assert [told["fate"] for told in proxy.ended] == ["compacted", "substituted", "untouched"]
            assert {name for request in proxy.provider.requests for name, _ in request.headers} == {
                *("Host", "x-api-key", "via", "content-length")
            }

    run(scenario())


def test_an_unknown_policy_is_refused_with_one_line() -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            answer = await asked_by(proxy, "zip")
            message = str(as_object(as_object(json.loads(answer.body))["error"])["message"])
            assert (answer.status, proxy.bodies) == (400, [])
            assert message == "faithfold: x-faithfold-policy names no policy; expected one of none, cliff."

    run(scenario())
