"""Exchanges for the tests of those who watch: filled in by hand, with decisions of a real engine."""

from __future__ import annotations

from dataclasses import replace

from faithfold.proxy.exchange import Exchange
from faithfold.resending import Decision, Engine
from tests.pieces import session
from tests.resending import body_of, small, wire

HISTORY = session("anthropic", 9, "some result " * 20)
LABEL = "0123456789abcdef"


def body() -> bytes:
    """A client's body; too large for a threshold of 700, small for one of 1,000,000."""
    return wire(body_of("anthropic", HISTORY))


def decision(threshold: int = 700) -> Decision:
    return Engine(small(threshold)).prepare(body(), "anthropic")


def exchange(number: int = 1, /, **fields: object) -> Exchange:
    """One that came at 1,000 seconds since the epoch."""
    return replace(Exchange(number, 1_000.0, "POST", "/v1/messages"), **fields)  # type: ignore[arg-type]


def compacted(number: int = 1, /, **fields: object) -> Exchange:
    """One of a session, compacted, and answered."""
    about = {"dialect": "anthropic", "model": "claude", "session": LABEL, "policy": "cliff", "fate": "compacted"}
    return exchange(number, **{**about, "decision": decision(), "tries": 1, "status": 200, **fields})
