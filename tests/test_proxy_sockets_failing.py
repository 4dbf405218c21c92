"""Failures of ours about a WebSocket: before it is open the client is sent elsewhere, afterwards it is told."""

from __future__ import annotations

import asyncio
import json

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import InvalidStatus

from faithfold.proxy.caution import Caution
from faithfold.proxy.client import Asked
from faithfold.proxy.deciding import Engines
from faithfold.proxy.gate import Gate, Passage
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.sockets import Sockets
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from tests.talks import CLIENT, PATH, SERVER, upstream
from tests.wires import PATIENCE, run, served

CAUTION = Caution(None, print)


class BrokenGate(Gate):
    """One that fails."""

    def passage(self, asked: Asked) -> Passage:
        raise ValueError(f"sesame {asked}")


def no_number() -> int:
    raise ValueError("sesame")


def made(url: str) -> tuple[ProxySettings, Engine, Watching]:
    settings = ProxySettings(openai_upstream=url)
    engine = Engine(settings.engine())
    return settings, engine, Watching(engine, settings)


def notices(watching: Watching) -> str:
    return str(watching.status.to_json(0)["notices"])


def test_b099_what_fails_before_it_is_open_leaves_the_way_by_http() -> None:
    settings, engine, watching = made("http://127.0.0.1:9")
    sockets = Sockets(settings, BrokenGate(settings, Engines(engine)), watching, lambda: 1, CAUTION)

    async def scenario() -> None:
        async with served(sockets, **{**SERVER, "lifespan": "off"}) as url:
            with pytest.raises(InvalidStatus, match="426"):
                await connect(url.replace("http", "ws") + PATH, **CLIENT)

    run(scenario())
    assert "ValueError" in notices(watching)
    assert "sesame" not in notices(watching)


def test_what_fails_later_closes_both_sides_and_is_told() -> None:
    async def scenario() -> None:
        closed = asyncio.Event()

        async def script(line: ServerConnection) -> None:
            await line.wait_closed()
            closed.set()

        async with upstream(script) as url:
            settings, engine, watching = made(url)
            sockets = Sockets(settings, Gate(settings, Engines(engine)), watching, no_number, CAUTION)
            async with served(sockets, **{**SERVER, "lifespan": "off"}) as address, asyncio.timeout(PATIENCE):
                async with connect(address.replace("http", "ws") + PATH, **CLIENT) as line:
                    await line.send(json.dumps({"type": "response.create", "input": []}))
                    await line.wait_closed()
                    assert line.close_code == 1011
                await closed.wait()
            assert "ValueError" in notices(watching)
            assert "sesame" not in notices(watching)

    run(scenario())
