"""What is said on a WebSocket besides requests and their answers, and what comes that nobody knows."""

from __future__ import annotations

import json

import pytest
from websockets.asyncio.server import ServerConnection

from tests.pieces import message
from tests.talks import (
    HISTORY,
    LIMITS,
    MORE,
    SMALL,
    USER,
    Event,
    answer,
    completed,
    created,
    delta,
    hears,
    proxying,
    talking,
    upstream,
)
from tests.wires import run

SAID = message("assistant", "mine")


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        ("response.processed", True),
        ("session.ping", True),
        ("response.cancel", True),
        ("response.interrupt", True),
        ("response.steer", False),
    ],
)
def test_b102_what_the_client_says_besides_changes_what_is_known_as_far_as_it_may(kind: str, *, known: bool) -> None:
    async def scenario() -> None:
        async with talking(answer("r1"), [LIMITS], answer("r2"), **SMALL) as (talk, provider, _):
            await talk.send(USER)
            await hears(talk, *answer("r1"))
            await talk.line.send(json.dumps({"type": kind, "response_id": "r1"}))
            await hears(talk, LIMITS)
            await talk.send(*MORE, previous_response_id="r1")
            await hears(talk, *answer("r2"))
            assert provider.whole[-1] == known

    run(scenario())


@pytest.mark.parametrize("kind", ["response.cancel", "response.interrupt"])
def test_b102_an_answer_that_is_ended_by_the_client_leaves_nothing_known(kind: str) -> None:
    async def scenario() -> None:
        ended = completed("r1", message("assistant", "half"), kind="incomplete")
        async with talking([created("r1")], [ended], answer("r2"), **SMALL) as (talk, provider, _):
            await talk.send(USER)
            await talk.line.send(json.dumps({"type": kind}))
            await hears(talk, created("r1"), ended)
            await talk.send(*MORE, previous_response_id="r1")
            await hears(talk, *answer("r2"))
            assert provider.whole == [True, True, False]

    run(scenario())


def test_an_answer_that_the_provider_began_itself_is_not_taken_for_that_to_a_request() -> None:
    successor: list[Event] = [
        {"type": "response.created", "response": {"id": "r9", "previous_response_id": "r8"}},
        delta("mine"),
        {"type": "response.completed", "response": {"id": "r9", "previous_response_id": "r8", "output": [SAID]}},
    ]

    async def scenario() -> None:
        async with talking([*successor, *answer("r1")], answer("r2"), **SMALL) as (talk, provider, _):
            await talk.send(USER)
            await hears(talk, *successor, *answer("r1"))
            await talk.send(*MORE, previous_response_id="r1")
            await hears(talk, *answer("r2"))
            assert provider.whole == [True, True]
            assert str(SAID) not in str(provider.messages[1]["input"])

    run(scenario())


@pytest.mark.parametrize(
    "odd",
    ["no json", "[]", "null", '{"type":7}', '{"type":"response.completed","response":"r1"}', b"\x00", "", '"\\ud83d"'],
)
@pytest.mark.parametrize("from_client", [True, False])
def test_what_cannot_be_read_goes_by(odd: str | bytes, *, from_client: bool) -> None:
    async def script(line: ServerConnection) -> None:
        if not from_client:
            await line.recv()
            await line.send(odd)
        async for told in line:
            await line.send(told)

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url, **SMALL) as proxy, proxy.talk() as talk:
            if not from_client:
                await talk.send(*HISTORY)
            else:
                await talk.line.send(odd)
            assert await talk.line.recv() == odd
            await talk.line.send("and on")
            assert await talk.line.recv() == "and on"

    run(scenario())
