"""A conversation: an immutable list of the client's own messages, read when somebody looks.

Source: spec 00-model.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import overload

from faithfold.core.dialect import Dialect
from faithfold.core.errors import InputError
from faithfold.core.faults import Fault, Seen
from faithfold.core.pairing import pair
from faithfold.core.parts import Reading
from faithfold.core.sizes import Sizer


class Conversation:
    """The messages of one dialect, held by reference and never changed.

    Args:
        messages: the wire messages (for the Responses API: the `input` items), as the client sent them.
        dialect: how they are read.

    Raises:
        InputError: `messages` is no list.
    """

    def __init__(self, messages: Sequence[object], dialect: Dialect) -> None:
        """Takes the messages by reference; nothing is read yet."""
        if not _is_list(messages):
            raise InputError(f"messages must be a list, not {type(messages).__name__}")
        self.messages: Sequence[object] = tuple(messages) if isinstance(messages, list) else messages
        self.dialect = dialect
        self._readings: dict[int, Reading] = {}
        self._sizes: dict[int, int] = {}
        self._held: Set[int] = frozenset()

    def first(self, count: int, held: Set[int]) -> Conversation:
        """The conversation as it was when it had `count` messages; what was read of them stays read.

        Args:
            count: how many messages.
            held: indices of those that must not be folded for what comes after them; they read as pinned.
        """
        earlier = Conversation(_First(self.messages, count), self.dialect)
        earlier._readings, earlier._sizes, earlier._held = self._readings, self._sizes, held
        return earlier

    def reading(self, index: int) -> Reading:
        """One message, read once."""
        if index not in self._readings:
            self._readings[index] = self.dialect.read(self.messages[index])
        reading = self._readings[index]
        return replace(reading, pinned=True) if index in self._held else reading

    def size(self, index: int) -> int:
        """The reference estimate of one message, in quarter tokens.

        Raises:
            InputError: the message holds something that JSON has no form for.
        """
        if index not in self._sizes:
            self._sizes[index] = Sizer().quarters(self.messages[index])
        return self._sizes[index]

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Each message, read."""
        return tuple(self.reading(index) for index in range(len(self.messages)))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The reference estimate of each message, in quarter tokens.

        Raises:
            InputError: a message holds something that JSON has no form for.
        """
        return tuple(self.size(index) for index in range(len(self.messages)))

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What the provider would refuse."""
        return faults(self.readings, self.dialect)


def _is_list(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, (str, bytes))


class _First(Sequence[object]):
    """The first messages of a list, without a copy of it."""

    def __init__(self, messages: Sequence[object], count: int) -> None:
        self._messages = messages
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> object: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[object]: ...

    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return [self._messages[each] for each in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._messages[index % self._count]


def faults(readings: Sequence[Reading], dialect: Dialect) -> tuple[Fault, ...]:
    """All that the dialect's checks find, in the order of the messages."""
    seen = Seen(readings, pair(readings, dialect.reach))
    found = [fault for check in dialect.checks for fault in check(seen)]
    return tuple(sorted(found, key=lambda fault: (fault.index, fault.code)))
