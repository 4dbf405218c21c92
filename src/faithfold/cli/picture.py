"""A picture for the terminal: how a conversation grows step by step, and what a compaction leaves of it.

An area chart. Its full height is the size of the conversation up to a step; the solid part at the bottom is what a
compaction leaves of that, the note included, and the light part above is what it folds away. A line under the axis
marks the steps that are folded. It reads without colour, and in plain ASCII where the encoding has nothing better.

Invariant: pure, and truthful: the first column is the first step, the last column the last, a row that is light is
at least half full, and the solid part is exact to an eighth of a row (but never quite invisible). No line is wider than
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from faithfold.cli.forecast import Point

COLUMNS = 64
HEIGHT = 8
_EIGHTHS = 8
_NICE = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
_START = "start"
_BETWEEN = "   "

Run = tuple[str, str]
"""Characters in a row that look alike, and the look: `left`, `folded` or nothing."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters of a picture. `parts` are the fillings of a cell of what is left, from empty to full."""

    parts: str
    folded: str
    axis: str
    tick: str
    corner: str
    base: str
    line: str


BLOCKS = Marks(" ▁▂▃▄▅▆▇█", "░", "│", "┤", "└", "─", "━")
ASCII = Marks("    #####", ".", "|", "+", "+", "-", "=")


def picture(points: Sequence[Point], steps: int, marks: Marks = BLOCKS, width: int = 80) -> list[list[Run]]:
    """The lines of the picture, each a list of runs.

    Args:
        points: one for each step, after one for what precedes the model's first message, if anything does.
        steps: the number of the last step, for the axis.
        marks: the characters to draw with.
        width: of the longest line, in characters; 28 at least.

    Returns:
        The lines; none if there are no points.
    """
    if not points:
        return []
    top = _nice(max(1, *(point.before for point in points)))
    labels = {HEIGHT - 1: _short(top), HEIGHT // 2 - 1: _short(top / 2), -1: "0"}
    margin = max(map(len, labels.values()))
    wide = min(COLUMNS, width - margin - 2)
    columns = [points[_point_at(column, len(points), wide)] for column in range(wide)]
    lines = [
        [(_axis(labels.get(row, ""), margin, marks), ""), *_row(columns, row, top, marks)]
        for row in reversed(range(HEIGHT))
    ]
    base: list[Run] = [(f"{labels[-1]:>{margin}} {marks.corner}{marks.base * wide}", "")]
    return [*lines, base, *_foot(columns, steps, margin + 2, marks)]


def _point_at(column: int, points: int, columns: int) -> int:
    """Few points are as wide as each other; of many, the first and the last are always there."""
    return column * points // columns if points <= columns else column * (points - 1) // (columns - 1)


def _row(columns: Sequence[Point], row: int, top: float, marks: Marks) -> list[Run]:
    return _runs([_cell(point, row, top, marks) for point in columns])


def _cell(point: Point, row: int, top: float, marks: Marks) -> Run:
    """One character: what is left, exact to an eighth; above it what is folded away, where it fills half of the row."""
    left = _filled(point.after, row, top)
    if point.after and row == 0:
        left = max(left, 1)
    if marks.parts[left] != " ":
        return marks.parts[left], "left"
    folded = point.before > point.after and _filled(point.before, row, top) >= _EIGHTHS // 2
    return (marks.folded, "folded") if folded else (" ", "")


def _filled(tokens: int, row: int, top: float) -> int:
    """How many eighths of a row so many tokens fill."""
    return max(0, min(_EIGHTHS, round(tokens / top * HEIGHT * _EIGHTHS) - row * _EIGHTHS))


def _foot(columns: Sequence[Point], steps: int, margin: int, marks: Marks) -> list[list[Run]]:
    """Below the axis: which steps are folded, the steps' numbers, and what the characters mean."""
    blank: Run = (" " * margin, "")
    side = max(len(_START), len(str(steps)))
    middle = f"{'steps':^{len(columns) - 2 * side}}"
    numbers: list[Run] = [blank, (f"{_START:<{side}}{middle}{steps:>{side}}", "")]
    if all(point.kept for point in columns):
        return [numbers]
    marked = _runs([(" ", "") if point.kept else (marks.line, "folded") for point in columns])
    return [[blank, *marked], numbers, *_legend(len(columns), blank, marks)]


def _legend(wide: int, blank: Run, marks: Marks) -> list[list[Run]]:
    """On one line under the picture, or one meaning a line where there is no room for that."""
    meanings: list[tuple[Run, Run]] = [
        ((marks.parts[-1], "left"), (" left, note included", "")),
        ((marks.folded, "folded"), (" folded away", "")),
        ((marks.line, "folded"), (" steps that are folded", "")),
    ]
    if sum(len(mark + text) for (mark, _), (text, _) in meanings) + len(_BETWEEN) * (len(meanings) - 1) > wide:
        return [[mark, text] for mark, text in meanings]
    spaced = [run for mark, text in meanings for run in ((_BETWEEN, ""), mark, text)]
    return [[blank, *spaced[1:]]]


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
