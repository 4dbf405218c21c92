"""The proxy's own pages, over real sockets: what they show, to whom, and that a feed ends when it should."""

from __future__ import annotations

import asyncio
import io
import json
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product

import aiohttp
import pytest
import uvicorn
from prometheus_client.parser import text_string_to_metric_families
from starlette.datastructures import Headers
from starlette.types import Scope

from faithfold.core.values import as_object
from faithfold.proxy.logs import Log
from faithfold.proxy.pages import Pages
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from tests.exchanges import compacted, exchange

PATIENCE = 30  # seconds; nothing here takes long
PAGES = ("status", "events", "metrics")


def allowed(scope: Scope) -> str | None:
    """A guard that knows one host and one origin."""
    headers = Headers(scope=scope)
    if not headers.get("host", "").startswith("127.0.0.1:"):
        return "this host is not served"
    return "this origin is not served" if "evil" in headers.get("origin", "") else None


@dataclass
class Site:
    """Pages that are served, and a client of them."""

    watching: Watching
    client: aiohttp.ClientSession
    url: str

    @asynccontextmanager
    async def feed(self, query: str = "", **headers: str) -> AsyncGenerator[Feed]:
        async with self.client.get(f"{self.url}/__faithfold__/events{query}", headers=headers) as answer:
            assert answer.status == 200
            yield Feed(answer)

    async def page(self, name: str) -> bytes:
        async with self.client.get(f"{self.url}/__faithfold__/{name}") as answer:
            assert answer.status == 200
            return await answer.read()

    async def refused(self, method: str, path: str, status: int, **headers: str) -> None:
        """A request is answered with this status and, but for HEAD, one line that says why."""
        async with self.client.request(method, f"{self.url}/__faithfold__/{path}", headers=headers) as answer:
            assert answer.status == status, (method, path)
            check_headers(answer)
            assert (answer.headers.get("allow") == "GET") is (status == 405)
            if method != "HEAD":
                assert list(as_object(await answer.json())) == ["error"]

    def end(self, *numbers: int) -> None:
        """So many exchanges begin and end."""
        for number in numbers:
            self.watching.began(exchange(number))
            self.watching.ended(exchange(number))


