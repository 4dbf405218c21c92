"""What the client is told of a decision: the `x-faithfold-*` headers of the answer.

Invariant: ASCII, one line each, numbers and names of ours alone.

Source: spec 90-decisions, Proxy, answer headers.
"""

from __future__ import annotations

from collections.abc import Iterator

from faithfold.proxy.exchange import Exchange
from faithfold.proxy.headers import OWN_PREFIX, Header
from faithfold.resending import Decision


def headers_of(exchange: Exchange) -> list[Header]:
    """The headers that tell what became of a request; none where it only passed through."""
    if not exchange.dialect:
        return []
    return [(OWN_PREFIX + name.encode(), str(value).encode("ascii", "replace")) for name, value in _told(exchange)]


def _told(exchange: Exchange) -> Iterator[tuple[str, object]]:
    yield "policy", exchange.policy
    decision = exchange.decision
    if decision is not None:
        yield "tokens-in", decision.tokens_in
        yield "tokens-out", decision.tokens_out
        yield "cut", decision.cut
        yield "rung", decision.rung
    if exchange.session:
        yield "session", exchange.session
    notice = "; ".join(_notices(exchange, decision))
    if notice:
        yield "notice", notice


def _notices(exchange: Exchange, decision: Decision | None) -> Iterator[str]:
    if exchange.fate == "failed":
        yield "sent as it came, because something failed"
    if decision is None:
        return
    if exchange.shadow and decision.modified:
        yield "shadow: nothing was changed"
    if decision.compacted:
        yield f"compacted, {decision.tokens_in} to {decision.tokens_out} tokens"
    if decision.over_budget:
        yield f"over the threshold of {decision.threshold} tokens"
