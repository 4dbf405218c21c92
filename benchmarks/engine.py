"""What a request costs the engine, beside the reference implementation and beside reading its JSON once.

All of it in one run, on the same bytes, by turns, in CPU time: only the ratios are worth comparing between machines. A
warm request has the whole history and one step that is new, as an agent sends it.

Run it with `make bench`, or `python -m benchmarks.engine --full` for the sessions of full length (some minutes).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from benchmarks.chart import Panel, bars, svg
from benchmarks.histories import KEYS, History, of_size
from benchmarks.requests import Costs, Ours, Reference, costs, peak, session

LENGTHS = (100, 1_000, 5_000)
MEGABYTES = (1, 10, 50)
SMALL = 10_000_000  # bytes; larger bodies are measured in fewer rounds
OURS, THEIRS, LOADS = "faithfold", "reference", "json.loads"
BUILD = Path("build")

Measured = dict[tuple[str, int], Costs]


@click.command()
@click.option("--full", is_flag=True, help="The reference's session to 1,000 steps too, not to 300.")
def main(full: bool) -> None:
    """Prints tables and charts, and writes build/bench-engine.svg."""
    BUILD.mkdir(exist_ok=True)
    measured = histories()
    bodies()
    memory()
    ours, theirs = sessions(1_000 if full else 300)
    targets(measured, ours, theirs)
    at = measured["anthropic", 1_000]
    click.echo(
        "\n" + bars("A warm request at 1,000 steps", {OURS: at.warm, LOADS: at.loads, THEIRS: at.reference}, "ms")
    )
    steps = len(theirs)
    click.echo("\n" + bars(f"A session to {steps:,} steps", {OURS: ours[steps - 1], THEIRS: theirs[-1]}, "s"))
    picture = BUILD / "bench-engine.svg"
    picture.write_text(svg(list(panels(measured, ours, theirs))), "utf-8")
    click.echo(f"\nPlot: {picture}")


def histories() -> Measured:
    """Measures histories of 2 to 6 kB a result, by the number of their steps."""
    click.echo("Requests with a history, results of 2 to 6 kB; milliseconds of CPU time, medians\n")
    click.echo(HEADING)
    made: Measured = {}
    for dialect in KEYS:
        history = History(dialect)
        for steps in LENGTHS:
            made[dialect, steps] = shown(f"{dialect} {steps:,} steps", history, steps)
    return made


def bodies() -> None:
    """Measures bodies of a given size, with results of 30 to 90 kB."""
    click.echo("\nRequests by size, results of 30 to 90 kB\n")
    click.echo(HEADING)
    for megabytes in MEGABYTES:
        shown(f"anthropic {megabytes} MB", *of_size("anthropic", megabytes))


HEADING = (
    f"{'':28}{'MB':>6}{'warm':>9}{LOADS:>12}{THEIRS:>11}{'/loads':>8}{'/ref.':>7}"
    f"{'again':>9}{'a new one':>11}{'cold':>9}{'ref. cold':>11}{'memory':>9}"
)


def shown(name: str, history: History, steps: int) -> Costs:
    """Measures, and prints a row."""
    made = costs(history, steps, rounds=9 if len(history.body(steps)) < SMALL else 5)
    click.echo(
        f"{name:28}{made.size / 1e6:6.1f}{made.warm:9.2f}{made.loads:12.2f}{made.reference:11.2f}"
        f"{made.warm / made.loads:8.2f}{made.warm / made.reference:7.3f}"
        f"{made.again:9.2f}{made.appended:11.3f}{made.cold:9.1f}{made.reference_cold:11.1f}"
        f"{made.recognition / 1e6:6.1f} MB"
    )
    return made


def memory() -> None:
    """Prints what two requests of 1,000 steps take at most."""
    body = History("anthropic").body(1_000)
    senders: dict[str, Callable[[bytes], object]] = {
        OURS: Ours("anthropic").send,
        LOADS: json.loads,
        THEIRS: Reference("anthropic").send,
    }
    grown = {name: peak(send, body) for name, send in senders.items()}
    figures = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in grown.items())
    click.echo(f"\nPeak memory besides the body, anthropic 1,000 steps, a cold and a warm request: {figures}")


def sessions(steps: int) -> tuple[list[float], list[float]]:
    """Measures whole sessions: ours to 5,000 steps, the reference's to `steps`."""
    history = History("anthropic")
    history.body(LENGTHS[-1])  # made before anything is measured
    theirs = session(history, steps, Reference("anthropic"))
    ours = session(history, LENGTHS[-1], Ours("anthropic"))
    click.echo("\nWhole sessions, one request a step; seconds of CPU time in all\n")
    click.echo(f"{'steps':>8}{OURS:>12}{THEIRS:>12}{'ratio':>8}")
    for count in (100, 300, 1_000, 5_000):
        reference = f"{theirs[count - 1]:12.2f}{ours[count - 1] / theirs[count - 1]:8.3f}" if count <= steps else ""
        click.echo(f"{count:8,}{ours[count - 1]:12.2f}{reference}")
    return ours, theirs


def targets(measured: Measured, ours: list[float], theirs: list[float]) -> None:
    """Prints what was aimed at, and what came out."""
    click.echo(f"\n{'target':62}{'at most':>9}{'measured':>10}")
    rows: list[tuple[str, float, float]] = []
    for dialect in KEYS:
        at = measured[dialect, 1_000]
        rows.append((f"warm request, {dialect} 1,000 steps, of the reference's", 0.1, at.warm / at.reference))
        for steps in (1_000, 5_000):
            at = measured[dialect, steps]
            rows.append((f"warm request, {dialect} {steps:,} steps, of one {LOADS}", 0.8, at.warm / at.loads))
    steps = len(theirs)
    rows.append((f"session to {steps:,} steps, of the reference's", 1 / 8, ours[steps - 1] / theirs[-1]))
    rows.append(("session to 5,000 steps, seconds", 5, ours[-1]))
    rows.append(("a new message, anthropic 1,000 steps, milliseconds", 1, measured["anthropic", 1_000].appended))
    for name, target, value in rows:
        click.echo(f"{name:62}{target:9.3g}{value:10.3f}  {'met' if value <= target else 'MISSED'}")


def panels(measured: Measured, ours: list[float], theirs: list[float]) -> Iterator[Panel]:
    """The plots: a warm request by the length of its history, and sessions as they grow."""
    by_length = [(steps, measured["anthropic", steps]) for steps in LENGTHS]
    warm = {
        OURS: [(steps, at.warm) for steps, at in by_length],
        LOADS: [(steps, at.loads) for steps, at in by_length],
        THEIRS: [(steps, at.reference) for steps, at in by_length],
    }
    yield Panel("A warm request, by the length of its history", "steps", "ms", warm)
    grown = {name: list(enumerate(totals, 1))[9::10] for name, totals in ((OURS, ours), (THEIRS, theirs))}
    yield Panel("A whole session, one request a step", "steps", "s", grown)


if __name__ == "__main__":
    main()
