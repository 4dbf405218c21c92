"""How a WebSocket comes about: what goes up with the upgrade, what comes back, and what refuses it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request, Response

from faithfold.proxy.app import create_app
from faithfold.proxy.settings import ProxySettings
from tests.talks import CLIENT, SERVER, SocketProxy, proxying, upstream
from tests.wires import Connection, answering, connected, run, served, whole
from tests.wires import upstream as raw_upstream

OFFERED = {"x-codex-turn": "1", "openai-beta": "responses_websockets=2026-02-06", "accept-encoding": "zstd,gzip"}


@dataclass
class Upgrades:
    """The upgrades that came to a provider."""

    url: str
    requests: list[Request]


@asynccontextmanager
async def provider(answer: Sequence[tuple[str, str]] = (), **options: object) -> AsyncGenerator[Upgrades]:
    """A provider that accepts all upgrades, with these headers."""
    requests = list[Request]()

    async def script(line: ServerConnection) -> None:
        await line.wait_closed()

    def note(_: ServerConnection, request: Request) -> None:
        requests.append(request)

    def add(_line: ServerConnection, _request: Request, response: Response) -> None:
        for name, value in answer:
            response.headers[name] = value

    async with upstream(script, process_request=note, process_response=add, **options) as url:
        yield Upgrades(url, requests)


@asynccontextmanager
async def upgraded(
    proxy: SocketProxy, path: str = "/v1/responses", headers: Mapping[str, str] = OFFERED, **options: object
) -> AsyncGenerator[ClientConnection]:
    address = proxy.url.replace("http", "ws") + path
    made = cast("dict[str, Any]", {**CLIENT, **options})
    async with connect(address, additional_headers=headers, **made) as line:
        yield line


async def refused(url: str, path: str = "/v1/responses", **headers: str) -> Response:
    """The answer to an upgrade that is refused."""
    with pytest.raises(InvalidStatus) as error:
        async with connect(url.replace("http", "ws") + path, additional_headers=headers, **CLIENT):
            pass
    return error.value.response


def body_of(response: Response) -> object:
    return json.loads(response.body or b"null")


# ---------------------------------------------------------------- what goes up, and what comes down


def test_b094_b103_the_upgrade_goes_up_with_path_query_and_headers_as_they_came() -> None:
    own = {
        "authorization": "Bearer sk-sesame",
        "x-faithfold-policy": "cliff",
        "proxy-authorization": "Basic x",
        "content-encoding": "gzip",
    }

    async def scenario() -> None:
        async with provider() as upgrades, proxying(upgrades.url + "/base") as proxy:
            async with upgraded(proxy, "/a%2Fb/../v1/responses?x=%20y&z", {**OFFERED, **own}):
                pass
            [request] = upgrades.requests
            assert request.path == "/base/a%2Fb/../v1/responses?x=%20y&z"
            told = {name.lower(): value for name, value in request.headers.raw_items()}
            assert told.items() >= {**OFFERED, "authorization": "Bearer sk-sesame"}.items()
            assert told.keys() - OFFERED.keys() - {"authorization"} == {
                *("host", "upgrade", "connection", "sec-websocket-version", "sec-websocket-key"),
                *("user-agent", "via"),  # the client's own; ours, by which a loop is noticed
            }
            assert told["host"] == upgrades.url.removeprefix("http://")

    run(scenario())


def test_b097_the_headers_of_the_acceptance_come_back() -> None:
    answer = [("x-codex-turn-state", "s1"), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("x-request-id", "r")]

    async def scenario() -> None:
        async with provider(answer) as upgrades, proxying(upgrades.url) as proxy, upgraded(proxy) as line:
            assert line.response is not None
            told = [(name.lower(), value) for name, value in line.response.headers.raw_items()]
            assert [header for header in told if header in answer] == answer
            assert len([name for name, _ in told if name == "sec-websocket-accept"]) == 1

    run(scenario())


@pytest.mark.parametrize(("offered", "agreed"), [(["a", "b"], "b"), (["a"], None), (None, None)])
def test_a_subprotocol_is_agreed_on_with_the_provider(offered: list[str] | None, agreed: str | None) -> None:
    async def scenario() -> None:
        async with provider(subprotocols=["b", "c"], select_subprotocol=select) as upgrades:
            async with proxying(upgrades.url) as proxy, upgraded(proxy, subprotocols=offered) as line:
                assert line.subprotocol == agreed
            [request] = upgrades.requests
            assert request.headers.get("sec-websocket-protocol") == (",".join(offered) if offered else None)

    run(scenario())


def select(_: ServerConnection, offered: Sequence[str]) -> str | None:
    return "b" if "b" in offered else None


def test_nothing_is_compressed_on_the_way_up() -> None:
    async def scenario() -> None:
        async with provider(compression="deflate") as upgrades, proxying(upgrades.url) as proxy:
            async with upgraded(proxy, compression="deflate") as line:
                assert line.protocol.extensions == []
            assert upgrades.requests[0].headers.get("sec-websocket-extensions") is None

    run(scenario())


# ---------------------------------------------------------------- refusals of the upstream


@pytest.mark.parametrize("status", [400, 401, 403, 426, 429, 500, 503])
def test_b099_what_the_upstream_says_goes_back(status: int) -> None:
    said = whole(b'{"error": "no"}', f"{status} No", "retry-after: 7", "set-cookie: a=1", "set-cookie: b=2")

    async def scenario() -> None:
        async with raw_upstream(answering(said)) as raw, proxying(raw.url) as proxy:
            response = await refused(proxy.url)
            assert (response.status_code, response.body) == (status, b'{"error": "no"}')
            assert response.headers.get_all("set-cookie") == ["a=1", "b=2"]
            assert response.headers["retry-after"] == "7"
            assert len(raw.requests) == 1
            [told] = proxy.ended
            assert (told["status"], told["fate"], told["method"]) == (status, "passed", "GET")
            assert bool(proxy.notices) == (status == 426)

    run(scenario())


@pytest.mark.parametrize("status", ["404 Not Found", "405 No", "501 No", "200 OK", "307 Moved", "101 Switching"])
def test_b099_where_the_upstream_knows_no_websocket_the_client_is_to_ask_by_http(status: str) -> None:
    answer = whole(b"{}", status, "location: http://127.0.0.1:1/")

    async def scenario() -> None:
        async with raw_upstream(answering(answer)) as raw, proxying(raw.url) as proxy:
            response = await refused(proxy.url)
            assert (response.status_code, "ask by HTTP" in str(body_of(response))) == (426, True)
            assert len(raw.requests) == 1  # a redirect is not followed
            [notice] = proxy.notices
            assert "ask by HTTP" in str(notice)
            [told] = proxy.ended
            assert (told["status"], told["fate"], bool(told["problem"])) == (426, "refused", True)

    run(scenario())


async def silent(connection: Connection) -> None:
    await connection.request()
    await connection.closed()


def test_b099_the_same_where_the_upstream_is_not_there_or_does_not_answer() -> None:
    async def scenario() -> None:
        async with proxying("http://127.0.0.1:9") as proxy:
            assert (await refused(proxy.url)).status_code == 426
            assert "gave no answer" in str(proxy.notices)
        async with raw_upstream(silent) as raw, proxying(raw.url, connect_timeout_s=1) as proxy:
            assert (await refused(proxy.url)).status_code == 426
            assert "in time" in str(proxy.notices)

    run(scenario())


def test_b089_a_client_that_leaves_before_it_is_accepted_ends_the_upgrade() -> None:
    async def scenario() -> None:
        left = asyncio.Event()

        async def script(connection: Connection) -> None:
            await silent(connection)
            left.set()

        async with raw_upstream(script) as raw, proxying(raw.url) as proxy:
            async with connected(proxy.url) as (_, writer):
                writer.write(UPGRADE)
                while not raw.requests:
                    await asyncio.sleep(0.01)
            async with asyncio.timeout(1):
                await left.wait()
            assert (proxy.notices, proxy.ended) == ([], [])

    run(scenario())


UPGRADE = b"""GET /v1/responses HTTP/1.1\r
host: 127.0.0.1\r
upgrade: websocket\r
connection: Upgrade\r
sec-websocket-version: 13\r
sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r
\r
"""


# ---------------------------------------------------------------- refusals of ours


def test_b124_a_token_is_asked_for_as_by_http() -> None:
    async def scenario() -> None:
        async with provider() as upgrades, proxying(upgrades.url, token="open") as proxy:
            response = await refused(proxy.url)
            assert (response.status_code, "token" in str(body_of(response))) == (403, True)
            assert upgrades.requests == []
            async with upgraded(proxy, headers={"x-faithfold-token": "open"}):
                pass
            assert "x-faithfold-token" not in upgrades.requests[0].headers
            assert [told["fate"] for told in proxy.ended] == ["refused"]

    run(scenario())


def test_a_policy_that_is_unknown_is_refused() -> None:
    async def scenario() -> None:
        async with provider() as upgrades, proxying(upgrades.url) as proxy:
            response = await refused(proxy.url, **{"x-faithfold-policy": "sesame"})
            assert (response.status_code, "names no policy" in str(body_of(response))) == (400, True)
            assert upgrades.requests == []

    run(scenario())


def test_b101_a_proxy_that_leads_to_itself_is_refused() -> None:
    async def scenario() -> None:
        ports = list[int]()

        async def tunnel(connection: Connection) -> None:
            """Takes all that comes back to the proxy."""
            request = await connection.request()
            lines = [request.line, *(f"{name}: {value}" for name, value in request.headers)]
            async with connected(f"http://127.0.0.1:{ports[0]}") as (reader, writer):
                writer.write("\r\n".join([*lines, "\r\n"]).encode())
                await connection.send(await reader.read())

        async with raw_upstream(tunnel) as raw, proxying(raw.url) as proxy:
            ports.append(int(proxy.url.rpartition(":")[2]))
            response = await refused(proxy.url)
            assert (response.status_code, "leads back" in str(body_of(response))) == (508, True)

    run(scenario())


@pytest.mark.parametrize("path", ["/__faithfold__", "/__faithfold__/events", "/__faithfold__/../v1/responses"])
def test_its_own_pages_open_no_websocket_and_reach_no_upstream(path: str) -> None:
    async def scenario() -> None:
        async with provider() as upgrades, proxying(upgrades.url) as proxy:
            assert (await refused(proxy.url, path)).status_code == 426
            assert upgrades.requests == []

    run(scenario())


def test_a_server_that_cannot_refuse_in_its_own_words_closes() -> None:
    async def bare(scope: dict[str, object], receive: object, send: object) -> None:
        await app({**scope, "extensions": {}}, receive, send)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    app = create_app(ProxySettings(openai_upstream="http://127.0.0.1:9"))

    async def scenario() -> None:
        async with served(bare, **{**SERVER, "lifespan": "off"}) as url:
            assert (await refused(url)).status_code == 403

    run(scenario())
