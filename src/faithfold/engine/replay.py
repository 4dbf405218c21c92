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
from faithfold.core.strategy import Steps, Strategy
from faithfold.engine import standing as standings
from faithfold.engine.answers import last_answers
from faithfold.engine.options import EngineSettings
from faithfold.engine.policies import projected, strategies_of
from faithfold.engine.request import Request
from faithfold.engine.store import PrefixEntry

_PATIENCE = 32  # crossings at which nothing is gained


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
    changed, vain = rung.change(settings), 0
    strategies = strategies_of(changed)
    answered = last_answers(request.known)
    last, following = standings.projection(start), list[Entry]()
    size = request.fixed + _size(request, last.entries)
    compacted = False
    for count, one in enumerate(request.sizes[last.total :], last.total + 1):
        following.append(Kept(count - 1))
        size += one + SEPARATOR
        at_end = count == len(request.sizes)
        if (size > threshold and (at_end or _is_tried(vain))) or (forced and at_end and not compacted):
            shown = Projection(count, (*last.entries, *following), last.dropped)
            budget = Budget(_room(request, threshold, count) if rung.shortened else changed.target_tokens)
            made = yield from _compacted(request, shown, strategies, budget, answered)
            if made != shown:
                last, following, compacted, vain = made, [], True, 0
                size = request.fixed + _size(request, made.entries)
        vain += size > threshold
    done = Projection(len(request.sizes), (*last.entries, *following))
    return standings.entry_of(done) if compacted and _adds_no_fault(request, start, done) else None


def _compacted(
    request: Request, shown: Projection, strategies: Sequence[Strategy], budget: Budget, answered: Sequence[int]
) -> Steps[Projection]:
    """One compaction of what is shown of the first messages. A call whose result comes later stays in its place.

    Where a provider looks for results in the next turn alone, the note would come between: there the next message is
    waited for.
    """
    kept = (entry.index for entry in shown.entries if isinstance(entry, Kept))
    held = {index for index in kept if answered[index] >= shown.total}
    if held and request.dialect.reach == "turn":
        return shown
    made = yield from projected(request.conversation.first(shown.total, held), shown, strategies, budget)
    return Projection(made.total, made.entries, made.dropped)


def _is_tried(vain: int) -> bool:
    """Whether to compact at this crossing, after so many at which there was nothing to gain.

    At first always, then less and less often: a history in which nothing can be folded costs no more than its length.
    """
    return vain < _PATIENCE or vain % (vain // _PATIENCE) == 0


def _adds_no_fault(request: Request, start: PrefixEntry | None, made: Projection) -> bool:
    """Whether the whole request gains none: each compaction was judged by what stood before it alone."""
    first = standings.projection(start)
    following = map(Kept, range(first.total, made.total))
    return not faults_added(request.conversation, Projection(made.total, (*first.entries, *following)), made)


def _size(request: Request, entries: Sequence[Entry]) -> int:
    quarters = Sizer().quarters
    sizes = (request.sizes[each.index] if isinstance(each, Kept) else quarters(each.message) for each in entries)
    return sum(size + SEPARATOR for size in sizes)


def _room(request: Request, threshold: int, count: int) -> int:
    """What the threshold leaves for the first `count` messages, in tokens."""
    following = sum(size + SEPARATOR for size in request.sizes[count:])
    return max(0, threshold - request.fixed - following) // QUARTERS
