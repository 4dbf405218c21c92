"""Windows and prices of models, from the data package `genai-prices`.

The idea: a model goes by many names. The package knows the models of each provider; here its own matching is asked
with every reading of a name, the most exact one first, and the first model that has what is wanted answers.

Invariant: nothing here raises, and nothing goes to the network: the data are those that the package was installed
with, whoever updates them elsewhere in the process. The package takes a while to import, so it is loaded with the
first question.

Source: spec 90, "threshold_tokens=None".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

    from genai_prices.types import ModelInfo, TieredPrices

# A window below this is a slip in the data, or belongs to a model that holds no conversation.
SMALLEST_WINDOW = 1_000

# No model has so long a name. It bounds the work and the memory that a name from outside can cost.
_LONGEST_NAME = 256

# They have other makers' models, and names of their own for them ("us.anthropic.claude-…", "qwen/qwen3-max").
_RESELLERS = ("aws", "openrouter")


@dataclass(frozen=True, slots=True)
class Price:
    """What tokens cost, in US dollars for a million of them.

    Where a price rises with the length of a request, this is the base price, that of a short one.

    Attributes:
        input: tokens that are read anew.
        output: tokens that are written.
        cache_read: tokens that are read from the cache; None where the package names no price.
        cache_write: tokens that are put into the cache for the shortest time on offer; None likewise.
    """

    input: float
    output: float
    cache_read: float | None
    cache_write: float | None


def window(model: str) -> int | None:
    """The context window of a model, in tokens, or None where it isn't known.

    Args:
        model: its name as users and requests give it, bare, dated or behind providers ("bedrock/us.anthropic.…").
    """
    sizes = (known.context_window for known in _known(model))
    return next((size for size in sizes if size is not None and size >= SMALLEST_WINDOW), None)


def price(model: str) -> Price | None:
    """What a model's tokens cost today, or None where that isn't known.

    The prices are those of the provider that the name points to, else those of the model's maker. Where they change
    with the time of day, these are the ones at noon UTC.

    Args:
        model: its name, as for `window`.
    """
    noon = datetime.now(UTC).replace(hour=12, minute=0)
    priced = (_price(known, noon) for known in _known(model) if known.prices)
    return next((found for found in priced if found is not None), None)


def _price(known: ModelInfo, when: datetime) -> Price | None:
    """The price of a model, or None where it isn't paid by tokens both in and out."""
    prices = known.get_prices(when)
    read, written = _base(prices.input_mtok), _base(prices.output_mtok)
    if read is None or written is None:
        return None
    return Price(read, written, _base(prices.cache_read_mtok), _base(prices.cache_write_mtok))


def _base(rate: Decimal | TieredPrices | None) -> float | None:
    """A rate of the package as a number, without its tiers."""
    from genai_prices.types import TieredPrices

    amount = rate.base if isinstance(rate, TieredPrices) else rate
    return None if amount is None else float(amount)


@lru_cache(maxsize=256)
def _known(model: str) -> tuple[ModelInfo, ...]:
    """The models of the package that a name may mean, the likeliest first."""
    name = model.strip()
    if not name or len(name) > _LONGEST_NAME:
        return ()
    found = (_look_up(provider, rest) for provider, rest in _readings(name))
    return tuple(known for known in found if known is not None)


def _readings(name: str) -> Iterator[tuple[str | None, str]]:
    """Each way to read a name, as (provider or None, model): what stands before a slash may name the provider."""
    rest = name
    while rest:
        head, _, tail = rest.partition("/")
        if tail:
            yield head, tail
        yield None, rest
        rest = tail
    yield from ((reseller, name) for reseller in _RESELLERS)
    # The package has the windows of some of Google's models at this reseller only.
    yield "openrouter", "google/" + name.rpartition("/")[2]


def _look_up(provider: str | None, name: str) -> ModelInfo | None:
    """A provider's model; without a provider, the model of the maker whose names look like this."""
    from genai_prices.data import providers
    from genai_prices.data_snapshot import DataSnapshot

    # A new snapshot for each question: the package remembers every name that it didn't find, without a bound.
    snapshot = DataSnapshot(providers=providers, from_auto_update=False)
    try:
        return snapshot.find_provider_model(name, None, provider, None)[1]
    except LookupError:
        return None
