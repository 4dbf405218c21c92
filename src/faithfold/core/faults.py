"""Faults: what a provider would refuse, each found by a small named check.

A check is a function from readings to faults; a dialect is a list of checks. A projection is judged by the faults
that it adds: the client's own are its own.

Source: spec 00-model, invariant 2; 90-decisions (a fault is code, index, message).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from faithfold.core.pairing import Pairing, Spot
from faithfold.core.parts import UNREADABLE, Call, Reading


@dataclass(frozen=True, slots=True)
class Fault:
    """One breach: a stable `code`, the `index` of the message, and one line for people; `id` names the call."""

    code: str
    index: int
    message: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a check looks at: the messages, read, and which result answers which call."""

    readings: Sequence[Reading]
    pairing: Pairing


Check = Callable[[Seen], Iterator[Fault]]

Origins = Sequence[int | str]
"""For each message of a projection its original index, or a name where it has none."""


def added(
    before: Iterable[Fault], origins_before: Origins, after: Iterable[Fault], origins_after: Origins
) -> list[Fault]:
    """The faults of one projection of a conversation (`after`) that another one (`before`) doesn't have."""
    known = Counter(_key(fault, origins_before) for fault in before)
    new: list[Fault] = []
    for fault in after:
        key = _key(fault, origins_after)
        known[key] -= 1
        if known[key] < 0:
            new.append(fault)
    return new


def _key(fault: Fault, origins: Origins) -> tuple[str, int | str]:
    """What makes two faults the same: the code, and the call's id or the original message."""
    return fault.code, fault.id or (origins[fault.index] if fault.index < len(origins) else fault.index)


def not_empty(seen: Seen) -> Iterator[Fault]:
    """A conversation has messages."""
    if not seen.readings:
        yield Fault("no-messages", 0, "there are no messages")


def objects(seen: Seen) -> Iterator[Fault]:
    """Every message is a JSON object."""
    for index, reading in enumerate(seen.readings):
        if reading is UNREADABLE:
            yield Fault("no-object", index, f"message {index} is no JSON object")


def roles(seen: Seen) -> Iterator[Fault]:
    """Every message has a role that the provider knows."""
    for index, reading in enumerate(seen.readings):
        if reading.speaker == "other" and reading is not UNREADABLE:
            yield Fault("unknown-role", index, f"message {index} has the unknown role {reading.role!r}")


def calls_answered(seen: Seen) -> Iterator[Fault]:
    """Every tool call has its result where the provider looks for it."""
    yield from _each("unanswered-call", seen.pairing.unanswered, "tool call {id!r} of message {index} has no result")


def results_called(seen: Seen) -> Iterator[Fault]:
    """Every tool result has its call where the provider looks for it."""
    yield from _each("orphan-result", seen.pairing.orphans, "tool result {id!r} of message {index} has no call")


def results_once(seen: Seen) -> Iterator[Fault]:
    """No tool call has two results."""
    yield from _each("duplicate-result", seen.pairing.duplicates, "message {index} answers tool call {id!r} again")


def call_ids_unique(seen: Seen) -> Iterator[Fault]:
    """No two tool calls of the conversation have the same id."""
    yield from _repeated(enumerate(seen.readings))


def call_ids_unique_in_message(seen: Seen) -> Iterator[Fault]:
    """No two tool calls of a message have the same id."""
    for index, reading in enumerate(seen.readings):
        yield from _repeated([(index, reading)])


def _repeated(readings: Iterable[tuple[int, Reading]]) -> Iterator[Fault]:
    known: set[str] = set()
    for index, reading in readings:
        for part in reading.parts:
            if isinstance(part, Call) and part.id in known:
                yield Fault("duplicate-call", index, f"message {index} uses the call id {part.id!r} again", part.id)
            elif isinstance(part, Call):
                known.add(part.id)


def user_first(seen: Seen) -> Iterator[Fault]:
    """The first message that is no instruction is the user's."""
    for index, reading in enumerate(seen.readings):
        if reading.speaker == "model" and not reading.pinned:
            yield Fault("first-role", index, "the first message is not the user's")
        if reading.speaker != "instruction":
            return


def someone_speaks(seen: Seen) -> Iterator[Fault]:
    """There is more than instructions."""
    if seen.readings and all(reading.speaker == "instruction" for reading in seen.readings):
        yield Fault("only-instructions", 0, "there are only system messages")


def _each(code: str, spots: Iterable[Spot], form: str) -> Iterator[Fault]:
    for spot in spots:
        yield Fault(code, spot.index, form.format(id=spot.id, index=spot.index), spot.id)


WELL_FORMED: tuple[Check, ...] = (not_empty, objects, someone_speaks)
"""What every provider asks of the messages, whatever they say."""

PAIRED: tuple[Check, ...] = (calls_answered, results_called, results_once)
"""What every provider asks of calls and their results."""
