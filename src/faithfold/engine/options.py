"""What a caller can set about the engine: how a conversation is compacted, and when.

Source: spec 05-api, EngineSettings; spec 10-cliff, Engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from faithfold.core.errors import SettingsError
from faithfold.strategies.options import CompactSettings, check_count

DEFAULT_THRESHOLD = 200_000
"""Tokens. Also what `threshold_tokens=None` means for a model that isn't known, and for the policy `cliff`."""


@dataclass(frozen=True, slots=True)
class EngineSettings(CompactSettings):
    """How and when requests are compacted.

    Attributes:
        threshold_tokens: a request over this size is compacted; None follows the window of its model.
        strict: a request that can't be brought under the threshold is to be refused, and the note is shortened first.
        tenant: whose requests these are; requests of one tenant never match what was stored for another.
        store_max_entries, store_max_bytes: bounds of what is remembered of earlier compactions.
        recognition_max_bytes: bound of what is remembered of messages seen before.

    Raises:
        SettingsError: a value is of another type, or a number is negative.
    """

    threshold_tokens: int | None = DEFAULT_THRESHOLD
    strict: bool = False
    tenant: str = ""
    store_max_entries: int = 4_096
    store_max_bytes: int = 64 * 1024 * 1024
    recognition_max_bytes: int = 64 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuses what can't be meant."""
        CompactSettings.__post_init__(self)
        for name in _COUNTS:
            check_count(name, getattr(self, name))
        if self.threshold_tokens is not None:
            check_count("threshold_tokens", self.threshold_tokens)
        if type(self.strict) is not bool:
            raise SettingsError(f"strict must be true or false, not {self.strict!r}")


_COUNTS = ("store_max_entries", "store_max_bytes", "recognition_max_bytes")
