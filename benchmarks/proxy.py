"""What the proxy adds to a request, beside the reference's proxy and beside no proxy at all, in one run.

Every request carries the whole history of its session, and one step that is new, as an agent sends it. The provider
answers at once, so that what is measured is the way there and back. Each of the three has its turn with the same
requests; the ratios are what is worth comparing between machines.

Run it with `python -m benchmarks.proxy` (about four minutes).
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median, quantiles

import click
import uvloop

from benchmarks.histories import History

NAMES = ("no proxy", "faithfold", "reference")
CASES = ((1, 1, 60), (10, 1, 30), (1, 50, 8), (10, 50, 2))
"""Megabytes of a request, sessions at once, requests a session."""


@dataclass
class Measured:
    """Seconds, of each request: until the first byte of the answer, and until its last one; and of all together."""

    first: list[float] = field(default_factory=list[float])
    whole: list[float] = field(default_factory=list[float])
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.whole) / self.seconds


@click.command()
@click.option("--quick", is_flag=True, help="The small requests only.")
def main(quick: bool) -> None:
    """Prints a table and the ratios."""
    heading = f"{'':22} {'p50':>9} {'p99':>9} {'first byte':>11} {'requests/s':>11}"
    for megabytes, sessions, requests in CASES[::2] if quick else CASES:
        click.echo(f"\n{megabytes} MB requests, {sessions} sessions at once; milliseconds\n{heading}")
        with running() as ports:
            measured = {name: measure(ports[name], megabytes, sessions, requests) for name in NAMES}
        for name, one in measured.items():
            p50, p99 = median(one.whole), percentile(one.whole)
            figures = f"{p50 * 1e3:9.2f} {p99 * 1e3:9.2f} {median(one.first) * 1e3:11.2f} {one.rate:11.1f}"
            click.echo(f"  {name:20} {figures}")
        click.echo(f"  {compared(measured)}")


def compared(measured: dict[str, Measured]) -> str:
    """What is added, as a share of what the reference adds, and the rates."""
    none, ours, theirs = (measured[name] for name in NAMES)
    shares = [
        (at(ours.whole) - at(none.whole)) / max(1e-9, at(theirs.whole) - at(none.whole)) for at in (median, percentile)
    ]
    first = (median(ours.first) - median(none.first)) / max(1e-9, median(theirs.first) - median(none.first))
    rate = ours.rate / theirs.rate
    return (
        f"added, of what the reference adds: {shares[0]:.2f} at p50, {shares[1]:.2f} at p99, "
        f"{first:.2f} to the first byte; {rate:.1f} times its requests"
    )


def percentile(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return quantiles(values, n=100, method="inclusive")[98]


def measure(port: int, megabytes: int, sessions: int, requests: int) -> Measured:
    """Sends the requests of all sessions; the first of each is not counted, since its history is new."""
    bodies = list(made(megabytes, sessions, requests + 1))
    return uvloop.run(send(port, bodies))


def made(megabytes: int, sessions: int, requests: int) -> Iterator[list[bytes]]:
    """The bodies of each session. Sessions differ from their first message on."""
    history = History("anthropic")
    steps = 1
    while len(history.body(steps)) < megabytes * 1_000_000:
        steps += max(1, (megabytes * 1_000_000 - len(history.body(steps))) // 6_000)
    plain = [history.body(steps + number) for number in range(requests)]
    for session in range(sessions):
        yield [body.replace(b"Find out", b"Session %d: find out" % session, 1) for body in plain]


async def send(port: int, bodies: Sequence[Sequence[bytes]]) -> Measured:
    """All sessions at once, each on a connection of its own."""
    measured = Measured()
    clients = [await asyncio.open_connection("127.0.0.1", port, limit=2**20) for _ in bodies]
    for client, session in zip(clients, bodies, strict=True):
        await ask(client, session[0], Measured())
    start = time.perf_counter()
    turns = (talk(client, session[1:], measured) for client, session in zip(clients, bodies, strict=True))
    await asyncio.gather(*turns)
    measured.seconds = time.perf_counter() - start
    for _, writer in clients:
        writer.close()
    return measured


Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def talk(client: Client, bodies: Sequence[bytes], measured: Measured) -> None:
    """The requests of one session, one after the other."""
    for body in bodies:
        await ask(client, body, measured)


async def ask(client: Client, body: bytes, measured: Measured) -> None:
    """One request and its streamed answer."""
    reader, writer = client
    head = f"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    start = time.perf_counter()
    writer.write(head)
    writer.write(body)
    status = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in status.partition(b"\r\n")[0]:
        raise click.ClickException(f"a request was refused: {status.decode()}")
    seconds: list[float] = []
    while size := int(await reader.readline(), 16):
        await reader.readexactly(size + 2)
        seconds.append(time.perf_counter() - start)
    await reader.readline()
    measured.first.append(seconds[0])
    measured.whole.append(time.perf_counter() - start)


@contextmanager
def running() -> Generator[dict[str, int]]:
    """The provider and both proxies, each in a process of its own; their ports."""
    started: list[subprocess.Popen[str]] = []
    try:
        provider = subprocess.Popen([sys.executable, "-m", "benchmarks.upstream"], stdout=subprocess.PIPE, text=True)
        started.append(provider)
        assert provider.stdout is not None
        ports = {"no proxy": int(provider.stdout.readline())}
        upstream = f"http://127.0.0.1:{ports['no proxy']}"
        for name, module in (("faithfold", "faithfold"), ("reference", "cliffcompaction")):
            ports[name] = free_port()
            options = ["--port", str(ports[name]), "--anthropic-upstream", upstream, "--threshold", "200000"]
            command = [sys.executable, "-m", module, "serve", *options]
            started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True))
            await_port(ports[name])
        yield ports
    finally:
        for process in started:
            process.terminate()
            process.wait()


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def await_port(port: int) -> None:
    """Waits until somebody listens there."""
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionError:
            time.sleep(0.1)
        else:
            return
    raise click.ClickException(f"nobody listens at {port}")


if __name__ == "__main__":
    main()
