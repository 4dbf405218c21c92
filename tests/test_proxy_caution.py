"""The warning of a threshold that is larger than the window of a model: once, and only where it is true."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from faithfold.proxy.caution import Caution

WINDOW = 200_000
LINE = "threshold_tokens is 200001, but the window of claude-sonnet-4-5 is 200000; set it lower, or none"


def said(threshold: int | None, *models: str) -> list[str]:
    lines: list[str] = []

    async def scenario() -> None:
        loop, caution = asyncio.get_running_loop(), Caution(threshold, lines.append)
        loop.set_default_executor(ThreadPoolExecutor(1))
        for model in models:
            caution.see(model)
            await loop.run_in_executor(None, bool)  # comes after what is looked up

    asyncio.run(scenario())
    return lines


@pytest.mark.parametrize(
    ("threshold", "models", "lines"),
    [
        (WINDOW + 1, ["claude-sonnet-4-5"], [LINE]),
        (WINDOW + 1, ["", "unheard-of", "claude-sonnet-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"], [LINE]),
        (WINDOW, ["claude-sonnet-4-5"], []),
        (None, ["claude-sonnet-4-5"], []),
        (WINDOW + 1, [*(f"unheard-of-{number}" for number in range(200)), "claude-sonnet-4-5"], []),
    ],
)
def test_it_is_said_once(threshold: int | None, models: list[str], lines: list[str]) -> None:
    assert said(threshold, *models) == lines
