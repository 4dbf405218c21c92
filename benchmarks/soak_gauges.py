"""The proxy of the soak, in a process of its own, looked at from outside: its memory, its files, its pages, its feed.

What a process has is read from `/proc`, so this runs on Linux.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median

from benchmarks.soak_bodies import MOST_BYTES
from benchmarks.soak_sessions import markers
from benchmarks.soak_wire import Line, head
from faithfold.core.values import as_object

THRESHOLD = 10_000
"""Tokens."""

PATIENCE_S = 10.0
"""How long anything may take that has no reason to wait, on a machine that is busy; in seconds."""

# Small memories, so that they are full soon, and what grows after that is a leak.
_BOUNDS = ("--store-max-entries", "300", "--store-max-bytes", "4000000", "--recognition-max-bytes", "8000000")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Sample:
    """What the proxy had at a moment: requests so far, bytes of memory, open files."""

    at: float
    requests: int
    memory: int
    files: int


@dataclass
class Proxy:
    """A proxy that runs.

    Attributes:
        process: that serves.
        port: where.
        log: what it wrote on standard error.
        samples: of it, in order.
        slowest: of its pages, in seconds.
        pages: how many were asked.
    """

    process: Process
    port: int
    log: Path
    samples: list[Sample] = field(default_factory=list[Sample])
    slowest: float = 0.0
    pages: int = 0

    @property
    def files(self) -> int:
        """How many are open, sockets included."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208  it is the quickest

    @property
    def memory(self) -> int:
        """Bytes that are in memory."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE

    async def page(self, name: str) -> bytes:
        """One of the proxy's own pages.

        Raises:
            TimeoutError, ConnectionError: it didn't come.
        """
        start = time.monotonic()
        async with asyncio.timeout(PATIENCE_S):
            line = await Line.to(self.port)
            try:
                await line.say(head(f"GET /__faithfold__/{name} HTTP/1.1", "host: localhost", "connection: close"))
                got = await line.answer()
            finally:
                line.close()
        if got is None or got.status != 200 or not got.whole:  # noqa: PLR2004
            raise ConnectionError(f"{name} didn't answer")
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.pages += 1
        return got.body

    async def status(self) -> Mapping[str, object]:
        """What the status page says."""
        return as_object(json.loads(await self.page("status")))

    async def sample(self) -> None:
        """Looks at it once."""
        total = as_object((await self.status())["totals"])["requests"]
        await self.page("metrics")
        assert isinstance(total, int)
        self.samples.append(Sample(time.monotonic(), total, self.memory, self.files))

    async def settled(self, files: int | None = None) -> bool:
        """Waits until nothing goes on, and no more files are open than that. Returns whether that came to be."""
        for _ in range(int(PATIENCE_S * 5)):
            await asyncio.sleep(0.2)
            quiet = (await self.status())["in_flight"] == 0 and b"faithfold_in_flight 0.0" in await self.page("metrics")
            if quiet and (files is None or self.files <= files):
                return True
        return False


@asynccontextmanager
async def proxy(upstream: int, folder: Path) -> AsyncGenerator[Proxy]:
    """Serves a proxy before an upstream on this machine.

    Args:
        upstream: its port.
        folder: for the log, and as a home in which nothing is set.
    """
    url = f"http://127.0.0.1:{upstream}"
    flags = ("--port", "0", "--threshold", str(THRESHOLD), "--max-body-bytes", str(MOST_BYTES), *_BOUNDS)
    upstreams = ("--anthropic-upstream", url, "--openai-upstream", url)
    command = (sys.executable, "-m", "faithfold", "serve", *flags, *upstreams)
    known = {name: value for name, value in os.environ.items() if not name.startswith("FAITHFOLD_")}
    home = {**known, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    log = folder / "proxy.log"
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=file, env=home)
    assert process.stdout is not None
    try:
        said = (await process.stdout.readline()).decode()
        yield Proxy(process, int(said.split()[3].rstrip(";").rpartition(":")[2]), log)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@dataclass
class Feed:
    """Somebody who listens to the proxy's events.

    Attributes:
        told: how many there were.
        missed: how many of them there should have been besides.
        leaked: whether one held words of a conversation.
    """

    told: int = 0
    missed: int = 0
    leaked: bool = False

    async def listen(self, port: int) -> None:
        """Reads them, until it is cancelled."""
        line = await Line.to(port)
        last = 0
        try:
            await line.say(head("GET /__faithfold__/events HTTP/1.1", "host: localhost"))
            while True:
                event = await line.reader.readuntil(b"\n\n")
                self.leaked |= bool(markers(event))
                number = int(event.partition(b"id: ")[2].split(b"\n")[0] or last + 1)
                self.told, self.missed, last = self.told + 1, self.missed + number - last - 1, number
        finally:
            line.close()


async def deaf(port: int) -> None:
    """Asks for the events, and never reads one."""
    line = await Line.to(port, received=4_096)
    try:
        await line.say(head("GET /__faithfold__/events HTTP/1.1", "host: localhost"))
        await asyncio.Event().wait()
    finally:
        line.close()


def slope(samples: Sequence[Sample]) -> float:
    """By how many bytes memory grows a request: the median over all pairs, so that a peak counts for nothing."""
    every = samples[:: max(1, len(samples) // 300)]
    grown = [
        (later.memory - former.memory) / (later.requests - former.requests)
        for former, later in combinations(every, 2)
        if later.requests > former.requests
    ]
    return median(grown) if grown else 0.0


def unexpected(log: Path) -> Iterator[str]:
    """Lines of a log that nobody should find there, and lines that hold words of a conversation."""
    with log.open("rb") as lines:
        for line in lines:
            if markers(line):
                yield "the log holds words of a conversation"
            told = _parsed(line)
            problem = str(told.get("problem", ""))
            if told.get("event") != "exchange" or told.get("fate") == "failed" or problem.startswith("cut off"):
                yield f"in the log: {problem or line.decode(errors='replace').strip()[:200]}"


def _parsed(line: bytes) -> Mapping[str, object]:
    try:
        return as_object(json.loads(line))
    except ValueError:
        return {}
