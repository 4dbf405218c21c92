"""The table of the soak: what was measured, what it may be at most, and whether that holds."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.soak_gauges import PATIENCE_S, Feed, Proxy, Sample, slope, unexpected
from benchmarks.soak_ledger import Ledger
from benchmarks.soak_troubles import TROUBLES
from faithfold.core.values import as_object

SEEN_S = 1.0
"""After how many seconds the provider has to see that a client left."""

GROWTH = 100
"""Bytes by which the proxy's memory may grow a request, once its memories are full."""

_MEASURED_S = 45.0  # of samples, at least, that a growth can be seen in
_DRAIN_S = 12.0
_WARM = 0.4  # the share of the run in which memories fill


@dataclass(frozen=True)
class Row:
    """One thing that was measured, in words; `wrong` where it is not as it should be."""

    name: str
    value: str
    limit: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Report:
    """What came of it.

    Attributes:
        rows: of the table.
        wrong: what must not have been, and how often it was.
        ends: how each kind of request ended, and how often.
    """

    rows: Sequence[Row]
    wrong: Mapping[str, int]
    ends: Mapping[tuple[str, str], int]

    @property
    def good(self) -> bool:
        """Whether all is as it should be."""
        return not self.wrong and not any(row.wrong for row in self.rows)

    def lines(self, *, kinds: bool = False) -> Iterator[str]:
        """The table.

        Args:
            kinds: also how each kind of request ended.
        """
        for row in self.rows:
            yield f"{row.name:44} {row.value:>20}  {row.limit:20} {'WRONG' if row.wrong else ''}".rstrip()
        if kinds:
            yield from (f"  {name:50} {how:6} {times:6}" for (name, how), times in sorted(self.ends.items()))
        yield from (f"WRONG, {times} times: {what}" for what, times in sorted(self.wrong.items()))


@dataclass(frozen=True)
class Ending:
    """How the proxy was left.

    Attributes:
        status: the last one.
        baseline, files: how many files were open before, and at the end.
        settled: whether nothing went on any more.
        seconds: that it took to stop.
    """

    status: Mapping[str, object]
    baseline: int
    files: int
    settled: bool
    seconds: float


async def ending(served: Proxy, baseline: int, *, settled: bool) -> Ending:
    """Looks at the proxy for the last time, and stops it."""
    status, files = await served.status(), served.files
    start = time.monotonic()
    served.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(PATIENCE_S * 3):
        await served.process.wait()
    return Ending(status, baseline, files, settled, time.monotonic() - start)


def reported(ledger: Ledger, served: Proxy, feed: Feed, left: Ending) -> Report:
    """The table of a run."""
    for what in (*ledger.unfinished(), *unexpected(served.log)):
        ledger.wrong[what] += 1
    rows = [*_traffic(ledger, left), *_pace(ledger, served), *_memory(served.samples), *_leftovers(served, feed, left)]
    return Report(rows, ledger.wrong, ledger.ends)


def _traffic(ledger: Ledger, left: Ending) -> Iterator[Row]:
    totals = as_object(left.status["totals"])
    kinds = {name for name, _ in ledger.ends}
    missing = [trouble.name for trouble in TROUBLES if trouble.name not in kinds]
    yield Row("requests", f"{len(ledger.kinds):,}")
    yield Row("compactions", f"{totals['compactions']:,}", "some", wrong=not totals["compactions"])
    yield Row("replays", f"{totals['replays']:,}", "some", wrong=not totals["replays"])
    yield Row("kinds of trouble", f"{len(TROUBLES) - len(missing)}", f"{len(TROUBLES)}", wrong=bool(missing))
    yield Row("sessions mixed up", "yes" if ledger.mixed_up() else "none", "none", wrong=ledger.mixed_up())


def _pace(ledger: Ledger, served: Proxy) -> Iterator[Row]:
    seen = ledger.hang_ups() or [0.0]
    stuck = sum(times for (_, how), times in ledger.ends.items() if how == "stuck")
    yield Row("stuck requests", f"{stuck}", "0", wrong=bool(stuck))
    yield Row("slowest request", f"{ledger.slowest:.2f} s")
    yield Row("clients that left, and upstream saw it", f"{len(seen):,}")
    yield Row("  after, at the median", f"{median(seen) * 1e3:.1f} ms")
    yield Row("  after, at most", f"{max(seen) * 1e3:.1f} ms", f"{SEEN_S * 1e3:.0f} ms", wrong=max(seen) > SEEN_S)
    yield Row("own pages asked", f"{served.pages:,}")
    yield Row(
        "  the slowest", f"{served.slowest * 1e3:.0f} ms", f"{PATIENCE_S:.0f} s", wrong=served.slowest > PATIENCE_S
    )


def _memory(samples: Sequence[Sample]) -> Iterator[Row]:
    warm = samples[int(len(samples) * _WARM) :]
    first, last = warm[0], warm[-1]
    yield Row("memory, warm", f"{first.memory / 1e6:.1f} MB")
    yield Row("memory, at the end", f"{last.memory / 1e6:.1f} MB")
    grown = slope(warm)
    judged = last.at - first.at > _MEASURED_S
    limit = f"{GROWTH} bytes" if judged else "(too short a run)"
    yield Row("  growth a request", f"{grown:.0f} bytes", limit, wrong=judged and grown > GROWTH)


def _leftovers(served: Proxy, feed: Feed, left: Ending) -> Iterator[Row]:
    most = max(sample.files for sample in served.samples)
    yield Row("open files, before", f"{left.baseline}")
    yield Row("open files, at most", f"{most}")
    yield Row("open files, after", f"{left.files}", f"{left.baseline}", wrong=left.files > left.baseline)
    going = left.status["in_flight"]
    yield Row("in flight, after", f"{going}", "0", wrong=going != 0 or not left.settled)
    yield Row("events told to a listener", f"{feed.told:,}")
    yield Row("  missed", f"{feed.missed}", "0", wrong=bool(feed.missed))
    yield Row("  with words of a conversation", "yes" if feed.leaked else "none", "none", wrong=feed.leaked)
    yield Row("stopped after", f"{left.seconds:.2f} s", f"{_DRAIN_S:.0f} s", wrong=left.seconds > _DRAIN_S)
