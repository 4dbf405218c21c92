"""What becomes of connections to an upstream: those that die, those that are left, those that never come about."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from faithfold.proxy.relay import BrokenOffError, UnreachableError, Upstream, probing_socket
from tests.askings import asked, outgoing
from tests.wires import STREAM, Connection, Script, answering, chunk, run, upstream, whole


def dying(how: str, *, first: int = 1) -> Script:
    """Answers the first requests of a connection well; at the next one, it dies."""

    async def script(connection: Connection) -> None:
        for _ in range(first):
            await connection.request()
            await connection.send(whole())
        await connection.request()
        if how == "in the head":
            await connection.send(b"HTTP/1.1 200 O")
        if how == "reset":
            connection.reset()

    return script


@pytest.mark.parametrize("how", ["closed", "reset"])
@pytest.mark.parametrize("size", [2, 3_000_000])
def test_b093_a_kept_connection_that_is_dead_costs_one_try_and_nobody_notices(how: str, size: int) -> None:
    async def scenario() -> None:
        async with upstream(dying(how)) as provider:
            client = Upstream(5)
            for _ in range(2):
                assert await asked(client, outgoing(provider, b"x" * size)) == b"{}"
            await client.close()
        assert provider.connections == 2
        assert [len(request.body) for request in provider.requests] == [size, size, size]

    run(scenario())


@pytest.mark.parametrize(("how", "first"), [("closed", 0), ("reset", 0), ("in the head", 0), ("in the head", 1)])
def test_b090_a_request_is_not_sent_again_on_a_new_connection_or_once_an_answer_began(how: str, first: int) -> None:
    async def scenario() -> None:
        async with upstream(dying(how, first=first)) as provider:
            client = Upstream(5)
            for _ in range(first):
                await asked(client, outgoing(provider))
            with pytest.raises(UnreachableError, match=r"^the upstream 127\.0\.0\.1:\d+ gave no answer: "):
                await asked(client, outgoing(provider))
            await client.close()
        assert len(provider.requests) == first + 1

    run(scenario())


def test_b093_the_second_try_is_the_last() -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            if connection.number == 1:
                await connection.send(whole())
                await connection.request()

        async with upstream(script) as provider:
            client = Upstream(5)
            await asked(client, outgoing(provider))
            with pytest.raises(UnreachableError, match=r"it closed the connection$"):
                await asked(client, outgoing(provider))
            await client.close()
        assert len(provider.requests) == 3

    run(scenario())


@pytest.mark.parametrize(
    "answer",
    [
        STREAM + chunk(b"one") + chunk(b"two"),
        STREAM + chunk(b"one") + b"3\r\ntwo",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonetwo",
    ],
)
@pytest.mark.parametrize("how", ["closed", "reset"])
def test_b090_an_answer_that_breaks_off_gives_what_came_and_then_says_so(answer: bytes, how: str) -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(answer)
            if how == "reset":
                await asyncio.sleep(0.05)  # a reset overtakes what is still on the way
                connection.reset()

        async with upstream(script) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as begun:
                await asyncio.sleep(0.1)  # both are there now: the bytes, and the end
                assert await begun.read() == b"onetwo"
                for _ in range(2):
                    with pytest.raises(BrokenOffError, match="broke off"):
                        await begun.read()
            await client.close()
        assert len(provider.requests) == 1

    run(scenario())


def test_b089_leaving_an_answer_closes_its_connection() -> None:
    async def scenario() -> None:
        left = asyncio.Event()

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM + chunk(b"one"))
            await connection.closed()
            left.set()

        async with upstream(script) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer:
                assert await answer.read() == b"one"
            await asyncio.wait_for(left.wait(), 1)
            await client.close()

    run(scenario())


@pytest.mark.parametrize(
    ("url", "told"),
    [("http://127.0.0.1:1", "Connection refused|Connect call failed"), ("http://nowhere.invalid", "")],
)
def test_an_upstream_that_is_not_there(url: str, told: str) -> None:
    async def scenario() -> None:
        client = Upstream(5)
        with pytest.raises(UnreachableError, match=rf"^the upstream \S+ gave no answer: .*({told})") as raised:
            await asked(client, outgoing(url))
        await client.close()
        assert "\n" not in str(raised.value)

    run(scenario())


def test_connections_are_made_in_the_loop_that_needs_them() -> None:
    client = Upstream(5)

    async def scenario() -> None:
        async with upstream(answering(whole())) as provider:
            assert await asked(client, outgoing(provider)) == b"{}"
        await client.close()

    run(scenario())
    run(scenario())


# ---------------------------------------------------------------- proxies on the way


def by_way_of(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", proxy)


def test_b101_another_machine_is_reached_through_the_proxy_that_the_variables_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario() -> None:
        async with upstream(answering(whole())) as between:
            by_way_of(between.url.replace("://", "://me:secret@"), monkeypatch)
            client = Upstream(5)
            await asked(client, outgoing("http://gateway.example", target="/v1/a%2Fb?x=%2B"))
            await client.close()
        (request,) = between.requests
        assert request.line == "POST http://gateway.example/v1/a%2Fb?x=%2B HTTP/1.1"
        assert request.values("host") == ["gateway.example"]
        assert request.values("proxy-authorization") == ["Basic bWU6c2VjcmV0"]

    run(scenario())


def test_b101_this_machine_is_never_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        by_way_of("http://127.0.0.1:1", monkeypatch)
        async with upstream(answering(whole())) as provider:
            client = Upstream(5)
            for url in (provider.url, provider.url.replace("127.0.0.1", "localhost")):
                assert await asked(client, outgoing(url)) == b"{}"
            await client.close()

    run(scenario())


def test_no_credentials_are_taken_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\ndefault login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))

    async def scenario() -> None:
        async with upstream(answering(whole())) as provider:
            client = Upstream(5)
            await asked(client, outgoing(provider))
            await client.close()
        assert provider.requests[0].values("authorization") == []

    run(scenario())


def test_a_connection_is_probed_while_it_is_silent() -> None:
    with probing_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ())) as made:
        assert made.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
