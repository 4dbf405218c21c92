"""Steps, and what ties them together.

A step is a model message (where the wire format splits a model's answer over several: a run of them) with all that
follows up to the next one. A cut falls between steps only. Some steps can't be parted: a model's turn that is
split over neighbouring messages, or a result that comes steps after its call. These are tied: kept together or
folded together.

Source: spec 00-model, Terms; 90-decisions, Terms and model; faults B001, B005, B026, B027.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from faithfold.core.pairing import Pairing
from faithfold.core.parts import Reading, Thinking

Step = range
"""The indices of a step's messages."""


def steps(readings: Sequence[Reading], start: int, *, runs: bool) -> list[Step]:
    """The steps from message `start` on; what precedes the first model message there is one of its own.

    Args:
        readings: the whole conversation, read.
        start: index of the first message of the first step.
        runs: whether neighbouring model messages are one step.
    """
    bounds = [start] if start < len(readings) else []
    for index in range(start + 1, len(readings)):
        follows_model = readings[index - 1].speaker == "model"
        if readings[index].speaker == "model" and not (runs and follows_model):
            bounds.append(index)
    return spans(bounds, len(readings))


def spans(bounds: Sequence[int], end: int) -> list[range]:
    """The ranges that begin at each of `bounds`, the last of which ends at `end`."""
    return [range(first, last) for first, last in zip(bounds, [*bounds[1:], end], strict=True)]


def closure(wanted: Iterable[int], found: Sequence[Step], readings: Sequence[Reading], pairing: Pairing) -> set[int]:
    """The numbers of the `wanted` steps and of all that are tied to them, directly or through others."""
    tied: dict[int, set[int]] = {}
    for one, other in _ties(found, readings, pairing):
        tied.setdefault(one, set()).add(other)
        tied.setdefault(other, set()).add(one)
    kept: set[int] = set()
    waiting = list(wanted)
    while waiting:
        number = waiting.pop()
        if number not in kept:
            kept.add(number)
            waiting.extend(tied.get(number, ()))
    return kept


def _ties(found: Sequence[Step], readings: Sequence[Reading], pairing: Pairing) -> Iterator[tuple[int, int]]:
    starts = [step.start for step in found]
    for call, result in pairing.links:
        one, other = bisect_right(starts, call) - 1, bisect_right(starts, result) - 1
        if one != other and one >= 0:
            yield one, other
    for number in range(len(found) - 1):
        if _unfinished(found[number], readings):
            yield number, number + 1


def _unfinished(step: Step, readings: Sequence[Reading]) -> bool:
    """Whether the model's turn goes on in the next step: nobody answers in this one, and it has begun to think."""
    first = readings[step.start]
    alone = first.speaker == "model" and all(readings[index].speaker == "instruction" for index in step[1:])
    return alone and any(isinstance(part, Thinking) for part in first.parts)
