"""The ladder: what is tried, rung by rung, until a request fits. One list, one loop, for every reason to climb.

A rung is settings and, for the last, a bound for the note. Every rung starts from what stood before the request, or
from the originals, so no rung destroys what the one before it saved. The first rung's result is remembered for later
requests; those of the others serve one request alone.

Source: spec 10-cliff, Engine; faults B061, B062.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from faithfold.core.commands import Remember
from faithfold.core.errors import FaithfoldError
from faithfold.core.sizes import QUARTERS
from faithfold.core.strategy import Steps
from faithfold.engine import standing as standings
from faithfold.engine.options import EngineSettings
from faithfold.engine.replay import Rung, replay
from faithfold.engine.request import Request
from faithfold.engine.store import PrefixEntry

LEAN_THOUGHT_CHARS = 300


def _lean(settings: EngineSettings) -> EngineSettings:
    limit = settings.thought_max_chars
    chars = min(limit, LEAN_THOUGHT_CHARS) if limit else LEAN_THOUGHT_CHARS
    return replace(_bare(settings), thought_max_chars=chars, keep_thinking=False)


def _bare(settings: EngineSettings) -> EngineSettings:
    return replace(settings, keep_recent=min(settings.keep_recent, 1))


LADDER: tuple[Rung, ...] = (
    Rung(lambda settings: settings),
    Rung(_bare),
    Rung(_lean),
    Rung(_lean, shortened=True),
)
"""Compact as set; keep the newest step alone; cut what was said and leave out what was thought; shorten the note."""


@dataclass(frozen=True, slots=True)
class Climbed:
    """How far up it went.

    Attributes:
        standing: what stands for the beginning of the request then.
        rung: the last one that changed something; -1 where none did.
        problem: one line on why the climb ended early; empty where it didn't.
    """

    standing: PrefixEntry | None
    rung: int = -1
    problem: str = ""


def climb(
    request: Request,
    start: PrefixEntry | None,
    rungs: Sequence[int],
    settings: EngineSettings,
    threshold: int,
    *,
    scope: str,
    forced: bool = False,
) -> Steps[Climbed]:
    """Climbs until the request fits, or no rung is left.

    Args:
        request: the request.
        start: what stands for its beginning already.
        rungs: which rungs of the ladder to try, in order.
        settings: of the engine.
        threshold: in quarter tokens.
        scope: in which the plain compaction is remembered.
        forced: whether the provider refused the request: then any rung that makes it smaller will do.

    Returns:
        What came of it. A policy that fails ends the climb; what was reached before stands.
    """
    best = Climbed(start)
    for number in rungs:
        size = standings.quarters(request, best.standing)
        if not (forced or over(size, threshold)):
            break
        made = yield from _tried(request, start, LADDER[number], settings, threshold, forced=forced or number > 0)
        if isinstance(made, str):
            return replace(best, problem=made)
        if made is not None and standings.quarters(request, made) < size:
            best = Climbed(made, number)
            if number == 0:
                yield Remember(scope, request.chain[made.cut - 1], made)
            if forced:
                return best
    return best


def _tried(
    request: Request, start: PrefixEntry | None, rung: Rung, settings: EngineSettings, threshold: int, *, forced: bool
) -> Steps[PrefixEntry | str | None]:
    """What a rung makes, or in one line why the policy failed.

    Where nothing has come since a note was written, the last rung writes that note anew, and shorter.
    """
    try:
        made = yield from replay(request, start, rung, settings, threshold, forced=forced)
        if made is None and start is not None and rung.shortened:
            made = yield from replay(request, None, rung, settings, threshold, forced=forced)
    except Exception as error:  # noqa: BLE001  a policy may be the caller's own, and the request must go out
        what = error if isinstance(error, FaithfoldError) else type(error).__name__  # others may quote a message
        return " ".join(f"the policy failed: {what}".split())
    return made


def over(quarters: int, threshold: int) -> bool:
    """Whether a size is over the threshold, both in quarter tokens; a token that isn't whole doesn't count."""
    return quarters - threshold >= QUARTERS
