"""Ids, signatures and a clock that come out the same on every run.

Invariant: time only moves forward, and no two ids are equal.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from datetime import UTC, datetime, timedelta

ID_LETTERS = string.digits + string.ascii_letters


class Identity:
    """A seeded source of ids, signatures and times."""

    def __init__(self, seed: int, start: datetime) -> None:
        self._random = random.Random(seed)
        self.now = start

    def pause(self, shortest: float, longest: float) -> float:
        """Move the clock by a random number of seconds in the range and return that number."""
        seconds = self._random.uniform(shortest, longest)
        self.now += timedelta(seconds=seconds)
        return seconds

    def stamp(self) -> str:
        """The time in the form the session lines use; one millisecond passes, so no two stamps are equal."""
        self.now += timedelta(milliseconds=1)
        return self.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"

    def uuid(self) -> str:
        """A version 4 UUID."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def tagged(self, prefix: str) -> str:
        """An id in the form of the API's: the prefix and 22 letters."""
        return prefix + "".join(self._random.choices(ID_LETTERS, k=22))

    def signature(self) -> str:
        """A stand-in for a thinking signature: base64 of random bytes, 120 to 300 letters."""
        return base64.b64encode(self._random.randbytes(3 * self._random.randint(30, 75))).decode("ascii")
