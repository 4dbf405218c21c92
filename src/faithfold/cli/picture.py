"""A picture for the terminal: how a conversation grows step by step, and what a compaction leaves of it.

An area chart. Its full height is the size of the conversation up to a step; the solid part at the bottom is what a
compaction leaves of that, the light part above is what it folds away. A line under the axis marks the steps that are
folded. It reads without colour, and in plain ASCII where the encoding has nothing better.

Invariant: pure, and truthful: the first column is the first step, the last column the last, a row that is light is
at least half full, and the solid part is exact to an eighth of a row (but never quite invisible).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from faithfold.cli.forecast import Point

WIDTH = 64
HEIGHT = 8
_EIGHTHS = 8
_NICE = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)

Run = tuple[str, str]
"""Characters in a row that look alike, and the look: `kept`, `folded` or nothing."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters of a picture. `parts` are the fillings of a cell of kept text from empty to full."""

    parts: str
    folded: str
    axis: str
    tick: str
    corner: str
    base: str
    line: str


BLOCKS = Marks(" ▁▂▃▄▅▆▇█", "░", "│", "┤", "└", "─", "━")
ASCII = Marks("    #####", ".", "|", "+", "+", "-", "=")


def picture(points: Sequence[Point], steps: int, marks: Marks = BLOCKS) -> list[list[Run]]:
    """The lines of the picture, each a list of runs.

    Args:
        points: one for the start, then one for each step.
        steps: the number of the last step, for the axis.
        marks: the characters to draw with.

    Returns:
        The lines; none if there are no points.
    """
    if not points:
        return []
    columns = [points[_point_at(column, len(points))] for column in range(WIDTH)]
    top = _nice(max(1, *(point.before for point in columns)))
    labels = {HEIGHT - 1: _short(top), HEIGHT // 2 - 1: _short(top / 2), -1: "0"}
    margin = max(map(len, labels.values()))
    lines = [
        [(_axis(labels.get(row, ""), margin, marks), ""), *_row(columns, row, top, marks)]
        for row in reversed(range(HEIGHT))
    ]
    base: list[Run] = [(f"{labels[-1]:>{margin}} {marks.corner}{marks.base * WIDTH}", "")]
    return [*lines, base, *_foot(columns, steps, margin + 2, marks)]


def _point_at(column: int, points: int) -> int:
    """Few points are as wide as each other; of many, the first and the last are always there."""
    return column * points // WIDTH if points <= WIDTH else column * (points - 1) // (WIDTH - 1)


def _row(columns: Sequence[Point], row: int, top: float, marks: Marks) -> list[Run]:
    return _runs([_cell(point, row, top, marks) for point in columns])


def _cell(point: Point, row: int, top: float, marks: Marks) -> Run:
    """One character: what is kept, exact to an eighth; above it what is folded away, where it fills half of the row."""
    kept = _filled(point.after, row, top)
    if point.after and row == 0:
        kept = max(kept, 1)
    if marks.parts[kept] != " ":
        return marks.parts[kept], "kept"
    folded = point.before > point.after and _filled(point.before, row, top) >= _EIGHTHS // 2
    return (marks.folded, "folded") if folded else (" ", "")


def _filled(tokens: int, row: int, top: float) -> int:
    """How many eighths of a row so many tokens fill."""
    return max(0, min(_EIGHTHS, round(tokens / top * HEIGHT * _EIGHTHS) - row * _EIGHTHS))


def _foot(columns: Sequence[Point], steps: int, margin: int, marks: Marks) -> list[list[Run]]:
    """Below the axis: which steps are folded, the steps' numbers, and what the characters mean."""
    blank: Run = (" " * margin, "")
    numbers: list[Run] = [blank, (f"start{'steps':^{WIDTH - 10}}{steps:>5}", "")]
    if all(point.kept for point in columns):
        return [numbers]
    marked = _runs([(" ", "") if point.kept else (marks.line, "folded") for point in columns])
    legend: list[Run] = [
        blank,
        (marks.parts[-1], "kept"),
        (" kept   ", ""),
        (marks.folded, "folded"),
        (" folded away   ", ""),
        (marks.line, "folded"),
        (" steps that are folded", ""),
    ]
    return [[blank, *marked], numbers, legend]


def _runs(cells: Sequence[Run]) -> list[Run]:
    """Neighbours that look alike, joined."""
    return [("".join(text for text, _ in group), look) for look, group in groupby(cells, key=lambda cell: cell[1])]


def _axis(label: str, margin: int, marks: Marks) -> str:
    """The axis beside a row; a label names the upper edge of its row."""
    return f"{label:>{margin}} {marks.tick if label else marks.axis}"


def _nice(tokens: int) -> float:
    """The next round number."""
    unit = int("1" + "0" * (len(str(tokens)) - 1))
    return next(step * unit for step in _NICE if step * unit >= tokens)


def _short(tokens: float) -> str:
    """A number in at most five characters, such as `950`, `1.5k`, `40k` or `1.2M`."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            return f"{tokens / unit:.4g}{name}"
    return f"{tokens:.4g}"
