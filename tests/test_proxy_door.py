"""Which requests come in, which go on and with which headers, and which are refused at the door."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from faithfold.core.values import as_object
from faithfold.proxy.app import create_app
from faithfold.proxy.settings import ProxySettings
from tests.proxies import PATHS, Answered, body, encoded, proxied
from tests.wires import END, answering, chunk, connected, post, run, said, served, whole

OK = answering(whole())
SHORT, LONG = 3, 12


# ---------------------------------------------------------------- headers and paths, end to end


def test_b096_b097_what_was_said_to_the_proxy_alone_is_not_passed_on() -> None:
    async def scenario() -> None:
        lines = ["set-cookie: a=1", "set-cookie: b=2", "connection: X-Hop", "x-hop: 1", "keep-alive: timeout=5"]
        lines += ["proxy-authenticate: Basic", "trailer: x", "date: Thu, 01 Jan 1970 00:00:00 GMT", "server: theirs"]
        async with proxied(answering(whole(b"{}", "200 OK", *lines))) as proxy:
            sent = ["te: trailers", "proxy-authorization: Basic x", "connection: close, x-mine", "x-mine: 1"]
            sent += [
                "expect: 100-continue",
                "x-faithfold-token: t",
                "accept-encoding: gzip",
                "x-twice: 1",
                "x-twice: 2",
            ]
            answer = await proxy.ask(body("anthropic", SHORT), *sent)
            (request,) = proxy.provider.requests
            assert [name for name, _ in request.headers if name != "Host"] == [
                *("x-api-key", "accept-encoding", "x-twice", "x-twice", "via", "content-length")
            ]
            names = [name for name, _ in answer.headers if not name.startswith("x-faithfold-")]
            assert names == ["content-length", "set-cookie", "set-cookie", "date", "server", "connection"]
            assert (answer.value("server"), answer.value("connection")) == ("theirs", "close")

    run(scenario())


def test_b094_the_headers_of_an_answer_come_back() -> None:
    lines = ["retry-after: 3", "request-id: r", "anthropic-ratelimit-tokens-remaining: 5", "content-encoding: gzip"]

    async def scenario() -> None:
        async with proxied(answering(whole(b"\x1f\x8b", "200 OK", *lines))) as proxy:
            answer = await proxy.ask(body("anthropic", SHORT))
            assert [answer.value(line.split(":")[0]) for line in lines] == [line.split(": ")[1] for line in lines]

    run(scenario())


def test_b095_queries_betas_and_unknown_fields_go_up_as_they_came() -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            sent = body("anthropic", SHORT, context_management={"edits": []}, speed="fast")
            await proxy.ask(sent, "anthropic-beta: a,b", "anthropic-beta: c", path="/v1/messages?beta=true&x=%2F+1")
            (request,) = proxy.provider.requests
            assert (request.target, request.body) == ("/v1/messages?beta=true&x=%2F+1", sent)
            assert request.values("anthropic-beta") == ["a,b", "c"]

    run(scenario())


RAW_PATHS = [
    "/v1/messages%2Fcount_tokens",
    "/v1/files/a%2Fb",
    "/v1/messages/../models",
    "//v1/messages/x",
    "/x/../__faithfold__/status",
    "/%5F%5Ffaithfold__/status",
    "/__faithfold__x",
]


@pytest.mark.parametrize("path", RAW_PATHS)
def test_b103_paths_are_not_normalised(path: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            await proxy.get(path)
            assert [request.target for request in proxy.provider.requests] == [path]

    run(scenario())


@pytest.mark.parametrize(
    "line", ["GET http://evil.example/v1/models HTTP/1.1", "GET https://evil:1/v1/models HTTP/1.1"]
)
def test_b125_no_request_chooses_its_upstream(line: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            told = f"{line}\r\nhost: evil.example\r\nx-target-url: http://evil\r\nconnection: close\r\n\r\n"
            assert Answered.of(await said(proxy.url, told.encode())).status == 200
            assert [request.target for request in proxy.provider.requests] == ["/v1/models"]

    run(scenario())


@pytest.mark.parametrize("line", ["CONNECT evil.example:443 HTTP/1.1", "GET * HTTP/1.1", "GET noslash HTTP/1.1", "GET"])
def test_odd_targets_reach_no_other_place_and_harm_nobody(line: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            await said(proxy.url, f"{line}\r\nhost: evil.example\r\nconnection: close\r\n\r\n".encode())
            assert {request.line for request in proxy.provider.requests} <= {"GET /* HTTP/1.1"}
            assert (await proxy.get("/v1/models")).status == 200

    run(scenario())


# ---------------------------------------------------------------- refused at the door


def test_with_a_token_every_request_brings_it() -> None:
    async def scenario() -> None:
        async with proxied(OK, token="sesame", host="0.0.0.0") as proxy:
            for headers in ([], ["x-faithfold-token: wrong"], ["authorization: Bearer sesame"]):
                for path in (*PATHS.values(), "/v1/models"):
                    assert (await proxy.ask(body("anthropic", SHORT), *headers, path=path)).status == 403
            assert proxy.bodies == []
            assert (await proxy.ask(body("anthropic", SHORT), "x-faithfold-token: sesame")).status == 200
            assert (await proxy.get("/__faithfold__/status")).status == 403
            assert (await proxy.get("/__faithfold__/status", "authorization: Bearer sesame")).status == 200
            assert "sesame" not in proxy.log.getvalue()

    run(scenario())


def test_b101_a_request_that_comes_back_is_refused() -> None:
    async def scenario() -> None:
        settings = ProxySettings(anthropic_upstream="http://127.0.0.1:1")
        app = create_app(settings)
        async with served(app) as url, served(create_app(ProxySettings(anthropic_upstream=url))) as before:
            object.__setattr__(settings, "anthropic_upstream", before)  # as a name in the network could be turned
            answer = Answered.of(await said(url, post("/v1/messages", body("anthropic", LONG))))
        assert answer.status == 508
        assert b"the upstream leads back to this proxy" in answer.body

    run(scenario())


def test_an_upstream_that_cannot_be_reached_is_a_502_with_one_line() -> None:
    async def scenario() -> None:
        async with proxied(OK, anthropic_upstream="http://127.0.0.1:1", openai_upstream="http://127.0.0.1:1") as proxy:
            for dialect, path in PATHS.items():
                answer = await proxy.ask(body(dialect, LONG), path=path)
                error = as_object(as_object(json.loads(answer.body))["error"])
                assert (answer.status, answer.value("content-type")) == (502, "application/json")
                assert "the upstream 127.0.0.1:1 gave no answer: " in str(error["message"])
            assert [told["level"] for told in proxy.ended] == ["error"] * 3

    run(scenario())


LIMIT = 100_000


@pytest.mark.parametrize("path", [*PATHS.values(), "/v1/files"])
def test_b098_a_body_that_says_it_is_too_large_is_refused_at_once(path: str) -> None:
    async def scenario() -> None:
        async with proxied(OK, max_body_bytes=LIMIT) as proxy, connected(proxy.url) as (reader, writer):
            writer.write(post(path, b"")[:-4].replace(b"content-length: 0", b"content-length: 100001") + b"\r\n\r\n")
            head = Answered.of(await reader.readuntil(b"\r\n\r\n"))
            error = as_object(json.loads(await reader.readexactly(int(head.value("content-length") or 0))))["error"]
            assert (head.status, "max_body_bytes" in str(error), proxy.bodies) == (413, True, [])
            assert ("code" in as_object(error)) == (path != "/v1/messages")

    run(scenario())


async def send_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(chunk(b"x" * 65_536))
        await writer.drain()


def test_b098_b128_an_endless_body_is_refused_and_not_read_for_ever() -> None:
    async def scenario() -> None:
        async with proxied(OK, max_body_bytes=LIMIT) as proxy, connected(proxy.url) as (reader, writer):
            writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
            endless = asyncio.create_task(send_for_ever(writer))
            assert Answered.of(await reader.readuntil(b"\r\n\r\n")).status == 413
            with pytest.raises(ConnectionError):
                await endless
            assert proxy.ended[0]["fate"] == "refused"

    run(scenario())


def test_b098_a_body_of_just_the_limit_goes_up() -> None:
    async def scenario() -> None:
        async with proxied(OK, max_body_bytes=LIMIT) as proxy, connected(proxy.url) as (reader, writer):
            head = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
            writer.write(head + chunk(b"x" * LIMIT) + END)
            assert Answered.of(await reader.read()).status == 200
            assert [len(sent) for sent in proxy.bodies] == [LIMIT]
            assert proxy.provider.requests[0].values("content-length") == [str(LIMIT)]

    run(scenario())


def test_b098_a_body_that_grows_too_large_is_refused() -> None:
    async def scenario() -> None:
        async with proxied(OK, max_body_bytes=LIMIT) as proxy:
            answer = await proxy.ask(encoded(b" " * (LIMIT + 1), "gzip"), "content-encoding: gzip")
            assert (answer.status, proxy.bodies) == (413, [])

    run(scenario())


def test_b099_a_websocket_is_refused_so_that_the_client_asks_by_http() -> None:
    upgrade = ("upgrade: websocket", "connection: upgrade", "sec-websocket-version: 13", "sec-websocket-key: x")

    async def scenario() -> None:
        async with proxied(OK) as proxy:
            told = "\r\n".join(("GET /v1/responses HTTP/1.1", "host: 127.0.0.1", *upgrade)).encode() + b"\r\n\r\n"
            async with connected(proxy.url) as (reader, writer):
                writer.write(told)
                assert Answered.of(await reader.readuntil(b"\r\n\r\n")).status == 426
            assert proxy.bodies == []
            assert "WebSocket" in str(proxy.app.watching.status.to_json(0)["notices"])

    run(scenario())


def test_b099_the_same_from_a_server_that_speaks_websocket() -> None:
    async def scenario() -> None:
        async with served(create_app(), ws="websockets-sansio") as url:
            with pytest.raises(InvalidStatus, match="426"):
                await connect(url.replace("http", "ws") + "/v1/responses").__aenter__()

    run(scenario())
