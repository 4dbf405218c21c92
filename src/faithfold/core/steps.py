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
from itertools import accumulate, pairwise

from faithfold.core.pairing import Pairing
from faithfold.core.parts import Call, Reading, Thinking

Step = range
"""The indices of a step's messages."""

_HEAD = -1  # what precedes the first step, in place of a step's number; it always stays


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
    return [range(first, last) for first, last in pairwise([*bounds, end])]


def closure(wanted: Iterable[int], found: Sequence[Step], readings: Sequence[Reading], pairing: Pairing) -> set[int]:
    """The numbers of the `wanted` steps and of all that are tied to them or to what precedes the first step."""
    tied: dict[int, set[int]] = {}
    for one, other in _ties(found, readings, pairing):
        tied.setdefault(one, set()).add(other)
        tied.setdefault(other, set()).add(one)
    kept: set[int] = set()
    waiting = [_HEAD, *wanted]
    while waiting:
        number = waiting.pop()
        if number not in kept:
            kept.add(number)
            waiting.extend(tied.get(number, ()))
    return kept - {_HEAD}


def _ties(found: Sequence[Step], readings: Sequence[Reading], pairing: Pairing) -> Iterator[tuple[int, int]]:
    """Pairs of steps that stay together: those of a call and its result, and neighbours that nothing may part."""
    starts = [step.start for step in found]
    running = [0] * (len(found) + 1)  # how many tools of the provider's begin to run in a step, less those that end
    waiting = list(running)  # the same for calls that the client answers steps later
    for call, result in pairing.links:
        one, other = bisect_right(starts, call) - 1, bisect_right(starts, result) - 1
        if one != other:
            yield one, other
            begun = running if _runs_at_provider(readings[call]) else waiting
            begun[max(one, 0)] += 1
            begun[other] -= 1
    yield from _inseparable(found, readings, list(accumulate(running)), list(accumulate(waiting)))


def _inseparable(
    found: Sequence[Step], readings: Sequence[Reading], running: Sequence[int], waiting: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Neighbouring steps between which a tool of the provider's runs, or a model's turn goes on that can't be split."""
    calls_later = _calls_later(found, readings)
    thinks = False  # a turn that began to think is one from there to its last call
    for number in range(len(found) - 1):
        goes_on = _goes_on(found[number], readings)
        thinks = goes_on and (thinks or _thinks(found[number], readings))
        if running[number] or (thinks and calls_later[number]) or (waiting[number] and goes_on):
            yield number, number + 1


def _calls_later(found: Sequence[Step], readings: Sequence[Reading]) -> list[bool]:
    """For each step, whether the model's turn goes on after it and calls a tool there."""
    later = [False] * len(found)
    for number in reversed(range(len(found) - 1)):
        following = readings[found[number + 1].start]
        calls = any(isinstance(part, Call) for part in following.parts)
        later[number] = _goes_on(found[number], readings) and (calls or later[number + 1])
    return later


def _runs_at_provider(reading: Reading) -> bool:
    """Whether a tool of the provider's runs on after this message: nothing of ours may come before its result."""
    return any(isinstance(part, Call) and part.hosted for part in reading.parts)


def _goes_on(step: Step, readings: Sequence[Reading]) -> bool:
    """Whether nobody answers in this step, so that the model's turn goes on in the next one."""
    model_speaks = readings[step.start].speaker == "model"
    return model_speaks and all(readings[index].speaker == "instruction" for index in step[1:])


def _thinks(step: Step, readings: Sequence[Reading]) -> bool:
    return any(isinstance(part, Thinking) for part in readings[step.start].parts)
