"""How long a compaction takes, beside the reference implementation, in the same run.

Both are given the same messages and do the same work: compact, and size what goes in and what comes out. Ours also
judges the result (does it add a fault?) and says what became of each message. CPU time, the two by turns, medians.

Run it with `make bench`, or `python -m benchmarks.compact FILE...` for other sessions.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import click

import faithfold as ff
from tests.parity import oracle

ROUNDS = 21
SETTINGS = ff.CompactSettings()


def main(files: list[str]) -> None:
    """Prints a line for each file: the two medians in milliseconds, and their ratio."""
    click.echo(f"{'file':40} {'messages':>8} {'faithfold':>11} {'reference':>11} {'ratio':>6}")
    for name in files:
        transcript = ff.sessions.read(name)
        if transcript.dialect in oracle.DIALECTS:
            ours, theirs = _medians(transcript.messages, transcript.dialect)
            figures = f"{ours:8.2f} ms {theirs:8.2f} ms {ours / theirs:6.2f}"
            click.echo(f"{Path(name).name[-40:]:40} {len(transcript.messages):8} {figures}")


def _medians(messages: list[object], dialect: str) -> tuple[float, float]:
    def ours() -> None:
        ff.compact(messages, dialect, SETTINGS)

    def theirs() -> None:
        result = oracle.theirs(messages, dialect, SETTINGS)
        oracle.tokens(messages)
        oracle.tokens(result.messages if result else [])

    times = [(_milliseconds(ours), _milliseconds(theirs)) for _ in range(ROUNDS)]
    return median(our for our, _ in times), median(their for _, their in times)


def _milliseconds(work: Callable[[], None]) -> float:
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


if __name__ == "__main__":
    main(sys.argv[1:] or ["examples/session.jsonl"])
