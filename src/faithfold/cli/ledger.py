"""What a run has gained: counted as its requests end, and said in one line.

Tokens that were left out would have been read from the provider's cache, or anew, and which of the two can't be known.
So the money is a range: all of them at the price of cached input, and all at the full price.

Source: spec 90-decisions, Proxy (`run` ends with one line).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from faithfold.cli.layout import count
from faithfold.models.catalogue import Price, price
from faithfold.proxy.events import event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.logs import Log
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.status import Totals
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine

_MILLION = 1_000_000
_CENT = 0.01


class Ledger(Watching):
    """Watches, and counts the tokens that were left out, by model."""

    def __init__(self, engine: Engine, settings: ProxySettings, log: Log) -> None:
        """Nothing has happened yet."""
        super().__init__(engine, settings, log=log)
        self._saved: Counter[str] = Counter()

    def ended(self, exchange: Exchange) -> None:
        """The answer is through, or the client is gone."""
        super().ended(exchange)
        event = event_of(exchange, "ended")
        self._saved[event.model] += event.tokens_saved

    def line(self) -> str:
        """What was gained, in one line."""
        return "; ".join(_told(self.status.totals, self._saved))


def _told(totals: Totals, saved: Mapping[str, int]) -> Iterator[str]:
    yield count(totals.requests, "request")
    if totals.compactions:
        yield count(totals.compactions, "drop")
    if totals.tokens_saved:
        yield f"about {count(totals.tokens_saved, 'token')} saved{_worth(saved)}"
    if totals.over_budget:
        yield f"{count(totals.over_budget, 'request')} sent over the threshold"


def _worth(saved: Mapping[str, int]) -> str:
    """What so many tokens cost, as far as the models' prices are known; empty where that is not a cent."""
    prices = {model: found for model in saved if (found := price(model)) is not None}
    least, most = (
        sum(saved[model] * rate(known) for model, known in prices.items()) / _MILLION for rate in (_cached, _full)
    )
    if most < _CENT:
        return ""
    return f", worth ${most:,.2f}" if f"{least:.2f}" == f"{most:.2f}" else f", worth ${least:,.2f} to ${most:,.2f}"


def _cached(known: Price) -> float:
    return known.input if known.cache_read is None else known.cache_read


def _full(known: Price) -> float:
    return known.input
