"""One request on its way through the proxy: what came, what was decided, what came back.

It is filled in as things happen; whoever watches (status, events, metrics, logs, spans, dumps) reads it and changes
nothing. It never holds a key, a header's value or a text of the conversation, but in the decision.

Source: spec 40-proxy, What a person sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from faithfold.resending import Decision

Fate = Literal["passed", "untouched", "substituted", "compacted", "refused", "failed"]
"""What became of a request: not ours to read (`passed`), sent as it came, sent with an earlier compaction put in,
compacted now, refused by us (strict, too large), or sent as it came because something of ours failed."""


@dataclass(slots=True)
class Exchange:
    """One request and its answer.

    Attributes:
        number: counts from 1 in each process.
        began: when it came, in seconds since the epoch.
        method, path: of the request; the path without its query, as it was sent.
        dialect: of its messages; empty where it was only passed on.
        model: that it asks.
        session: 16 hex digits that are the same for all requests of one conversation; empty where there is none.
        policy: that decided.
        fate: what became of it.
        shadow: whether the decision was only made, and the request sent as it came.
        decision: what was decided, the last of several.
        bytes_in: size of the client's body.
        bytes_up: size of the body that went to the provider, the last of several.
        tries: how many requests went to the provider for it.
        status: of the answer; 0 where there was none.
        bytes_out: size of the answer so far.
        overhead: seconds that were spent on deciding and writing.
        first_byte: seconds until the client was sent the first byte of the answer; None before.
        seconds: how long it took in all; 0 while it goes on.
        problem: one line about what went wrong, without texts of the conversation; empty where nothing did.
    """

    number: int
    began: float
    method: str
    path: str
    dialect: str = ""
    model: str = ""
    session: str = ""
    policy: str = ""
    fate: Fate = "passed"
    shadow: bool = False
    decision: Decision | None = None
    bytes_in: int = 0
    bytes_up: int = 0
    tries: int = 0
    status: int = 0
    bytes_out: int = 0
    overhead: float = 0.0
    first_byte: float | None = None
    seconds: float = 0.0
    problem: str = ""


class Watcher(Protocol):
    """Who is told of each exchange. It must be quick, and must not raise."""

    def began(self, exchange: Exchange) -> None:
        """A request came."""
        ...

    def decided(self, exchange: Exchange) -> None:
        """It was decided what to send in its place; once more after each overflow."""
        ...

    def ended(self, exchange: Exchange) -> None:
        """The answer is through, or the client is gone."""
        ...
