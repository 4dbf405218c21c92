"""Faults: what a provider would refuse, each found by a small named check.

A check is a function from readings to faults; a dialect is a list of checks. A projection is judged by the faults
that it adds: the client's own are its own.

Source: spec 00-model, invariant 2; 90-decisions (a fault is code, index, message).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from faithfold.core.pairing import Pairing, Spot
from faithfold.core.parts import UNREADABLE, Reading


@dataclass(frozen=True, slots=True)
class Fault:
    """One breach: a stable `code`, the `index` of the message, and one line for people; `id` names the call."""

    code: str
    index: int
    message: str
    id: str = field(default="")


Check = Callable[[Sequence[Reading], Pairing], Iterator[Fault]]


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


def not_empty(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """A conversation has messages."""
    del pairing
    if not readings:
        yield Fault("no-messages", 0, "there are no messages")


def objects(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """Every message is a JSON object."""
    del pairing
    for index, reading in enumerate(readings):
        if reading == UNREADABLE:
            yield Fault("no-object", index, f"message {index} is no JSON object")


def roles(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """Every message has a role that the provider knows."""
    del pairing
    for index, reading in enumerate(readings):
        if reading.speaker == "other" and reading != UNREADABLE:
            yield Fault("unknown-role", index, f"message {index} has the unknown role {reading.role!r}")


def calls_answered(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """Every tool call has its result where the provider looks for it."""
    del readings
    yield from _each("unanswered-call", pairing.unanswered, "tool call {id!r} of message {index} has no result")


def results_called(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """Every tool result has its call where the provider looks for it."""
    del readings
    yield from _each("orphan-result", pairing.orphans, "tool result {id!r} of message {index} has no call")


def results_once(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """No tool call has two results."""
    del readings
    yield from _each("duplicate-result", pairing.duplicates, "message {index} answers tool call {id!r} again")


def user_first(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """The first message that is no instruction is the user's."""
    del pairing
    for index, reading in enumerate(readings):
        if reading.speaker == "model" and not reading.pinned:
            yield Fault("first-role", index, "the first message is not the user's")
        if reading.speaker != "instruction":
            return


def someone_speaks(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """There is more than instructions."""
    del pairing
    if readings and all(reading.speaker == "instruction" for reading in readings):
        yield Fault("only-instructions", 0, "there are only system messages")


def _each(code: str, spots: Iterable[Spot], form: str) -> Iterator[Fault]:
    for spot in spots:
        yield Fault(code, spot.index, form.format(id=spot.id, index=spot.index), spot.id)
