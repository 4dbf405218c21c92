"""What is noted of a decision, the same for requests that come over HTTP and over a WebSocket.

Invariant: nothing that is noted holds a word of the conversation.

Source: spec 40-proxy, What a person sees.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from traceback import extract_tb
from typing import TypeVar

from faithfold.proxy.deciding import Plan
from faithfold.proxy.exchange import Exchange, Fate, Watcher

_T = TypeVar("_T")

_IN_A_THREAD = 256 * 1024  # bytes of a body from which on deciding could keep other requests waiting


async def timed(exchange: Exchange, size: int, decide: Callable[[], _T]) -> _T:
    """Decides, in a thread where that may take long, and notes how long it took.

    Args:
        exchange: where that is noted.
        size: of the body, in bytes.
        decide: what is to be done.
    """
    began = perf_counter()
    try:
        return await asyncio.to_thread(decide) if size >= _IN_A_THREAD else decide()
    finally:
        exchange.overhead += perf_counter() - began


def note(watcher: Watcher, exchange: Exchange, made: Plan) -> None:
    """Notes what becomes of a request, and tells of the decision if there is one."""
    exchange.fate = _fate(made)
    if made.decision is None:
        return
    exchange.decision = made.decision
    if made.decision.failed:
        exchange.problem = made.decision.problem
    watcher.decided(exchange)


def named(policy: object) -> str:
    """A policy by its name, or by those of its parts."""
    if isinstance(policy, str):
        return policy
    parts: list[object] = [*policy] if isinstance(policy, (list, tuple)) else [policy]
    return ",".join(part if isinstance(part, str) else getattr(part, "__name__", type(part).__name__) for part in parts)


def _fate(made: Plan) -> Fate:
    """What becomes of a request by a plan."""
    decision = made.decision
    if decision is None:
        return "untouched"
    if decision.failed:
        return "failed"  # a body that can't be read, or can't be small enough, is none of our failures
    if decision.modified:
        return "compacted" if decision.compacted else "substituted"
    return "untouched"


def where(error: BaseException) -> str:
    """What failed, and where; what an error says may hold words of the conversation."""
    frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in extract_tb(error.__traceback__)]
    return " at ".join([type(error).__name__, *frames[-1:]])