class Feed:
    """An event stream, message by message."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer

    async def message(self) -> list[str]:
        """The lines of the next message; none at the end."""
        raw = await self.answer.content.readuntil(b"\n\n") if not self.answer.content.at_eof() else b""
        return raw.decode().splitlines()[:-1]

    async def numbers(self, count: int) -> list[object]:
        """The exchanges of the next messages."""
        data = [(await self.message())[-1].removeprefix("data: ") for _ in range(count)]
        return [as_object(json.loads(each)).get("number") for each in data]


@asynccontextmanager
async def site(watching: Watching | None = None) -> AsyncGenerator[Site]:
    """Pages on a free port, in this event loop."""
    watching = watching or Watching(Engine(), ProxySettings(), log=Log(file=io.StringIO()))
    config = uvicorn.Config(Pages(watching, allowed), lifespan="off", log_config=None, ws="websockets-sansio")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as opened:
        serving = asyncio.create_task(server.serve([opened]))
        async with aiohttp.ClientSession() as client:
            yield Site(watching, client, f"http://127.0.0.1:{opened.getsockname()[1]}")
        watching.close()
        server.should_exit = True
        await serving


def on_site(scene: Callable[[Site], Awaitable[None]]) -> None:
    """Plays a scene."""

    async def play() -> None:
        async with asyncio.timeout(PATIENCE), site() as here:
            await scene(here)

    asyncio.run(play())


async def until(condition: Callable[[], bool]) -> None:
    """Waits for what will be."""
    while not condition():
        await asyncio.sleep(0.005)


def test_status_is_json() -> None:
    async def scene(here: Site) -> None:
        told = compacted(model="\ud83d Größe")
        here.watching.began(told)
        here.watching.decided(told)
        page = as_object(json.loads(await here.page("status")))
        assert page["in_flight"] == 1
        assert as_object(page["settings"])["host"] == "127.0.0.1"
        assert "Größe" in json.dumps(page["sessions"], ensure_ascii=False)

    on_site(scene)


def test_metrics_are_prometheus_text() -> None:
    async def scene(here: Site) -> None:
        here.end(1, 2)
        families = {each.name for each in text_string_to_metric_families((await here.page("metrics")).decode())}
        assert {"faithfold_requests", "faithfold_in_flight", "faithfold_store_entries"} <= families

    on_site(scene)


def test_events_begin_with_the_recent_ones_and_go_on_as_they_come() -> None:
    async def scene(here: Site) -> None:
        here.end(1)
        async with here.feed() as feed:
            first = await feed.message()
            assert first[0] == "id: 1"
            assert as_object(json.loads(first[1].removeprefix("data: ")))["kind"] == "ended"
            here.end(2)
            assert await feed.numbers(1) == [2]

    on_site(scene)


@pytest.mark.parametrize("last", ["", "3"])
def test_events_go_on_after_the_one_that_was_asked_for(last: str) -> None:
    """What the query says stands over where a feed broke off; nonsense is none."""
    nonsense = int(last or 0) + 1
    firsts = {
        "": nonsense,
        "?since=2": 3,
        "?since=1&since=3": 4,
        "?since=x": 1,
        "?since=-1": 1,
        "?since=٣": 1,
        "?since=" + "9" * 5_000: 1,
    }

    async def scene(here: Site) -> None:
        here.end(1, 2, 3, 4)
        for query, first in firsts.items():
            async with here.feed(query, **({"Last-Event-ID": last} if last else {})) as feed:
                assert await feed.numbers(1) == [first], query

    on_site(scene)


def test_a_feed_is_told_what_is_gone_without_an_id() -> None:
    async def scene(here: Site) -> None:
        here.end(*range(1, 1_006))
        async with here.feed("?since=2") as feed:
            assert await feed.message() == ['data: {"kind":"dropped","count":3}']
            assert await feed.numbers(1) == [6]

    on_site(scene)


def test_a_feed_ends_when_its_client_goes() -> None:
    async def scene(here: Site) -> None:
        here.end(1)
        async with here.feed() as feed:
            assert await feed.numbers(1) == [1]
            assert here.watching.events.listeners == 1
        await until(lambda: here.watching.events.listeners == 0)

    on_site(scene)


def test_a_feed_ends_when_the_proxy_does() -> None:
    async def scene(here: Site) -> None:
        async with here.feed() as feed:
            here.end(1)
            here.watching.close()
            assert await feed.numbers(1) == [1]
            assert await feed.message() == []
        assert here.watching.events.listeners == 0

    on_site(scene)


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}], ids=["host", "origin"]
)
def test_who_is_not_allowed_sees_nothing_not_even_what_there_is(headers: dict[str, str]) -> None:
    async def scene(here: Site) -> None:
        for method, page in product(("GET", "POST", "OPTIONS"), (*PAGES, "x")):
            await here.refused(method, page, 403, **headers)
        assert here.watching.events.listeners == 0

    on_site(scene)


def test_there_is_nothing_else() -> None:
    async def scene(here: Site) -> None:
        for path in ("", "status/", "x", "../__faithfold__/x", "STATUS", "status%2f", "%73tatus/x"):
            await here.refused("GET", path, 404)

    on_site(scene)


def test_pages_can_only_be_read() -> None:
    async def scene(here: Site) -> None:
        for method, page in product(("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"), PAGES):
            await here.refused(method, page, 405)

    on_site(scene)


def test_a_web_socket_is_refused() -> None:
    async def scene(here: Site) -> None:
        for origin, status in {"http://127.0.0.1": 405, "http://evil.example": 403}.items():
            with pytest.raises(aiohttp.WSServerHandshakeError) as raised:
                await here.client.ws_connect(f"{here.url}/__faithfold__/events", origin=origin)
            assert raised.value.status == status

    on_site(scene)


def test_no_page_is_cached_guessed_or_shared_with_other_sites() -> None:
    async def scene(here: Site) -> None:
        for page, kind in zip(PAGES, ("application/json", "text/event-stream", "text/plain"), strict=True):
            async with here.client.get(f"{here.url}/__faithfold__/{page}") as answer:
                check_headers(answer)
                assert answer.content_type == kind

    on_site(scene)


def check_headers(answer: aiohttp.ClientResponse) -> None:
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
