"""What a caller can set about compaction.

A plain frozen value, checked where it is made; `faithfold.settings` fills it from flags, environment and file.

Source: spec 05-api, CompactSettings; spec 10-cliff, the table of content classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from faithfold.core.errors import SettingsError
from faithfold.core.strategy import Strategy

Policy = str | Strategy | Sequence[str | Strategy]
"""A policy's name, a strategy of the caller's own, or a list of these, run in order."""

PAPER_THOUGHT_CHARS = 300
"""Where the paper cuts assistant text; the reference implementation, and so the default here, doesn't."""


@dataclass(frozen=True, slots=True)
class CompactSettings:
    """How a conversation is compacted. Lengths are in characters, and 0 means no cut.

    Attributes:
        policy: what to run.
        keep_recent: how many of the newest steps are kept as they are.
        thought_max_chars: where assistant text is cut in the note.
        thinking_max_chars: where readable thinking is cut in the note.
        keep_thinking: whether readable thinking enters the note at all.
        cmd_max_chars: where the arguments of a tool call are cut in the note.
        result_max_chars: tool results longer than this are left out of the note.
        human_max_chars: where human text, and instructions among the messages, are cut in the note.
        results: what becomes of a tool result that is too long: it is dropped.
        target_tokens: the result is at most this size where that can be done; the note gives way, oldest parts first.

    Raises:
        SettingsError: a value is of another type, a number is negative, or `results` is unknown.
    """

    policy: Policy = "cliff"
    keep_recent: int = 3
    thought_max_chars: int = 0
    thinking_max_chars: int = 0
    keep_thinking: bool = True
    cmd_max_chars: int = 150
    result_max_chars: int = 500
    human_max_chars: int = 20_000
    results: Literal["drop"] = "drop"
    target_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuses what can't be meant."""
        for name in _COUNTS:
            check_count(name, getattr(self, name))
        if self.target_tokens is not None:
            check_count("target_tokens", self.target_tokens)
        if type(self.keep_thinking) is not bool:
            raise SettingsError(f"keep_thinking must be true or false, not {self.keep_thinking!r}")
        if self.results != "drop":
            raise SettingsError(f"results must be 'drop', not {self.results!r}")


_COUNTS = ("keep_recent", *(f"{what}_max_chars" for what in ("thought", "thinking", "cmd", "result", "human")))


def check_count(name: str, value: object) -> None:
    """Refuses a value that is no whole number, or a negative one.

    Raises:
        SettingsError: naming the setting.
    """
    if type(value) is not int:
        raise SettingsError(f"{name} must be a whole number, not {value!r}")
    if value < 0:
        raise SettingsError(f"{name} must not be negative, but is {value}")
