"""The budget that a strategy works to.

Source: spec 00-model, Sizes; spec 05-api (`target_tokens`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """How large the messages may be: `tokens`, or None for no bound. A strategy keeps to it where that can be done."""

    tokens: int | None = None
