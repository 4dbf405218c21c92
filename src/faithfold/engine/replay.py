"""The replay: a history's messages in order, compacted each time their size crosses the threshold.

So a long history that arrives at once ends as the one that grew would have. Invariant: what comes out adds no fault to
the request, however odd that is.

Source: spec 10-cliff, Engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from faithfold.core.budget import Budget
from faithfold.core.projection import Entry, Kept, Projection, faults_added
from faithfold.core.sizes import QUARTERS, SEPARATOR, Sizer
from faithfold.core.strategy import Steps
from faithfold.engine import standing as standings
from faithfold.engine.answers import last_answers
from faithfold.engine.options import EngineSettings
from faithfold.engine.policies import projected, strategies_of
from faithfold.engine.request import Request
from faithfold.engine.store import PrefixEntry


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung: how the settings change, and whether the note is shortened to what the threshold leaves."""

    change: Callable[[EngineSettings], EngineSettings]
    shortened: bool = False


def replay(
    request: Request, start: PrefixEntry | None, rung: Rung, settings: EngineSettings, threshold: int, *, forced: bool
) -> Steps[PrefixEntry | None]:
    """Feeds the messages after `start` in order and compacts at each crossing.

    Args:
        request: the request.
        start: what stands for its beginning already.
        rung: how the settings are changed.
        settings: of the engine.
        threshold: in quarter tokens.
        forced: whether a history that never crosses is compacted all the same, once, at its end.

    Returns:
        What stands for its beginning then; None where nothing was gained, or what was made can't be used.
    """
    changed = rung.change(settings)
    answered = last_answers(request.known)
    last, following = standings.projection(start), list[Entry]()
    size = request.fixed + _size(request, last.entries)
    compacted = False
    for count, one in enumerate(request.sizes[last.total :], last.total + 1):
        following.append(Kept(count - 1))
        size += one + SEPARATOR
        if size > threshold or (forced and count == len(request.sizes) and not compacted):
            shown = Projection(count, (*last.entries, *following), last.dropped)
            budget = Budget(_room(request, threshold, count) if rung.shortened else changed.target_tokens)
            made = yield from _compacted(request, shown, changed, budget, answered)
            if made is not None:
                last, following, compacted = made, [], True
                size = request.fixed + _size(request, made.entries)
    done = Projection(len(request.sizes), (*last.entries, *following))
    return standings.entry_of(done) if compacted and _adds_no_fault(request, start, done) else None


def _compacted(
    request: Request, shown: Projection, settings: EngineSettings, budget: Budget, answered: Sequence[int]
) -> Steps[Projection | None]:
    """One compaction of what is shown of the first messages; None where there is nothing to gain.

    None too where it would part a call from a result that comes later: that is tried again with the next message.
    """
    made = yield from projected(request.conversation.first(shown.total), shown, strategies_of(settings), budget)
    folded = _kept(shown.entries) - _kept(made.entries)
    parted = any(answered[index] >= shown.total for index in folded)
    return None if made == shown or parted else Projection(made.total, made.entries, made.dropped)


def _adds_no_fault(request: Request, start: PrefixEntry | None, made: Projection) -> bool:
    """Whether the whole request gains none: each compaction was judged by what stood before it alone."""
    first = standings.projection(start)
    following = map(Kept, range(first.total, made.total))
    return not faults_added(request.conversation, Projection(made.total, (*first.entries, *following)), made)


def _kept(entries: Sequence[Entry]) -> set[int]:
    return {entry.index for entry in entries if isinstance(entry, Kept)}


def _size(request: Request, entries: Sequence[Entry]) -> int:
    quarters = Sizer().quarters
    sizes = (request.sizes[each.index] if isinstance(each, Kept) else quarters(each.message) for each in entries)
    return sum(size + SEPARATOR for size in sizes)


def _room(request: Request, threshold: int, count: int) -> int:
    """What the threshold leaves for the first `count` messages, in tokens."""
    following = sum(size + SEPARATOR for size in request.sizes[count:])
    return max(0, threshold - request.fixed - following) // QUARTERS
