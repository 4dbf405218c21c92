"""An open WebSocket: what goes by, how fast, and how it ends on both sides."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from tests.talks import USER, proxying, upstream
from tests.wires import PATIENCE, run

CREATED = json.dumps({"type": "response.created", "response": {"id": "r1"}})


async def echo(line: ServerConnection) -> None:
    async for message in line:
        await line.send(message)


async def ended(line: ClientConnection | ServerConnection) -> tuple[int | None, str | None]:
    """The code and the reason with which the other side closes a connection."""
    async with asyncio.timeout(PATIENCE):
        await line.wait_closed()
    return line.close_code, line.close_reason


# ---------------------------------------------------------------- how it ends


@pytest.mark.parametrize(
    ("code", "reason", "seen"),
    [(1000, "", (1000, "")), (4001, "größe", (4001, "größe")), (1011, "x" * 123, (1011, "x" * 123))],
)
def test_the_provider_is_closed_as_the_client_closes(code: int, reason: str, seen: tuple[int, str]) -> None:
    async def scenario() -> None:
        ends = asyncio.Queue[tuple[int | None, str | None]]()

        async def script(line: ServerConnection) -> None:
            await ends.put(await ended(line))

        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            await talk.line.close(code, reason)
            assert await ends.get() == seen

    run(scenario())


@pytest.mark.parametrize(("code", "reason"), [(1000, ""), (4001, "größe"), (1001, "bye"), (1013, "x" * 123)])
def test_the_client_is_closed_as_the_provider_closes(code: int, reason: str) -> None:
    async def script(line: ServerConnection) -> None:
        await line.send("the last word")
        await line.close(code, reason)

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            assert await talk.line.recv() == "the last word"
            assert await ended(talk.line) == (code, reason)

    run(scenario())


def test_a_provider_that_is_lost_is_no_ordinary_end() -> None:
    async def script(line: ServerConnection) -> None:
        await line.recv()
        await line.send(CREATED)
        line.transport.abort()

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            await talk.send(USER)
            assert await talk.line.recv() == CREATED
            assert await ended(talk.line) == (1011, "")
            [told] = proxy.ended
            assert (told["fate"], told["status"], "broke off" in str(told["problem"])) == ("untouched", 200, True)

    run(scenario())


async def closes(line: ClientConnection) -> None:
    await line.close()


async def hangs_up(line: ClientConnection) -> None:
    line.transport.abort()


async def thinks(line: ServerConnection) -> None:
    await line.recv()


async def talks_on(line: ServerConnection) -> None:
    while True:
        await line.send(CREATED)
        await asyncio.sleep(0)


@pytest.mark.parametrize("leave", [closes, hangs_up])
@pytest.mark.parametrize("busy", [thinks, talks_on])
def test_b089_when_the_client_leaves_the_provider_is_closed_within_a_second(
    leave: Callable[[ClientConnection], Awaitable[None]], busy: Callable[[ServerConnection], Awaitable[None]]
) -> None:
    async def scenario() -> None:
        asked, left = asyncio.Event(), asyncio.Queue[float]()

        async def script(line: ServerConnection) -> None:
            await line.recv()
            asked.set()
            with pytest.raises(ConnectionClosed):
                await busy(line)
            left.put_nowait(time.monotonic())

        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            await talk.send(USER)
            await asked.wait()
            began = time.monotonic()
            await leave(talk.line)
            assert await left.get() - began < 1
            await gone()
            [told] = proxy.ended
            assert (told["fate"], told["problem"], proxy.app.watching.status.in_flight) == ("untouched", "", 0)

    run(scenario())


def test_b089_so_it_is_when_the_provider_does_not_read() -> None:
    async def scenario() -> None:
        read = asyncio.Event()

        async def script(line: ServerConnection) -> None:
            line.transport.pause_reading()
            await read.wait()
            line.transport.abort()

        async with upstream(script) as url, proxying(url) as proxy, proxy.talk() as talk:
            for _ in range(2):
                await talk.line.send("x" * 5_000_000)
            began = time.monotonic()
            await hangs_up(talk.line)
            await gone()
            assert time.monotonic() - began < 2
            read.set()

    run(scenario())


async def gone() -> None:
    """Waits until the proxy has let go of all connections."""
    async with asyncio.timeout(PATIENCE):
        while any("Line." in repr(task.get_coro()) for task in asyncio.all_tasks()):
            await asyncio.sleep(0.01)


def test_what_is_said_last_still_arrives() -> None:
    async def scenario() -> None:
        said = asyncio.Queue[str | bytes]()

        async def script(line: ServerConnection) -> None:
            async for message in line:
                said.put_nowait(message)

        async with upstream(script) as url, proxying(url) as proxy:
            for _ in range(20):
                async with proxy.talk() as talk:
                    await talk.line.send("first")
                    await talk.line.send("the last word")
                assert [await said.get(), await said.get()] == ["first", "the last word"]

    run(scenario())


def test_what_takes_a_moment_to_decide_on_still_goes_up() -> None:
    async def scenario() -> None:
        said = asyncio.Queue[str | bytes]()

        async def script(line: ServerConnection) -> None:
            async for message in line:
                said.put_nowait(message)

        async with upstream(script) as url, proxying(url) as proxy:
            async with proxy.talk() as talk:
                await talk.send(*[USER] * 20_000)
            assert len(await said.get()) > 1_000_000

    run(scenario())


def test_b128_a_message_that_is_too_large_ends_it() -> None:
    async def script(line: ServerConnection) -> None:
        await line.send("x" * 10_001)
        await line.wait_closed()

    async def scenario() -> None:
        async with upstream(script) as url, proxying(url, max_body_bytes=10_000) as proxy, proxy.talk() as talk:
            assert (await ended(talk.line))[0] == 1009

    run(scenario())


def test_nothing_is_left_of_many_connections() -> None:
    async def scenario() -> None:
        async with upstream(echo) as url, proxying(url) as proxy:
            before = len(asyncio.all_tasks())
            for number in range(30):
                async with proxy.talk() as talk:
                    await talk.send(USER)
                    if number % 2:
                        await hangs_up(talk.line)
            async with asyncio.timeout(PATIENCE):
                while len(asyncio.all_tasks()) > before:
                    await asyncio.sleep(0.01)
            assert proxy.app.watching.status.in_flight == 0
            assert proxy.notices == []

    run(scenario())
