"""All that a strategy may ask of the world.

Strategies do nothing themselves: they yield commands and are sent the answers. A driver carries the commands out,
or answers them without doing anything (a shadow run), or compares them with a playbook (a test).

Source: ARCHITECTURE, a functional core that asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the summariser: `system` and `text` in, its answer out, a string."""

    system: str
    text: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """Look up what stands for the beginning of a history, given its chain.

    The answer is what was remembered in this scope of the longest prefix, or None.
    """

    scope: str
    chain: Sequence[str]


@dataclass(frozen=True, slots=True)
class Remember:
    """Remember `entry` for the prefix that ends in `link`; the answer is None."""

    scope: str
    link: str
    entry: object


@dataclass(frozen=True, slots=True)
class Send:
    """Send `body` to the provider; the answer is its status and body."""

    body: bytes


Command = Ask | Lookup | Remember | Send
