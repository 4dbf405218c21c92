"""One request up, its answer down: what goes over the wire."""

from __future__ import annotations

import asyncio

import pytest

from faithfold.proxy.relay import UnreachableError, Upstream
from tests.askings import asked, outgoing, read
from tests.wires import END, STREAM, Connection, answering, chunk, run, upstream, whole


def test_a_request_goes_up_as_it_is_and_nothing_is_added() -> None:
    async def scenario() -> None:
        headers = [(b"x-api-key", b"k"), (b"x-b", b"1"), (b"x-a", b"2"), (b"x-b", "ü".encode())]
        async with upstream(answering(whole())) as provider:
            client = Upstream(5)
            await asked(client, outgoing(provider, b'{"a": 1}', headers=headers))
            await asked(client, outgoing(provider, b"", "GET"))
            await client.close()
        first, second = provider.requests
        names = [name.lower() for name, _ in first.headers]
        assert first.line == "POST /v1/messages HTTP/1.1"
        assert names == ["host", "x-api-key", "x-b", "x-a", "x-b", "content-length"]
        assert first.values("x-b") == ["1", "ü".encode().decode("latin-1")]
        assert first.body == b'{"a": 1}'
        assert (second.line, [name for name, _ in second.headers]) == ("GET /v1/messages HTTP/1.1", ["Host"])

    run(scenario())


@pytest.mark.parametrize(
    "target",
    [
        "/v1/messages%2Fcount_tokens",
        "/v1/files/a%2fb%20c",
        "/v1/messages/../models",
        "//v1/messages",
        "/v1/./x/",
        "/v1/messages?beta=true&x=%2B+%61&y=a/b?c",
        "/?=&&",
        "/%E4%BD%A0%ff",
        "/a:b@c;d=e,f!$'()*",
    ],
)
def test_b103_the_path_goes_up_as_it_came(target: str) -> None:
    async def scenario() -> None:
        async with upstream(answering(whole())) as provider:
            client = Upstream(5)
            await asked(client, outgoing(provider, target=target))
            await asked(client, outgoing(provider.url + "/base/", target=target))
            await client.close()
        assert [request.target for request in provider.requests] == [target, "/base" + target]

    run(scenario())


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_048_576, 1_048_577, 5_000_000])
def test_b098_a_body_of_any_size_goes_up_whole(size: int) -> None:
    async def scenario() -> None:
        body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        async with upstream(answering(whole())) as provider:
            client = Upstream(5)
            await asked(client, outgoing(provider, body))
            await client.close()
        (request,) = provider.requests
        assert (request.body == body, request.values("content-length")) == (True, [str(size)])
        assert request.values("transfer-encoding") == []

    run(scenario())


def test_b097_the_headers_of_an_answer_are_kept_raw_and_repeated() -> None:
    lines = [
        "Set-Cookie: a=1",
        "set-cookie: b=2",
        "content-encoding: gzip",
        "X-Long: " + "x" * 20_000,
        "retry-after: 7",
    ]

    async def scenario() -> None:
        async with upstream(answering(whole(b"\x1f\x8bno gzip at all", "529 Busy", *lines))) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer:
                assert answer.status == 529
                told = [b"%b: %b" % header for header in answer.headers]
                assert told == [b"content-length: 16", *map(str.encode, lines)]
                assert await read(answer) == b"\x1f\x8bno gzip at all"
            async with client.ask(outgoing(provider)) as answer:
                await read(answer)
            await client.close()
        assert provider.requests[1].values("cookie") == []

    run(scenario())


def test_b125_a_redirect_is_passed_on_and_not_followed() -> None:
    async def scenario() -> None:
        async with upstream(answering(whole(b"", "307 Moved", "location: http://127.0.0.1:1/"))) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer:
                assert (answer.status, (b"location", b"http://127.0.0.1:1/") in answer.headers) == (307, True)
            await client.close()

    run(scenario())


@pytest.mark.parametrize(
    ("method", "head"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", b"HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n"),
    ],
)
def test_an_answer_without_a_body_ends_at_once_and_the_connection_is_kept(method: str, head: bytes) -> None:
    async def scenario() -> None:
        async with upstream(answering(head)) as provider:
            client = Upstream(5)
            for _ in range(2):
                assert await asked(client, outgoing(provider, b"", method)) == b""
            await client.close()
        assert provider.connections == 1

    run(scenario())


def test_hints_that_come_before_an_answer_are_passed_over() -> None:
    async def scenario() -> None:
        hints = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"
        async with upstream(answering(hints + whole(b"{}", "201 Created"))) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer:
                assert (answer.status, await read(answer)) == (201, b"{}")
            await client.close()

    run(scenario())


def test_b087_chunks_come_down_one_by_one() -> None:
    async def scenario() -> None:
        seen = asyncio.Queue[bytes]()

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM)
            for part in (b"data: \xe4\xbd", b"\xa0\n\n", b": ping\n\n"):
                await connection.send(chunk(part))
                assert await asyncio.wait_for(seen.get(), 5) == part
            await connection.send(END)

        async with upstream(script) as provider:
            client = Upstream(5)
            async with client.ask(outgoing(provider)) as answer:
                while part := await answer.read():
                    seen.put_nowait(part)
            await client.close()

    run(scenario())


SECRET = (b"authorization", b"Bearer sesame")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "it closed the connection"),
        (b"sesame\r\n\r\n", "what it sent is no HTTP"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: sesame\r\n\r\n", "what it sent is no HTTP"),
    ],
)
def test_b122_what_goes_wrong_is_one_line_without_anything_secret(answer: bytes, told: str) -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(answer)

        async with upstream(script) as provider:
            client = Upstream(5)
            with pytest.raises(UnreachableError) as raised:
                await asked(client, outgoing(provider, headers=[SECRET]))
            await client.close()
        assert str(raised.value) == f"the upstream {provider.url.removeprefix('http://')} gave no answer: {told}"

    run(scenario())
