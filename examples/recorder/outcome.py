"""What a tool gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """One tool's answer.

    ``text`` is what the model reads, ``detail`` the ``toolUseResult`` of the session line.
    """

    text: str
    detail: object
    is_error: bool = False


def failure(reason: str) -> Outcome:
    """The answer of a tool that refused its input."""
    return Outcome(f"<tool_use_error>{reason}</tool_use_error>", f"Error: {reason}", is_error=True)
