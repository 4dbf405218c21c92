"""The ladder: what is tried, rung by rung, until a request fits. One list, one loop, for every reason to climb.

A rung is settings and, for the last, a bound for the note. Every rung starts from what stood before the request, so
no rung destroys what the one before it saved. The first rung's result is remembered for later requests; those of the
others serve one request alone.

Source: spec 10-cliff, Engine; faults B061, B062.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from faithfold.core.commands import Remember
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
    return replace(settings, keep_recent=1, thought_max_chars=chars, keep_thinking=False)


LADDER: tuple[Rung, ...] = (
    Rung(lambda settings: settings),
    Rung(lambda settings: replace(settings, keep_recent=1)),
    Rung(_lean),
    Rung(_lean, shortened=True),
)
"""Compact as set; keep the newest step alone; cut what was said and leave out what was thought; shorten the note."""


def climb(
    request: Request,
    start: PrefixEntry | None,
    rungs: Sequence[int],
    settings: EngineSettings,
    threshold: int,
    *,
    scope: str,
    forced: bool = False,
) -> Steps[tuple[PrefixEntry | None, int]]:
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
        What stands then, and the last rung that changed something (-1: none).
    """
    best, reached = start, -1
    for number in rungs:
        smaller = standings.quarters(request, best)
        if not forced and not over(smaller, threshold):
            break
        made = yield from _tried(request, start, LADDER[number], settings, threshold, forced=forced or number > 0)
        if made is None or standings.quarters(request, made) >= smaller:
            continue
        best, reached = made, number
        if number == 0:
            yield Remember(scope, request.chain[made.cut - 1], made)
        if forced:
            break
    return best, reached


def _tried(
    request: Request, start: PrefixEntry | None, rung: Rung, settings: EngineSettings, threshold: int, *, forced: bool
) -> Steps[PrefixEntry | None]:
    """What a rung makes. Where nothing has come since a note was written, that note is written anew, and shorter."""
    made = yield from replay(request, start, rung, settings, threshold, forced=forced)
    if made is None and start is not None and rung.shortened:
        made = yield from replay(request, None, rung, settings, threshold, forced=forced)
    return made


def over(quarters: int, threshold: int) -> bool:
    """Whether a size is over the threshold, both in quarter tokens; a token that isn't whole doesn't count."""
    return quarters - threshold >= QUARTERS
