"""What a compaction would keep, fold and drop, and how the conversation grew, with it and without, step by step.

A note stands for many messages: its size is shared out over them, in proportion to theirs.

Invariant: the shares add up to all messages and all tokens; at each step a compaction leaves no more than there was,
and at the last what it leaves as a whole.

Source: spec 00-model, Entries of a projection; spec 10-cliff.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from faithfold.cli.contents import Contents, whole_tokens
from faithfold.core.projection import Edited, Kept, Note, Projection
from faithfold.core.sizes import QUARTERS, SEPARATOR, Sizer

FATES = ("head", "folded", "dropped", "between", "tail")
"""What can become of a message; `between` is kept amid the folded."""

KEPT = frozenset({"head", "between", "tail"})


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the conversation: how many messages, how many tokens."""

    messages: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would become of the messages.

    Attributes:
        shares: by `FATES`; they add up to all messages and all tokens.
        note_tokens: the size of the notes.
        reasons: of the dropped messages: what they held, and how many.
        omissions: pieces of folded messages that the note doesn't show: what they are, how often, how many characters.
    """

    shares: Mapping[str, Share]
    note_tokens: int
    reasons: Mapping[str, int]
    omissions: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Point:
    """The size of the conversation up to the end of a step, in tokens, and of what a compaction leaves of that.

    What is left is the messages that stay, and the shares of those that are folded in their note. `kept` is whether any
    message of the step stays.
    """

    before: int
    after: int
    kept: bool


def forecast(contents: Contents, projection: Projection) -> Forecast:
    """What becomes of the messages in a projection."""
    fates = _fates(projection)
    messages = Counter(fates)
    quarters: Counter[str] = Counter()
    for fate, size in zip(fates, contents.quarters, strict=True):
        quarters[fate] += size
    tokens = whole_tokens({fate: quarters[fate] for fate in FATES})
    return Forecast(
        shares={fate: Share(messages[fate], tokens[fate]) for fate in FATES},
        note_tokens=sum(_size(note) for note in projection.notes) // QUARTERS,
        reasons=dict(Counter(_each_once(why) for why in projection.dropped.values()).most_common()),
        omissions=_omissions(projection),
    )


def curve(contents: Contents, steps: Sequence[range], projection: Projection) -> list[Point]:
    """A point for each step."""
    left = [0] * projection.total
    for entry in projection.entries:
        if isinstance(entry, Kept):
            left[entry.index] += contents.quarters[entry.index]
        else:
            for index, share in _shared_out(_size(entry), sorted(_originals(entry)), contents.quarters):
                left[index] += share
    befores = list(accumulate(contents.quarters))
    afters = list(map(min, accumulate(left), befores))
    present = {index for index, fate in enumerate(_fates(projection)) if fate in KEPT}
    return [
        Point(befores[step[-1]] // QUARTERS, afters[step[-1]] // QUARTERS, not present.isdisjoint(step))
        for step in steps
    ]


def _shared_out(size: int, indices: Sequence[int], quarters: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The part of `size` that falls on each message, in proportion to its quarter tokens; they add up to it."""
    total = sum(quarters[index] for index in indices)
    seen = 0
    for index in indices:
        before, seen = seen, seen + quarters[index]
        yield index, size * seen // total - size * before // total


def _fates(projection: Projection) -> list[str]:
    """What becomes of each message."""
    folded = frozenset[int]().union(*(note.covers for note in projection.notes))

    def fate(index: int) -> str:
        if index < projection.head_len:
            return "head"
        if index >= projection.cut:
            return "tail"
        if index in projection.dropped:
            return "dropped"
        return "folded" if index in folded else "between"

    return [fate(index) for index in range(projection.total)]


def _each_once(why: str) -> str:
    """A reason, with each thing that it lists named once."""
    return ", ".join(dict.fromkeys(why.split(", ")))


def _originals(entry: Edited | Note) -> frozenset[int]:
    return entry.covers if isinstance(entry, Note) else frozenset({entry.index})


def _size(entry: Edited | Note) -> int:
    return Sizer().quarters(entry.message) + SEPARATOR


def _omissions(projection: Projection) -> dict[str, tuple[int, int]]:
    """By what was left out, the largest first: how often, and how many characters."""
    times: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for omission in projection.omissions:
        times[omission.what] += 1
        characters[omission.what] += omission.characters
    order = sorted(times, key=lambda what: (-characters[what], -times[what]))
    return {what: (times[what], characters[what]) for what in order}
