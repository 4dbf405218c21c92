"""Which result answers which call.

Adjacency comes first, ids second: gateways give every call the same id, clients repeat results, and a map from ids
to messages would keep only one (faults B010, B011). A call is answered by the nearest result of its id and family,
within the reach that the provider allows.

Source: spec 00-model, invariant 2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from faithfold.core.parts import Call, Reading, Reference, Result

Reach = Literal["next", "turn", "anywhere"]
"""Where a provider looks for results: in the tool messages right after the call's message (`next`), in the user turn
after the model's turn, neighbouring messages of a role being one turn (`turn`), or in any later message."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A call or a result: the `index` of its message, and its `id`."""

    index: int
    id: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """The calls and results of a conversation.

    `links` holds (index of the call's message, index of the result's message), second results of a call included.
    """

    links: tuple[tuple[int, int], ...]
    unanswered: tuple[Spot, ...]
    orphans: tuple[Spot, ...]
    duplicates: tuple[Spot, ...]


def pair(readings: Sequence[Reading], reach: Reach) -> Pairing:
    """Pairs every call with its result, in one pass over the readings."""
    pairer = _Pairer(reach)
    for index, reading in enumerate(readings):
        pairer.take(index, reading)
    return pairer.done()


Key = tuple[str, str]


class _Pairer:
    """The state of the pass: the calls that are still open, those answered, the hosted ones, the last reference."""

    def __init__(self, reach: Reach) -> None:
        self._reach: Reach = reach
        self._open: defaultdict[Key, list[Spot]] = defaultdict(list)
        self._answered: dict[Key, Spot] = {}
        self._hosted: dict[Key, Spot] = {}
        self._reference: Spot | None = None
        self._last_speaker = ""
        self._links: list[tuple[int, int]] = []
        self._unanswered: list[Spot] = []
        self._orphans: list[Spot] = []
        self._duplicates: list[Spot] = []

    def take(self, index: int, reading: Reading) -> None:
        if self._closed_by(reading):
            self._close()
        if reading.speaker != "instruction":
            self._last_speaker = reading.speaker
        for part in reading.parts:
            if isinstance(part, Call):
                self._call(Spot(index, part.id), part)
            elif isinstance(part, Result):
                self._result(Spot(index, part.id), part)
            elif isinstance(part, Reference):
                self._reference = Spot(index, part.id)

    def done(self) -> Pairing:
        self._close()
        found = (self._unanswered, self._orphans, self._duplicates)
        unanswered, orphans, duplicates = (tuple(sorted(spots, key=lambda spot: spot.index)) for spots in found)
        return Pairing(tuple(self._links), unanswered, orphans, duplicates)

    def _closed_by(self, reading: Reading) -> bool:
        """Whether results after this message come too late for the calls before it."""
        match self._reach:
            case "next":
                return reading.speaker != "tool"
            case "turn":
                return reading.speaker == "model" and self._last_speaker != "model"
            case _:
                return False

    def _close(self) -> None:
        for spots in self._open.values():
            self._unanswered.extend(spots)
        self._open.clear()
        self._answered.clear()

    def _call(self, spot: Spot, call: Call) -> None:
        key = (call.family, call.id)
        if call.hosted:
            self._hosted[key] = spot
        else:
            self._open[key].append(spot)

    def _result(self, spot: Spot, result: Result) -> None:
        key = (result.family, result.id)
        if result.hosted:
            self._answer(self._hosted.get(key), spot)
        elif waiting := self._open.get(key):
            self._answered[key] = waiting.pop()
            self._answer(self._answered[key], spot)
        elif key in self._answered:
            self._duplicates.append(spot)
            self._answer(self._answered[key], spot)
        else:
            self._answer(None, spot)

    def _answer(self, call: Spot | None, result: Spot) -> None:
        """Links a result to its call; one whose call is not in sight may answer what was referred to last."""
        found = call or self._reference
        if found is None:
            self._orphans.append(result)
        else:
            self._links.append((found.index, result.index))
