"""What goes by on a WebSocket: as it is, in order, and as fast as the slower side takes it."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.server import ServerConnection

from tests.talks import Talk, proxying, upstream
from tests.wires import run

MESSAGES: list[str | bytes] = [
    "größe",
    "",
    b"\x00\xff",
    b"",
    '{"type":"response.created"}',
    "x" * 5_000_000,
    "\U0001f600",
]
A_MOMENT = 0.3


async def echo(line: ServerConnection) -> None:
    async for message in line:
        await line.send(message)


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/realtime?a=%20b", "/v1/messages"])
def test_b087_messages_go_by_as_they_are_and_in_order(path: str) -> None:
    async def scenario() -> None:
        async with upstream(echo) as url, proxying(url) as proxy, proxy.talk(path) as talk:
            for message in MESSAGES:
                await talk.line.send(message)
            assert [await talk.line.recv() for _ in MESSAGES] == MESSAGES
            for message in MESSAGES:
                await talk.line.send(message)
                assert await talk.line.recv() == message

    run(scenario())


def test_messages_come_that_were_not_asked_for() -> None:
    async def script(line: ServerConnection) -> None:
        for number in range(1_000):
            await line.send(str(number))
        await line.wait_closed()

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            assert [await talk.line.recv() for _ in range(1_000)] == [str(number) for number in range(1_000)]

    run(scenario())


def test_b128_a_client_that_does_not_read_is_waited_for() -> None:
    sent = list[int]()

    async def script(line: ServerConnection) -> None:
        while True:
            await line.send("x" * 100_000)
            sent.append(1)

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            assert await settled(sent) < 300  # 30 MB: what the kernel and three programs keep
            for _ in range(400):
                await talk.line.recv()

    run(scenario())


def test_b128_a_provider_that_does_not_read_is_waited_for() -> None:
    sent, read = list[int](), asyncio.Event()

    async def script(line: ServerConnection) -> None:
        await read.wait()
        await echo(line)

    async def talks(talk: Talk) -> None:
        while True:
            await talk.line.send("x" * 100_000)
            sent.append(1)

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            talking = asyncio.create_task(talks(talk))
            before = await settled(sent)
            assert before < 300
            read.set()
            for _ in range(before):
                await talk.line.recv()
            talking.cancel()

    run(scenario())


async def settled(counted: list[int]) -> int:
    """The number, when it grows no more."""
    before = -1
    while before != len(counted) or not counted:
        before = len(counted)
        await asyncio.sleep(A_MOMENT)
    return before
