"""A projection: the ordered entries that a model is sent, each of which names the originals that it stands for.

Projections are data in the coordinates of the original list, always: stacking one strategy on another translates
nothing. Every original is kept, edited, covered by a note, or dropped with a reason, and only one of these.

Source: spec 00-model, Entries of a projection; invariants 3, 6 and 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from faithfold.core.conversation import Conversation, faults
from faithfold.core.dialect import Message
from faithfold.core.faults import Fault, added
from faithfold.core.parts import Reading
from faithfold.core.sizes import Sizer


@dataclass(frozen=True, slots=True)
class Kept:
    """Original message `index`: the same object and, on the wire, the same bytes."""

    index: int


@dataclass(frozen=True, slots=True)
class Edited:
    """Original message `index` with something cut and marked; `message` is a new object."""

    index: int
    message: Message
    why: str


@dataclass(frozen=True, slots=True)
class Note:
    """A message of ours that stands for the originals in `covers`, written by the strategy `by`."""

    message: Message
    covers: frozenset[int]
    by: str


Entry = Kept | Edited | Note


@dataclass(frozen=True, slots=True)
class Omission:
    """Something of message `index` that no entry shows: what it was, and its length in characters."""

    index: int
    what: str
    characters: int


@dataclass(frozen=True, slots=True)
class Projection:
    """What a model is sent in place of `total` original messages.

    `dropped` gives each original that nothing stands for with the reason; `omissions` name the pieces left out,
    those of covered messages included.
    """

    total: int
    entries: tuple[Entry, ...]
    dropped: Mapping[int, str] = field(default_factory=dict[int, str])
    omissions: tuple[Omission, ...] = ()

    @property
    def head_len(self) -> int:
        """How many messages at the beginning are kept as they are."""
        pairs = enumerate(self.entries)
        return next((place for place, entry in pairs if entry != Kept(place)), len(self.entries))

    @property
    def cut(self) -> int:
        """Index into the originals: everything from there on is kept as it is."""
        cut = self.total
        for entry in reversed(self.entries):
            if entry != Kept(cut - 1):
                break
            cut -= 1
        return cut

    @property
    def notes(self) -> tuple[Note, ...]:
        """The messages of ours."""
        return tuple(entry for entry in self.entries if isinstance(entry, Note))

    def messages(self, originals: Sequence[object]) -> list[object]:
        """What is sent: kept originals by reference, edited ones and notes as they are."""
        return [originals[entry.index] if isinstance(entry, Kept) else entry.message for entry in self.entries]

    def origins(self) -> list[int | str]:
        """For each entry the original index that it stands for, or the name of the strategy that wrote it."""
        return [entry.by if isinstance(entry, Note) else entry.index for entry in self.entries]


def whole(conversation: Conversation) -> Projection:
    """The projection that keeps every message."""
    total = len(conversation.messages)
    return Projection(total, tuple(Kept(index) for index in range(total)))


def sizes(conversation: Conversation, entries: Iterable[Entry]) -> list[int]:
    """The reference estimate of each entry, in quarter tokens; a kept message is sized once for all projections."""
    sizer = Sizer()
    return [
        conversation.size(entry.index) if isinstance(entry, Kept) else sizer.quarters(entry.message)
        for entry in entries
    ]


def breaches(projection: Projection) -> list[str]:
    """Which laws of projections this one breaks, a line each; none does, unless a strategy is wrong."""
    idle = [f"the note of {note.by!r} stands for nothing" for note in projection.notes if not note.covers]
    return idle or [*_unaccounted(projection), *_disordered(projection)]


def readings(conversation: Conversation, entries: Iterable[Entry]) -> list[Reading]:
    """Each entry, read."""
    read = conversation.dialect.read
    return [conversation.reading(entry.index) if isinstance(entry, Kept) else read(entry.message) for entry in entries]


def faults_added(conversation: Conversation, before: Projection, after: Projection) -> list[Fault]:
    """What the provider would refuse in one projection, and not in another that it was made from."""
    found = [faults(readings(conversation, each.entries), conversation.dialect) for each in (before, after)]
    return added(found[0], before.origins(), found[1], after.origins())


def _unaccounted(projection: Projection) -> list[str]:
    times = Counter(list(projection.dropped))
    for entry in projection.entries:
        times.update(entry.covers if isinstance(entry, Note) else (entry.index,))
    wrong = [index for index in {*times, *range(projection.total)} if times[index] != (0 <= index < projection.total)]
    return [f"message {index} is accounted for {times[index]} times" for index in sorted(wrong)]


def _disordered(projection: Projection) -> list[str]:
    """A note may stand anywhere between the first and the last message that it covers."""
    found: list[str] = []
    last = -1
    for place, entry in enumerate(projection.entries):
        first, until = (min(entry.covers), max(entry.covers)) if isinstance(entry, Note) else (entry.index, entry.index)
        if until < last:
            found.append(f"entry {place} stands after message {last}")
        last = max(last, first)
    return found
