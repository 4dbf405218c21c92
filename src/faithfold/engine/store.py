"""The prefix store: what stands for the beginning of a history, by the chain hash of that beginning.

An entry says which of the first messages stay, and what stands for the others. The bytes of those that stay come from
the request at hand, so markers that clients move are never replayed. The store is a cache: what is lost is computed
again. An entry is bound to the scope in which it was made: the tenant and the settings that shape a note.

Source: spec 10-cliff, Engine; spec 90-decisions (entry key).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from faithfold.core.projection import Entry, Kept, Note

_OVERHEAD = 512  # bytes of an entry besides its messages
_WIDE = 5  # bytes that a byte takes, where one character makes all of a text wide
_INDEX = 80  # bytes of an index in a set, or of a kept message


@dataclass(frozen=True, slots=True)
class PrefixEntry:
    """What stands for the first `cut` messages of a history.

    Attributes:
        cut: how many messages it stands for.
        entries: of the projection: what is sent for them.
        texts: the messages of ours among them, in order, as they go over the wire.
        quarters: the size of the messages of ours, in quarter tokens.
    """

    cut: int
    entries: tuple[Entry, ...]
    texts: tuple[bytes, ...]
    quarters: int

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        covered = sum(len(entry.covers) for entry in self.entries if isinstance(entry, Note))
        texts = sum(len(text) * (2 if text.isascii() else _WIDE) for text in self.texts)
        return _OVERHEAD + texts + _INDEX * (len(self.entries) + covered)

    @property
    def shown(self) -> int:
        """The same for what is sent alike, in this process."""
        return hash((self.cut, self.texts, *(entry.index for entry in self.entries if isinstance(entry, Kept))))

    @property
    def consistent(self) -> bool:
        """Whether all the messages that it sends are among those that it stands for."""
        return all(0 <= entry.index < self.cut for entry in self.entries if not isinstance(entry, Note))


Place = tuple[str, str]
"""A scope, and the chain hash of a prefix."""


class PrefixStore:
    """Entries in memory, least recently used out first, never down to empty.

    Args:
        max_entries: how many at most.
        max_bytes: how many bytes at most, roughly.
    """

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        """An empty store."""
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: OrderedDict[Place, PrefixEntry] = OrderedDict()
        self._lock = Lock()
        self.size = 0

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    def longest(self, scope: str, chain: Sequence[str]) -> PrefixEntry | None:
        """The entry of the longest prefix of a history; one that doesn't fit its place is ignored."""
        with self._lock:
            for depth, link in zip(range(len(chain), 0, -1), reversed(chain), strict=True):
                entry = self._entries.get((scope, link))
                if entry is not None and entry.cut == depth and entry.consistent:
                    self._entries.move_to_end((scope, link))
                    return entry
        return None

    def put(self, scope: str, link: str, entry: PrefixEntry) -> None:
        """Remembers an entry."""
        with self._lock:
            replaced = self._entries.pop((scope, link), None)
            self.size -= replaced.size if replaced else 0
            self._entries[scope, link] = entry
            self.size += entry.size
            while len(self._entries) > 1 and (len(self._entries) > self._max_entries or self.size > self._max_bytes):
                _, oldest = self._entries.popitem(last=False)
                self.size -= oldest.size
