"""What becomes of a request: as it came, with an earlier compaction put in, or compacted anew.

Source: spec 10-cliff, Engine; spec 05-api (`prepare`, `overflow`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from faithfold.core.commands import Lookup
from faithfold.core.identity import VERSION, canonical_json
from faithfold.core.sizes import QUARTERS
from faithfold.core.strategy import Steps
from faithfold.engine import standing as standings
from faithfold.engine.histories import Prefix
from faithfold.engine.ladder import LADDER, climb, over
from faithfold.engine.options import EngineSettings
from faithfold.engine.policies import listed
from faithfold.engine.request import Request
from faithfold.engine.store import PrefixEntry


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was decided about a request.

    Attributes:
        request: the request; None where the body is none that can be read.
        source: the body as it came.
        threshold: the size over which it is compacted, in tokens.
        start: what stood for its beginning before it was compacted.
        standing: what stands for it now; None: it is sent as it came.
        compacted: whether it was compacted now, and not only before.
        rung: the highest rung of the ladder that was needed.
        tried: how many rungs are behind it: an overflow goes on from there.
        over_budget: whether it is over the threshold all the same.
        prefix: how what is sent begins, beside what was sent before in the same history.
        problem: one line on why it is sent as it came, or can't be small enough.
        failed: whether the policy or the store failed, which is then the problem.
    """

    source: bytes | Mapping[str, object]
    request: Request | None = None
    threshold: int = 0
    start: PrefixEntry | None = None
    standing: PrefixEntry | None = None
    compacted: bool = False
    rung: int = 0
    tried: int = 0
    over_budget: bool = False
    prefix: Prefix = "new"
    problem: str = ""
    failed: bool = False


def prepare(request: Request, settings: EngineSettings, scope: str, threshold_tokens: int) -> Steps[Outcome]:
    """Decides about a request as it comes from the client."""
    threshold = threshold_tokens * QUARTERS
    start = yield from _matching(request, scope)
    rungs = range(len(LADDER) if settings.strict else len(LADDER) - 1)
    climbed = yield from climb(request, start, rungs, settings, threshold, scope=scope)
    return Outcome(
        source=request.source,
        request=request,
        threshold=threshold_tokens,
        start=start,
        standing=climbed.standing,
        compacted=climbed.rung >= 0,
        rung=max(climbed.rung, 0),
        tried=climbed.rung + 1,
        over_budget=over(standings.quarters(request, climbed.standing), threshold),
        problem=climbed.problem or _overhead(request, threshold),
        failed=bool(climbed.problem),
    )


def _overhead(request: Request, threshold: int) -> str:
    """That no compaction can help, where it can't: the messages are not what is too large (fault B041)."""
    if not over(request.fixed, threshold):
        return ""
    taken, limit = request.fixed // QUARTERS, threshold // QUARTERS
    return f"without any messages the request takes {taken:,} tokens: its threshold of {limit:,} can't be reached"


def overflow(outcome: Outcome, request: Request, settings: EngineSettings, scope: str) -> Steps[Outcome | None]:
    """Decides anew after the provider refused the request for its length: the next rung that makes it smaller."""
    threshold = outcome.threshold * QUARTERS
    size = standings.quarters(request, outcome.standing)
    for number in range(outcome.tried, len(LADDER)):
        climbed = yield from climb(request, outcome.start, [number], settings, threshold, scope=scope, forced=True)
        made = climbed.standing
        if made is None or climbed.rung < 0 or standings.quarters(request, made) >= size:
            continue
        too_large = over(standings.quarters(request, made), threshold)
        return replace(outcome, standing=made, compacted=True, rung=number, tried=number + 1, over_budget=too_large)
    return None


def _matching(request: Request, scope: str) -> Steps[PrefixEntry | None]:
    """The entry of the longest prefix that can stand in for it, and makes it smaller."""
    chain = request.chain
    while chain:
        found: object = yield Lookup(scope, chain)
        if not isinstance(found, PrefixEntry):
            return None
        if standings.holds(request, found) and standings.quarters(request, found) < request.quarters:
            return found
        chain = request.chain[: found.cut - 1]
    return None


def scope_of(settings: EngineSettings, unnamed: str = "") -> str:
    """Whose entries match: those of the tenant, made with the settings that shape a note.

    Args:
        settings: of the engine.
        unnamed: stands for policies of the caller's own, which have no names to be told apart by.
    """
    shaping = {
        each.name: repr(getattr(settings, each.name))
        for each in fields(settings)
        if not each.name.startswith(("threshold", "strict", "store", "recognition", "policy"))
    }
    policy = [one if isinstance(one, str) else unnamed for one in listed(settings.policy)]
    return hashlib.sha256(canonical_json([VERSION, shaping, policy]).encode()).hexdigest()
