"""Answers on their way down: as they come, cut as they come; and what becomes of both sides when one of them goes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.proxies import REFUSAL, Answered, Proxy, body, proxied
from tests.wires import END, STREAM, Connection, answering, chunk, connected, post, run, whole

SHORT, LONG = 3, 12
PARTS = (b"data: \xe4\xbd", b"\xa0\n\n", b": ping\n\n", b"data: \xf0\x9f", b"\x8e\x89\n", b"\n")


def test_b086_b087_b088_each_chunk_arrives_before_the_next_is_sent() -> None:
    async def scenario() -> None:
        arrived = asyncio.Queue[bytes]()

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM)
            for part in PARTS:
                await connection.send(chunk(part))
                assert await asyncio.wait_for(arrived.get(), 5) == part
            await connection.send(END)

        async with proxied(script) as proxy, proxy.asking(body("anthropic", SHORT)) as reader:
            await reader.readuntil(b"\r\n\r\n")
            for part in PARTS:
                arrived.put_nowait((await reader.readexactly(len(chunk(part))))[len(b"9\r\n") : -2])
            assert await reader.read() == END

    run(scenario())


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
        b'data: {"type":"response.completed","response":{"output":[{"type":"compaction"}]}}\n\n',
        b"data: {",
    ],
)
def test_b092_nothing_is_added_to_an_unusual_stream(stream: bytes) -> None:
    async def scenario() -> None:
        came = STREAM + (chunk(stream) if stream else b"") + END
        async with proxied(answering(came)) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.status, answer.body) == (200, came[len(STREAM) :])

    run(scenario())


def test_an_answer_that_ends_with_its_connection_is_whole() -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(b"HTTP/1.0 200 OK\r\n\r\nall of it")

        async with proxied(script) as proxy:
            assert (await proxy.ask(b"{}")).body == chunk(b"all of it") + END

    run(scenario())


def test_a_client_that_does_not_read_slows_the_upstream_down() -> None:
    async def scenario() -> None:
        sent = 0

        async def script(connection: Connection) -> None:
            nonlocal sent
            await connection.request()
            await connection.send(STREAM)
            while True:
                await connection.send(chunk(b"x" * 65_536))
                sent += 1

        async with proxied(script) as proxy, proxy.asking(body("anthropic", SHORT)) as reader:
            before = -1
            while before != sent:  # until nothing moves any more
                before = sent
                await asyncio.sleep(0.3)
            assert 0 < sent < 2_000
            await reader.readexactly(20_000_000)

    run(scenario())


@pytest.mark.parametrize("how", ["closed", "reset"])
@pytest.mark.parametrize("head", [STREAM, b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"])
def test_b090_an_upstream_that_dies_ends_the_stream_without_an_end(how: str, head: bytes) -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(head + (chunk(b"data: 1\n\n") if head == STREAM else b"data: 1\n\n"))
            await asyncio.sleep(0.05)
            if how == "reset":
                connection.reset()

        async with proxied(script) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert answer.body == (chunk(b"data: 1\n\n") if head == STREAM else b"data: 1\n\n")
            assert (answer.status, len(proxy.bodies)) == (200, 1)
            (told,) = proxy.ended
            assert str(told["problem"]).startswith("the upstream's answer broke off after 9 bytes and 0.")
            assert (told["bytes_out"], told["level"]) == (9, "error")

    run(scenario())


def test_b093_a_kept_connection_that_is_dead_goes_unnoticed() -> None:
    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(whole())
        await connection.request()

    async def scenario() -> None:
        async with proxied(script) as proxy:
            for _ in range(2):
                assert (await proxy.ask(body("anthropic", SHORT))).status == 200
            assert proxy.provider.connections == 2

    run(scenario())


# ---------------------------------------------------------------- clients that hang up

Leave = Callable[[Proxy, asyncio.StreamReader], Awaitable[None]]


async def at_once(proxy: Proxy, reader: asyncio.StreamReader) -> None:
    del reader
    while not proxy.provider.requests:
        await asyncio.sleep(0.001)


async def in_mid_stream(proxy: Proxy, reader: asyncio.StreamReader) -> None:
    del proxy
    await reader.readuntil(b"data: 1\n\n")


async def between_tries(proxy: Proxy, reader: asyncio.StreamReader) -> None:
    del reader
    while len(proxy.provider.requests) < 2:
        await asyncio.sleep(0.001)


async def silent(connection: Connection) -> None:
    await connection.request()


async def streaming(connection: Connection) -> None:
    await connection.request()
    await connection.send(STREAM + chunk(b"data: 1\n\n"))


async def refusing(connection: Connection) -> None:
    await connection.request()
    await connection.send(REFUSAL)
    await connection.request()


async def refusing_slowly(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 400 No\r\ncontent-length: 100\r\n\r\n{")


HANGING_UP = {
    "before the first byte": (silent, at_once),
    "in mid-stream": (streaming, in_mid_stream),
    "between two tries": (refusing, between_tries),
    "in a refusal": (refusing_slowly, at_once),
}


@pytest.mark.parametrize("when", HANGING_UP)
def test_b089_a_client_that_hangs_up_closes_the_upstream_within_a_second(when: str) -> None:
    begin, leave = HANGING_UP[when]

    async def scenario() -> None:
        closed = asyncio.Event()

        async def script(connection: Connection) -> None:
            await begin(connection)
            await connection.closed()
            closed.set()

        async with proxied(script) as proxy:
            async with proxy.asking(body("anthropic", LONG)) as reader:
                await leave(proxy, reader)
            await asyncio.wait_for(closed.wait(), 1)
            tries = len(proxy.bodies)
            while not proxy.ended:
                await asyncio.sleep(0.001)
            assert [(told["problem"], told["fate"]) for told in proxy.ended] == [("", "compacted")]
            assert len(proxy.bodies) == tries
            assert proxy.app.watching.status.in_flight == 0

    run(scenario())


def test_b089_a_client_that_hangs_up_while_it_sends_is_forgotten() -> None:
    async def scenario() -> None:
        async with proxied(answering(whole())) as proxy:
            async with connected(proxy.url) as (_, writer):
                writer.write(post("/v1/messages", b"x" * 100_000)[:-1])
                await writer.drain()
            while not proxy.ended:
                await asyncio.sleep(0.001)
            assert (proxy.ended[0]["status"], proxy.bodies) == (0, [])

    run(scenario())


def test_b089_a_client_that_hangs_up_while_it_does_not_read_closes_the_upstream() -> None:
    async def scenario() -> None:
        closed = asyncio.Event()

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM)
            try:
                while True:
                    await connection.send(chunk(b"x" * 65_536))
            finally:
                closed.set()

        async with proxied(script) as proxy:
            async with proxy.asking(body("anthropic", SHORT)):
                await asyncio.sleep(0.3)
            await asyncio.wait_for(closed.wait(), 1)

    run(scenario())


# ---------------------------------------------------------------- many at once


def test_b113_requests_that_begin_alike_go_up_at_once_and_alike() -> None:
    async def scenario() -> None:
        together = asyncio.Barrier(4)

        async def script(connection: Connection) -> None:
            await connection.request()
            await together.wait()  # none is answered before all are there
            await connection.send(whole())

        async with proxied(script) as proxy:
            answers = await asyncio.gather(*(proxy.ask(body("anthropic", LONG)) for _ in range(4)))
            assert [answer.status for answer in answers] == [200] * 4
            assert len(set(proxy.bodies)) == 1
            assert len(proxy.bodies[0]) < len(body("anthropic", LONG))

    run(scenario())


def test_a_large_body_does_not_keep_others_waiting() -> None:
    """It is decided on in a thread, so that a request that comes meanwhile is answered first."""

    async def scenario() -> None:
        async with proxied(answering(whole())) as proxy:
            large = asyncio.create_task(proxy.ask(body("anthropic", 6_000)))
            while not proxy.app.watching.status.in_flight:
                await asyncio.sleep(0)
            await proxy.ask(body("anthropic", SHORT))
            assert not large.done()
            assert (await large).status == 200

    run(scenario())


def test_several_requests_on_one_connection() -> None:
    async def scenario() -> None:
        async with proxied(answering(whole(b"one"), whole(b"two"))) as proxy, connected(proxy.url) as (reader, writer):
            for expected in (b"one", b"two"):
                writer.write(post("/v1/messages", body("anthropic", LONG)).replace(b"connection: close\r\n", b""))
                head = await reader.readuntil(b"\r\n\r\n")
                assert (Answered.of(head).status, await reader.readexactly(3)) == (200, expected)

    run(scenario())
