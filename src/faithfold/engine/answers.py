"""Which results answer calls that stand before a cut: what must not be folded without them.

Calls and results are known by their ids, and a gateway may give all calls one id: a result answers the nearest call of
its id that still waits. One whose call isn't in sight may answer what was referred to.

Source: spec 00-model, invariant 2; faults B005, B010.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

from faithfold.core.pairing import Key
from faithfold.engine.recognition import REFERRED, Known


def hold(known: Sequence[Known], stay: Set[int], cut: int) -> bool:
    """Whether no result from message `cut` on answers a call before it that doesn't stay.

    It looks at what follows the cut alone, unless a result there answers nothing that does.
    """
    waiting: defaultdict[Key, int] = defaultdict(int)
    for one in known[cut:]:
        for call in one.calls:
            waiting[call] += 1
        for result in one.results:
            if not waiting[result]:
                last = last_answers(known)
                return all(last[index] < cut or index in stay for index in range(cut))
            waiting[result] -= 1
    return True


def last_answers(known: Sequence[Known]) -> list[int]:
    """For each message the index of the last one that answers a call of it; its own where none does."""
    last = list(range(len(known)))
    waiting: defaultdict[Key, list[int]] = defaultdict(list)
    latest: dict[Key, int] = {}
    for index, one in enumerate(known):
        for call in one.calls:
            waiting[call].append(index)
        for result in one.results:
            if waiting[result]:
                latest[result] = waiting[result].pop()
            answered = latest.get(result, waiting[REFERRED][-1] if waiting[REFERRED] else index)
            last[answered] = index
    return last
