"""All that a strategy may ask of the world.

Strategies do nothing themselves: they yield commands and are sent the answers. A driver carries the commands out,
or answers them without doing anything (a shadow run), or compares them with a playbook (a test).

Source: ARCHITECTURE, a functional core that asks.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the summariser: `system` and `text` in, its answer out, a string."""

    system: str
    text: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """Look up what was remembered under `keys`; the answer is a dict of those that were found."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remember:
    """Remember `value` (JSON) under `key`; the answer is None."""

    key: str
    value: object


@dataclass(frozen=True, slots=True)
class Send:
    """Send `body` to the provider; the answer is its status and body."""

    body: bytes


Command = Ask | Lookup | Remember | Send
