"""Upstreams that don't keep to HTTP: nobody gets another one's answer, and nobody waits in vain."""

from __future__ import annotations

import asyncio
import gc
import socket
import struct
from typing import cast

import pytest

from faithfold.proxy.relay import BrokenOffError, UnreachableError, Upstream
from tests.askings import asked, outgoing
from tests.wires import END, PATIENCE, STREAM, Connection, answering, chunk, run, upstream, whole


def test_what_comes_unasked_is_not_the_answer_to_the_next_request() -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(whole(b"first"))
            if connection.number == 1:
                await asyncio.sleep(0.05)  # the connection is kept by then
                await connection.send(whole(b"of somebody else"))
            await connection.request()
            await connection.send(whole(b"second"))

        async with upstream(script) as provider:
            client = Upstream(5)
            assert await asked(client, outgoing(provider)) == b"first"
            await asyncio.sleep(0.2)
            assert await asked(client, outgoing(provider)) == b"first"
            assert await asked(client, outgoing(provider)) == b"second"
            await client.close()
        assert provider.connections == 2

    run(scenario())


def test_an_upstream_that_speaks_first_is_asked_once() -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.send(b"220 mail.example ESMTP\r\n")
            await connection.closed()

        async with upstream(script) as provider:
            client = Upstream(5)
            with pytest.raises(UnreachableError, match="no HTTP"):
                await asked(client, outgoing(provider))
            await client.close()
        assert provider.connections == 1

    run(scenario())


@pytest.mark.parametrize("garbage", [b"what?\r\nis this\r\n", b"-5\r\n", b"ffffffffffffffffffff\r\n"])
def test_nobody_waits_for_more_when_a_chunk_is_none(garbage: bytes) -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM + chunk(b"one"))
            await asyncio.sleep(0.05)
            await connection.send(garbage)
            await connection.closed()

        async with upstream(script) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer, asyncio.timeout(PATIENCE):
                assert await answer.read() == b"one"
                with pytest.raises(BrokenOffError, match="broke off"):
                    await answer.read()
            await client.close()

    run(scenario())


def test_an_answer_that_ends_with_its_connection_is_whole_however_slowly_it_is_read() -> None:
    async def scenario() -> None:
        body = b"x" * 3_000_000

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(b"HTTP/1.1 200 OK\r\n\r\n" + body)

        async with upstream(script) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer:
                size = 0
                while part := await answer.read():
                    size += len(part)
                    await asyncio.sleep(0.002)
            await client.close()
        assert size == len(body)

    run(scenario())


@pytest.mark.parametrize("status", ["101 Switching Protocols", "600 Odd", "999 Odd"])
def test_a_status_that_is_none_is_no_answer(status: str) -> None:
    async def scenario() -> None:
        async with upstream(answering(whole(b"{}", status))) as provider:
            client = Upstream(5)
            with pytest.raises(UnreachableError, match=rf"gave no answer: its status is {status[:3]}$"):
                await asked(client, outgoing(provider))
            await client.close()

    run(scenario())


def test_how_a_kept_connection_ended_is_nobodys_loss() -> None:
    async def scenario() -> None:
        told: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM + chunk(b"one"))
            await asyncio.sleep(0.05)
            await connection.send(END)
            await connection.request()
            await connection.send(STREAM + chunk(b"two") + END)
            await asyncio.sleep(0.05)
            made = cast("socket.socket", connection.writer.get_extra_info("socket"))
            made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.reset()

        async with upstream(script) as provider:
            client = Upstream(5)
            assert await asked(client, outgoing(provider)) == b"one"
            assert await asked(client, outgoing(provider)) == b"two"
            await asyncio.sleep(0.2)
            assert await asked(client, outgoing(provider)) == b"one"
            gc.collect()
            await client.close()
        assert (told, provider.connections) == ([], 2)

    run(scenario())
