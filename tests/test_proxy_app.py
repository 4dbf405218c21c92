"""The proxy as an app: its own pages, and its life."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest

import faithfold
from faithfold.core.values import as_object
from faithfold.proxy.app import create_app
from faithfold.proxy.settings import ProxySettings
from faithfold.resending import Engine
from tests.proxies import SECRET, Answered, body, proxied
from tests.wires import answering, connected, run, upstream, whole

OK = answering(whole())
SHORT, LONG = 3, 12


# ---------------------------------------------------------------- its own pages


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 200),
        (["origin: http://evil.example"], 403),
        (["host: evil.example"], 403),
    ],
)
def test_b124_the_own_pages_are_for_this_machine_alone(headers: list[str], status: int) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            for page in ("status", "events", "metrics"):
                async with connected(proxy.url) as (reader, writer):
                    host = "" if any(line.startswith("host") for line in headers) else "host: localhost\r\n"
                    told = f"GET /__faithfold__/{page} HTTP/1.1\r\n{host}" + "".join(f"{line}\r\n" for line in headers)
                    writer.write(told.encode() + b"\r\n")
                    assert Answered.of(await reader.readuntil(b"\r\n\r\n")).status == status
            assert proxy.provider.requests == []

    run(scenario())


@pytest.mark.parametrize("path", ["", "/", "/no", "/status/x", "/v1/messages", "/%2e%2e/v1/models", "/../v1/messages"])
def test_nothing_under_the_own_pages_reaches_an_upstream(path: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            assert (await proxy.get(f"/__faithfold__{path}")).status == 404
            assert (await proxy.ask(body("anthropic", SHORT), path=f"/__faithfold__{path}")).status in (403, 404)
            assert proxy.provider.requests == []

    run(scenario())


def test_the_status_tells_what_was_done() -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            await proxy.ask(body("anthropic", LONG))
            told = as_object(json.loads((await proxy.get("/__faithfold__/status")).body))
            assert as_object(told["totals"])["compactions"] == 1
            metrics = (await proxy.get("/__faithfold__/metrics")).body
            assert b"faithfold" in metrics

    run(scenario())


def test_b122_no_key_is_written_or_shown_anywhere(tmp_path: Path) -> None:
    echo = json.dumps({"error": {"message": f"incorrect API key: {SECRET}"}}).encode()
    headers = (f"authorization: Bearer {SECRET}", f"cookie: {SECRET}", f"proxy-authorization: {SECRET}")

    async def scenario() -> None:
        answers = (whole(echo, "401 Who", f"set-cookie: {SECRET}"), whole(), b"x\r\n\r\n")
        async with proxied(answering(*answers), debug_dir=str(tmp_path)) as proxy:
            for steps in (SHORT, LONG, SHORT):
                await proxy.ask(body("anthropic", steps), *headers, path=f"/v1/messages?key={SECRET}")
            await proxy.get(f"/v1/{SECRET}", *headers)
            pages = [(await proxy.get(f"/__faithfold__/{page}")).body for page in ("status", "metrics")]
            proxy.app.watching.close()
            shown = [*pages, proxy.log.getvalue().encode(), (await proxy.get("/__faithfold__/events")).body]
            shown += [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
            assert len(shown) > 8
            assert [text for text in shown if SECRET.encode() in text] == []

    run(scenario())


# ---------------------------------------------------------------- its life


def test_without_a_lifespan_it_works_and_is_closed_by_hand() -> None:
    async def scenario() -> None:
        async with upstream(OK) as provider:
            app = create_app(ProxySettings(anthropic_upstream=provider.url), Engine())
            transport = httpx.ASGITransport(app)  # pyright: ignore[reportArgumentType]
            async with httpx.AsyncClient(transport=transport, base_url="http://proxy") as client:
                answer = await client.post("/v1/messages", content=body("anthropic", SHORT))
                assert (answer.status_code, answer.headers["x-faithfold-policy"]) == (200, "cliff")
            await app.close()

    run(scenario())


def test_draining_ends_the_live_feeds() -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            feed = asyncio.create_task(proxy.get("/__faithfold__/events"))
            while not proxy.app.watching.events.listeners:
                await asyncio.sleep(0.001)
            proxy.app.drain()
            assert (await feed).status == 200

    run(scenario())


def test_what_cannot_work_shows_when_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(faithfold.SettingsError, match="unknown policy"):
        create_app(ProxySettings(policy="zip"))
    with pytest.raises(faithfold.SettingsError):
        create_app(ProxySettings(debug_dir=str(tmp_path / "file")))
    monkeypatch.setenv("ALL_PROXY", "socks5://proxy:1080")
    with pytest.raises(faithfold.SettingsError, match="expected http://HOST:PORT"):
        create_app(ProxySettings(anthropic_upstream="https://gateway.example"))
    create_app(ProxySettings(anthropic_upstream="http://127.0.0.1:1", openai_upstream="http://127.0.0.1:1"))
