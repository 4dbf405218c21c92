"""Messages and beginnings of bodies that were seen before are known by a fast hash of their bytes.

Clients send their whole history every time. What the engine needs of a message (its digest, its size, which calls it
makes and answers) is worked out when it is first seen, and looked up from then on: a message that is known is neither
parsed nor digested nor sized again. Where a whole beginning is known, block by block, its messages aren't even looked
up one by one.

The memory is bounded. There are two generations: a full young one becomes the old one, and what is asked for moves back
to the young. So what is in use stays, without a list of what was used when.

Source: spec 10-cliff, Engine; spec 80-benchmarks, Speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from faithfold.core.pairing import Key
from faithfold.wire import Span

_BYTES_EACH = 512
"""What a known message takes, in bytes: its key, its value, and their places in the table."""

_BYTES_A_CALL = 192
"""What a call, or a result, takes besides its id."""

_BYTES_PLACED = 256
"""What a message takes besides in a stretch: where it stands, and its link in the chain."""


REFERRED: Key = ("reference", "")
"""Stands among a message's calls for what it only refers to: a result whose call isn't in sight may answer that."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a message: its digest, its size in quarter tokens, the calls it makes, the results it brings."""

    digest: str
    quarters: int
    calls: tuple[Key, ...] = ()
    results: tuple[Key, ...] = ()

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return _BYTES_EACH + sum(_BYTES_A_CALL + len(name) for _, name in (*self.calls, *self.results))


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is known of messages that follow each other in a body.

    Attributes:
        opening: where the list of messages opens in the body.
        spans: where each message is in the body.
        known: what is known of each.
        chain: the link of each: it identifies all messages up to there.
    """

    opening: int
    spans: Sequence[Span]
    known: Sequence[Known]
    chain: Sequence[str]

    @property
    def size(self) -> int:
        """About how many bytes it takes, what is known of its messages included."""
        return _BYTES_EACH + sum(known.size + _BYTES_PLACED for known in self.known)


class Recognition:
    """What is known, by the hash of its bytes.

    Args:
        max_bytes: an upper bound of the memory that it takes, roughly.
    """

    def __init__(self, max_bytes: int) -> None:
        """An empty memory."""
        self._most = max_bytes // 2
        self._young: dict[bytes, Known | Stretch] = {}
        self._old: dict[bytes, Known | Stretch] = {}
        self._young_size = 0
        self._old_size = 0
        self._lock = Lock()

    def get(self, key: bytes) -> Known | None:
        """What is known of a message."""
        found = self._found(key)
        return found if isinstance(found, Known) else None

    def stretch(self, key: bytes) -> Stretch | None:
        """What is known of the messages that end in a block of a body."""
        found = self._found(key)
        return found if isinstance(found, Stretch) else None

    def put(self, key: bytes, known: Known | Stretch) -> None:
        """Remembers a message or a stretch of them; what would take more than half of the memory is not kept."""
        size = known.size
        with self._lock:
            if key in self._young or size > self._most:
                return
            if self._young_size + size > self._most:
                self._old, self._old_size = self._young, self._young_size
                self._young, self._young_size = {}, 0
            self._young[key] = known
            self._young_size += size

    def _found(self, key: bytes) -> Known | Stretch | None:
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is not None:
                self.put(key, known)
        return known

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._young_size + self._old_size
