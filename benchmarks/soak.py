"""The soak: many sessions at once, with all the trouble that clients and providers can make, for a long time.

The proxy and the provider run in processes of their own. Every session sends its growing history again and again; part
of its requests are trouble, dealt from a shuffled deck of all kinds, and after each trouble it asks again, well. At the
end, and all the time, nothing may be left behind or mixed up: see the rows of the table. All traffic stays on this
machine.

Run it with `python -m benchmarks.soak` (ten minutes; Linux). It exits with 1 where a row is not as it should be.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
import uvloop

from benchmarks.soak_gauges import Feed, Proxy, deaf, proxy
from benchmarks.soak_ledger import Ledger
from benchmarks.soak_manners import Ended, Order, plainly
from benchmarks.soak_report import Report, ending, reported
from benchmarks.soak_sessions import PATHS, Session
from benchmarks.soak_troubles import TROUBLES, WELL, Trouble
from benchmarks.soak_wire import Line

_TROUBLED = 0.4  # the share of steps with trouble
_REWOUND = 0.03
_STEPS = (25, 70)  # of a session
_PAUSE_S = 0.25  # between two requests of a session, on average
_STUCK_S = 30.0  # no request takes that long
_IDLED_S = 2.0  # after which the provider has closed what is idle
_KINDS = 6  # of sessions: dialects, streaming and not
_STRANGERS = 9_000  # indexes of sessions that are none of those that are measured


@dataclass
class Soak:
    """A run.

    Attributes:
        port: of the proxy.
        seconds: how long sessions begin requests.
        random: where all that is drawn comes from.
        ledger: what came of it.
    """

    port: int
    seconds: float
    random: Random
    ledger: Ledger
    _until: float = 0.0
    _deck: list[Trouble] = field(default_factory=list[Trouble])

    async def baseline(self, served: Proxy) -> int:
        """How many files are open when all is loaded, and nothing goes on."""
        for index in range(_KINDS):
            line = await self.ask(Session(_STRANGERS + index, 0, self.random), WELL, None)
            if line is not None:
                line.close()
        await asyncio.sleep(_IDLED_S)
        await served.settled()
        return served.files

    async def all(self, sessions: int) -> None:
        """All clients at once, until the time is over."""
        self._until = time.monotonic() + self.seconds
        await asyncio.gather(*(self._live(index) for index in range(sessions)))

    @property
    def _over(self) -> bool:
        """Whether no more requests are to begin."""
        return time.monotonic() > self._until

    async def _live(self, index: int) -> None:
        """One client, and its conversations one after the other."""
        number = 0
        while not self._over:
            session = Session(index, number, Random(self.random.random()))
            await self._converse(session)
            number += 1

    async def _converse(self, session: Session) -> None:
        line: Line | None = None
        for _ in range(session.random.randint(*_STEPS)):
            session.grow()
            if session.random.random() < _TROUBLED:
                line = await self.ask(session, self._dealt(), line)
            line = await self.ask(session, WELL, line)
            if session.random.random() < _REWOUND:
                session.rewind()
            await asyncio.sleep(session.random.expovariate(1 / _PAUSE_S))
            if self._over:
                break
        if line is not None:
            line.close()

    def _dealt(self) -> Trouble:
        """The next kind of trouble. All come equally often."""
        if not self._deck:
            self._deck = self.random.sample(TROUBLES, len(TROUBLES))
        return self._deck.pop()

    async def ask(self, session: Session, trouble: Trouble, line: Line | None) -> Line | None:
        """One request.

        Returns:
            The connection, where it can be used again.
        """
        number = self.ledger.begun(trouble)
        start = time.monotonic()
        line = line if line is not None else await Line.to(self.port)
        try:
            async with asyncio.timeout(_STUCK_S):
                ended = await trouble.manner(line, order(session, trouble, number))
        except (TimeoutError, asyncio.IncompleteReadError) as error:
            ended = Ended("stuck" if isinstance(error, TimeoutError) else "none")
        self.ledger.ended(number, session, ended, time.monotonic() - start)
        if trouble.manner is plainly and ended.answers and ended.answers[0].stays:
            return line
        line.close()
        return None


def order(session: Session, trouble: Trouble, number: int) -> Order:
    """What a session asks, with what the provider needs to know."""
    load = trouble.body(session)
    told = {"number": number, "marker": session.marker.decode(), "dialect": session.dialect, "act": trouble.act}
    if trouble.legal:
        told["legal"] = "yes"
    if load.untouched:
        told["hash"] = load.hash
    soak = [f"x-soak-{name}: {value}" for name, value in told.items()]
    headers = (*soak, *session.headers, *load.headers, "content-type: application/json", "x-api-key: sk-soak")
    return Order(PATHS[session.dialect], headers, load.body)


@asynccontextmanager
async def provider() -> AsyncGenerator[tuple[int, asyncio.StreamReader]]:
    """The provider: its port, and what it tells."""
    command = (sys.executable, "-m", "benchmarks.soak_upstream")
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    assert process.stdout is not None
    try:
        yield int(await process.stdout.readline()), process.stdout
    finally:
        process.kill()
        await process.wait()


async def listen(told: asyncio.StreamReader, ledger: Ledger) -> None:
    """Notes what the provider tells."""
    while line := await told.readline():
        ledger.told(*json.loads(line))


async def watch(served: Proxy, ledger: Ledger) -> None:
    """Looks at the proxy all the time."""
    while True:
        try:
            await served.sample()
        except (TimeoutError, ConnectionError) as error:
            ledger.wrong[f"a page of the proxy: {type(error).__name__}"] += 1
        await asyncio.sleep(0.5)


@asynccontextmanager
async def beside(*works: Coroutine[object, object, None]) -> AsyncGenerator[None]:
    """Does something else meanwhile. What fails there fails here."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended


async def soak(seconds: float, sessions: int, seed: int, folder: Path) -> Report:
    """Runs it.

    Args:
        seconds: how long requests begin.
        sessions: at once.
        seed: of all that is drawn.
        folder: for the proxy's log.
    """
    ledger, feed = Ledger(), Feed()
    async with provider() as (upstream, told), proxy(upstream, folder) as served, beside(listen(told, ledger)):
        run = Soak(served.port, seconds, Random(seed), ledger)
        baseline = await run.baseline(served)
        async with beside(watch(served, ledger), feed.listen(served.port), deaf(served.port)):
            await run.all(sessions)
        settled = await served.settled(baseline)
        return reported(ledger, served, feed, await ending(served, baseline, settled=settled))


@click.command()
@click.option("--seconds", default=600.0, show_default=True, help="How long.")
@click.option("--sessions", default=50, show_default=True, help="How many at once.")
@click.option("--seed", default=1, show_default=True, help="Of all that is drawn.")
@click.option("--kinds", is_flag=True, help="Also how each kind of trouble ended.")
def main(seconds: float, sessions: int, seed: int, kinds: bool) -> None:
    """Prints a table, and exits with 1 where something is not as it should be."""
    with TemporaryDirectory() as folder:
        report = uvloop.run(soak(seconds, sessions, seed, Path(folder)))
    click.echo("\n".join(report.lines(kinds=kinds)))
    sys.exit(not report.good)


if __name__ == "__main__":
    main()
