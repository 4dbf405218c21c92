"""Sequences one after the other, read as one, without a copy.

A long history comes again with every request, and little of it is looked at. To copy a list touches each of its items.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import TypeVar, overload

_T_co = TypeVar("_T_co", covariant=True)


class Joined(Sequence[_T_co]):  # noqa: PLW1641  as a list, it has no hash
    """The items of several sequences, in order. The sequences must not change.

    Args:
        parts: the sequences.
    """

    def __init__(self, parts: Sequence[Sequence[_T_co]] = ()) -> None:
        """Takes the sequences by reference."""
        self._parts = parts
        self._starts = [0, *accumulate(map(len, parts))]

    def followed_by(self, part: Sequence[_T_co]) -> Joined[_T_co]:
        """These items, and then those of another sequence."""
        return Joined([*self._parts, part])

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[_T_co]:
        return chain.from_iterable(self._parts)

    def __reversed__(self) -> Iterator[_T_co]:
        return chain.from_iterable(map(reversed, reversed(self._parts)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    @overload
    def __getitem__(self, index: int) -> _T_co: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[_T_co]: ...

    def __getitem__(self, index: int | slice) -> _T_co | Sequence[_T_co]:
        if isinstance(index, slice):
            return self._slice(*index.indices(len(self)))
        at = range(len(self))[index]
        part = bisect_right(self._starts, at) - 1
        return self._parts[part][at - self._starts[part]]

    def _slice(self, start: int, stop: int, step: int) -> Sequence[_T_co]:
        if step != 1 or start >= stop:
            return [self[at] for at in range(start, stop, step)]
        first, last = bisect_right(self._starts, start) - 1, bisect_right(self._starts, stop - 1)
        offset = self._starts[first]
        return [*chain.from_iterable(self._parts[first:last])][start - offset : stop - offset]
