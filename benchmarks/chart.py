"""Charts: bars of characters for the terminal, and lines as a self-contained SVG file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10

WIDTH, HEIGHT, MARGIN = 520, 340, 60
COLOURS = ("#0a6", "#888", "#c33")

Line = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """Lines over a common axis; both axes are logarithmic, and all values above zero."""

    title: str
    across: str
    up: str
    lines: Mapping[str, Line]


def bars(title: str, values: Mapping[str, float], unit: str, width: int = 50) -> str:
    """A bar for each value, the largest `width` characters wide."""
    most = max(values.values())
    rows = [
        f"  {name:12} {'█' * round(width * value / most) or '▏'} {value:,.2f} {unit}" for name, value in values.items()
    ]
    return "\n".join([title, *rows])


def svg(panels: Sequence[Panel]) -> str:
    """The panels below each other."""
    drawn = "\n".join(
        f'<g transform="translate(0,{number * HEIGHT})">{"".join(_panel(panel))}</g>'
        for number, panel in enumerate(panels)
    )
    size = f'width="{WIDTH}" height="{HEIGHT * len(panels)}" viewBox="0 0 {WIDTH} {HEIGHT * len(panels)}"'
    style = "text{font:12px sans-serif;fill:#333}polyline{fill:none;stroke-width:2}"
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>{paper}{drawn}</svg>\n'


def _panel(panel: Panel) -> Iterator[str]:
    across = _Scale([x for line in panel.lines.values() for x, _ in line], MARGIN, WIDTH - 110)
    up = _Scale([y for line in panel.lines.values() for _, y in line], HEIGHT - MARGIN, 40)
    yield f'<text x="{MARGIN}" y="22" font-weight="bold">{panel.title}</text>'
    yield f'<text x="{(MARGIN + WIDTH - 110) / 2:.0f}" y="{HEIGHT - 20}" text-anchor="middle">{panel.across}</text>'
    yield f'<text x="14" y="34">{panel.up}</text>'
    for mark in across.marks():
        at = across.at(mark)
        yield f'<path d="M{at:.1f} 40V{HEIGHT - MARGIN}" stroke="#eee"/>'
        yield f'<text x="{at:.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{mark:,g}</text>'
    for mark in up.marks():
        at = up.at(mark)
        yield f'<path d="M{MARGIN} {at:.1f}H{WIDTH - 110}" stroke="#eee"/>'
        yield f'<text x="{MARGIN - 6}" y="{at + 4:.1f}" text-anchor="end">{mark:,g}</text>'
    for (name, line), colour in zip(panel.lines.items(), COLOURS, strict=False):
        points = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in line)
        x, y = line[-1]
        yield f'<polyline points="{points}" stroke="{colour}"/>'
        yield f'<text x="{across.at(x) + 6:.1f}" y="{up.at(y) + 4:.1f}" style="fill:{colour}">{name}</text>'


class _Scale:
    """Places values between two ends, by their logarithms."""

    def __init__(self, values: Sequence[float], start: float, stop: float) -> None:
        self._least, self._most = log10(min(values)), log10(max(values))
        self._start, self._stop = start, stop

    def at(self, value: float) -> float:
        """Where a value is."""
        share = (log10(value) - self._least) / ((self._most - self._least) or 1)
        return self._start + share * (self._stop - self._start)

    def marks(self) -> Iterator[float]:
        """The powers of ten in between."""
        for power in range(int(self._least) - 1, int(self._most) + 1):
            if self._least - 0.02 <= power <= self._most:
                yield 10.0**power
