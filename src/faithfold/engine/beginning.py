"""The known beginning of a body: what was seen before is passed over, block by block, at the speed of a hash.

A body is hashed from its first byte on, and the hash is looked at each time a block is full, large blocks first. A hash
that was seen before means that all bytes up to there are the same as then. So the messages that ended before it are
where they were, and what is known of them, and of all of them as a sequence, still holds. A block that isn't known ends
the beginning.

Of a body that differs early, by a field or a marker that was moved, the blocks from there on are other ones; each
message is then recognised by itself.

Source: spec 80-benchmarks, Speed.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from operator import itemgetter

from xxhash import xxh3_128

from faithfold.core.joined import Joined
from faithfold.engine.recognition import Known, Recognition, Stretch
from faithfold.wire import Span

SMALL = 128 * 1024
"""Bytes of a small block: what follows the last one is soon read."""

LARGE = 8 * SMALL
"""Bytes of a large block: few of them pass over a long history."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The messages at the beginning of a body that are known by their blocks.

    Attributes:
        opening: where the list of messages opens in the body.
        spans, known, chain: of each message, as in a `Stretch`.
    """

    opening: int
    spans: Joined[Span]
    known: Joined[Known]
    chain: Joined[str]


NOTHING = Beginning(0, Joined(), Joined(), Joined())
"""A beginning of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """The beginning of a body and its hash.

    Attributes:
        body: the body.
        end: how many bytes of it are hashed.
        state: the hash of those.
    """

    body: memoryview
    end: int
    state: xxh3_128

    def further(self, size: int) -> Hashed | None:
        """The same with `size` more bytes; None where there aren't as many."""
        end = self.end + size
        if end > len(self.body):
            return None
        state = self.state.copy()
        state.update(self.body[self.end : end])
        return Hashed(self.body, end, state)

    def key(self, size: int) -> bytes:
        """Under which what is known of its last block, of `size` bytes, is remembered."""
        return b"%d " % size + self.state.digest()


def recalled(body: bytes, seed: int, recognition: Recognition) -> tuple[Hashed, Beginning]:
    """As much of a body as is known, and the messages that end in that.

    Blocks of another list of messages end what is known: in a body that holds two, the first one doesn't count.
    """
    hashed = Hashed(memoryview(body), 0, xxh3_128(seed=seed))
    known: list[Stretch] = []
    opening = 0  # where the list opens; blocks before it say nothing of that
    for size in (LARGE, SMALL):
        while (further := hashed.further(size)) is not None:
            stretch = recognition.stretch(further.key(size))
            if stretch is None or (stretch.spans and opening not in (0, stretch.opening)):
                break
            opening = stretch.opening if stretch.spans else opening
            hashed = further
            known.append(stretch)
    return hashed, Beginning(
        opening=opening,
        spans=Joined([each.spans for each in known]),
        known=Joined([each.known for each in known]),
        chain=Joined([each.chain for each in known]),
    )


def remember(hashed: Hashed, messages: Stretch, recognition: Recognition) -> None:
    """Remembers the messages of a body by its blocks, from where those that are known end.

    A message belongs to the block that also holds the byte after it: only that byte shows where a number ends.
    """
    last = messages.spans[-1][1] if messages.spans else 0
    while (further := hashed.further(SMALL)) is not None and further.end <= last:
        for size in (SMALL, LARGE):
            if further.end % size == 0:
                recognition.put(further.key(size), _between(messages, further.end - size, further.end))
        hashed = further


def _between(messages: Stretch, start: int, end: int) -> Stretch:
    """The messages whose last byte stands there, and the byte after it too."""
    first, stop = (bisect_left(messages.spans, edge, key=itemgetter(1)) for edge in (start, end))
    of = slice(first, stop)
    return Stretch(messages.opening, messages.spans[of], messages.known[of], messages.chain[of])
