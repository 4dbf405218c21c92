"""Codex over a WebSocket through the proxy: headless, through tool loops that cross the threshold."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from faithfold.core.values import as_object
from faithfold.testing import Answer, Asked, FakeProvider, Reply, shell, tool_loop
from tests.clients import Run, run_codex
from tests.talks import SocketProxy, fates, proxying, whole
from tests.wires import run

pytestmark = pytest.mark.real_client

TASK = "Read hello.txt, and count what is in it."
STEPS = 10
LOOP = tool_loop(shell(lambda number: f"cat hello.txt; seq {number} 4000"), STEPS, "All was read.")
THRESHOLDS = {"gpt-5.5": 24_000, "gpt-6.1-sol": 31_000}
"""By model: what Codex sends before the first step differs, each step is about 6,000 tokens."""


async def codex(proxy: SocketProxy, home: Path, model: str = "gpt-5.5", *settings: str) -> Run:
    told = await asyncio.to_thread(
        run_codex, f"{proxy.url}/v1", TASK, home, websocket=True, model=model, settings=settings
    )
    assert told.code == 0, told.errors
    return told


@pytest.mark.parametrize("model", THRESHOLDS)
def test_codex_crosses_the_threshold_and_notices_nothing(model: str, tmp_path: Path) -> None:
    threshold = THRESHOLDS[model]
    with FakeProvider(LOOP, window=threshold * 10 // 6, strict_faults=True) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, threshold_tokens=threshold, keep_recent=1) as proxy:
                assert "All was read." in (await codex(proxy, tmp_path, model)).output
                assert fates(proxy).count("compacted") >= 2
                assert fates(proxy).count("substituted") >= 2
                assert {told["problem"] for told in proxy.ended} == {""}
                assert {told["tokens_out"] for told in proxy.ended if told["tokens_out"]} <= sizes()
                assert proxy.notices == []

        def sizes() -> set[object]:
            return {asked.tokens for asked in provider.asked}

        run(scenario())
    assert {received.status for received in provider.requests} == {101, 200}
    assert all(received.websocket for received in provider.requests)
    assert [asked.rounds for asked in provider.asked if not asked.warms_up] == [*range(STEPS + 1)]
    assert max(asked.tokens for asked in provider.asked) <= threshold
    full = whole(provider)
    assert (full[1], full.count(True) >= 3, full.count(False) >= 4) == (False, True, True)


@pytest.mark.parametrize("overflow", ["400", "stream"])
def test_codex_does_not_see_an_overflow(overflow: str, tmp_path: Path) -> None:
    with FakeProvider(LOOP, window=30_000, overflow=overflow, strict_faults=True) as provider:  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

        async def scenario() -> None:
            settings: dict[str, object] = {"threshold_tokens": 40_000, "keep_recent": 1, "hold_ms": 5_000}
            async with proxying(provider.url, **settings) as proxy:
                assert "All was read." in (await codex(proxy, tmp_path)).output
                assert [told["tries"] for told in proxy.ended].count(2) >= 1

        run(scenario())
    assert [asked.rounds for asked in provider.asked][-1] == STEPS


def test_codex_compacts_by_itself_and_that_passes_through(tmp_path: Path) -> None:
    """It decides by the usage of what was sent, asks the provider for a compaction, and goes on from that."""

    def script(asked: Asked) -> Answer:
        if "compaction" in [as_object(item).get("type") for item in asked.messages]:
            return Reply("It went on.")
        return Reply(calls=LOOP(asked).calls, tokens_in=50_000 if asked.rounds > 2 else 10)

    with FakeProvider(script, strict_faults=True) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, threshold_tokens=22_000, keep_recent=1) as proxy:
                told = await codex(proxy, tmp_path, "gpt-5.5", "model_auto_compact_token_limit=40000")
                assert "It went on." in told.output
                assert "compacted" in fates(proxy)

        run(scenario())
    compacts = [asked.compacts for asked in provider.asked]
    assert compacts.count(True) == 1
    assert not compacts[-1]


def test_codex_asks_by_http_at_once_where_there_is_no_websocket(tmp_path: Path) -> None:
    with FakeProvider(LOOP, websockets=False) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, threshold_tokens=24_000, keep_recent=1) as proxy:
                assert "All was read." in (await codex(proxy, tmp_path)).output
                assert "ask by HTTP" in str(proxy.notices)
                assert fates(proxy)[0] == "passed"
                assert fates(proxy).count("compacted") >= 2

        run(scenario())
    assert [received.status for received in provider.requests] == [426, *[200] * (STEPS + 1)]
