"""The page that `faithfold status` prints.

Invariant: it reads the same without colour. What comes from the proxy is made fit for a terminal first; what is
missing in it, or of another type, reads as nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import click

from faithfold.cli.layout import count, cut, lasting, short, wrapped
from faithfold.cli.terminal import can_carry, printable
from faithfold.core.values import as_list, as_object, as_text

_WIDEST = 100
_NARROWEST = 40
_INDENT = "  "
_LABEL = 8  # characters of a session's label that are shown
_MODEL = 20
_NUMBERS = 40  # characters of a row besides the model and the sizes
_SHOWN = 20  # sessions
_SIZES = "size against the threshold"


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters of a row of sizes: from nearly empty to over the threshold; and a drop."""

    sizes: str
    drop: str


BLOCKS = Marks("▁▂▃▄▅▆▇█", "↓")
ASCII = Marks("_.:-=+*#", "v")


def status_page(found: Mapping[str, object], url: str, width: int | None = None, now: float | None = None) -> str:
    """The page, with colours; as wide as the terminal, or as `width` characters, but from 40 to 100.

    Args:
        found: what the proxy says of itself.
        url: where it is.
        width: of the page.
        now: in seconds since the epoch; the clock's by default.
    """
    given = shutil.get_terminal_size().columns if width is None else width
    wide = max(_NARROWEST, min(_WIDEST, given))
    clock = time.time() if now is None else now
    blocks = (_top(found, url, wide), _totals(found, wide), _sessions(found, wide, clock), _notices(found, wide))
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block)))


def _top(found: Mapping[str, object], url: str, width: int) -> Iterator[str]:
    version = printable(as_text(found.get("version")))
    yield click.style(f"faithfold {version} at {printable(url)}, up {lasting(_number(found, 'uptime'))}", bold=True)
    for name, upstream in as_object(found.get("upstreams")).items():
        yield f"{_INDENT}{printable(name)} to {printable(as_text(upstream))}"  # never broken, so that it can be copied
    settings = as_object(found.get("settings"))
    threshold = settings.get("threshold_tokens")
    told = [f"policy {printable(_policy(settings.get('policy')))}"]
    told.append(f"threshold {threshold:,}" if isinstance(threshold, int) else "threshold by the model")
    told += [name for name in ("strict", "shadow") if settings.get(name) is True]
    yield from wrapped(", ".join(told), width)


def _policy(policy: object) -> str:
    return as_text(policy) or ", ".join(as_text(each) for each in as_list(policy))


def _totals(found: Mapping[str, object], width: int) -> Iterator[str]:
    totals = as_object(found.get("totals"))
    yield click.style("Requests", bold=True)
    yield from wrapped("; ".join(_counted(totals, _number(found, "in_flight"))), width)


def _counted(totals: Mapping[str, object], in_flight: int) -> Iterator[str]:
    yield f"{count(_number(totals, 'requests'), 'request')}, {in_flight:,} in flight"
    yield count(_number(totals, "compactions"), "drop")
    yield f"about {count(_number(totals, 'tokens_saved'), 'token')} saved"
    for name, words in (
        ("over_budget", "sent over the threshold"),
        ("replays", "sent again after an overflow"),
        ("failures", "failed"),
    ):
        if number := _number(totals, name):
            yield f"{number:,} {words}"


def _sessions(found: Mapping[str, object], width: int, now: float) -> Iterator[str]:
    rows = [as_object(each) for each in as_list(found.get("sessions"))]
    if not rows:
        return
    yield click.style("Sessions, the newest first", bold=True)
    room = width - len(_INDENT) - _MODEL - _NUMBERS
    sizes = _SIZES if room >= len(_SIZES) else ""
    head = f"{'session':<{_LABEL}} {'model':<{_MODEL}} {'requests':>8} {'drops':>5} {'tokens':>6}  {'ago':<9} {sizes}"
    yield f"{_INDENT}{head}".rstrip()
    marks = BLOCKS if can_carry(BLOCKS.sizes + BLOCKS.drop) else ASCII
    for row in rows[:_SHOWN]:
        yield f"{_INDENT}{_row(row, now)} {sparkline(row, room, marks)}".rstrip()
    if len(rows) > _SHOWN:
        yield f"{_INDENT}and {len(rows) - _SHOWN:,} more"


def _row(row: Mapping[str, object], now: float) -> str:
    label = printable(as_text(row.get("session")))[:_LABEL]
    model = cut(printable(as_text(row.get("model"))), _MODEL)
    numbers = f"{_number(row, 'requests'):>8,} {_number(row, 'compactions'):>5,} {short(_number(row, 'tokens_out')):>6}"
    return f"{label:<{_LABEL}} {model:<{_MODEL}} {numbers}  {lasting(now - _number(row, 'last_seen')):<9}"


def sparkline(row: Mapping[str, object], room: int, marks: Marks = BLOCKS) -> str:
    """The sizes of a session's newest requests, a character each; full is the threshold. A drop is marked before it.

    Args:
        row: of the session.
        room: in characters; where they don't suffice, the older ones are left out.
        marks: the characters.
    """
    sizes = [as_list(each) for each in as_list(row.get("sizes"))]
    full = _number(row, "threshold") or max((_tokens(each) for each in sizes), default=0)
    if not full or room <= 0:
        return ""
    drawn = "".join(_column(_tokens(each), full, marks, dropped=_is_drop(each)) for each in sizes)
    return "".join(click.style(each, fg="yellow") if each == marks.drop else each for each in drawn[-room:])


def _column(tokens: int, full: int, marks: Marks, *, dropped: bool) -> str:
    highest = len(marks.sizes) - 1
    return (marks.drop if dropped else "") + marks.sizes[min(highest, tokens * highest // full)]


def _tokens(size: Sequence[object]) -> int:
    first = size[0] if size else 0
    return first if isinstance(first, int) else 0


def _is_drop(size: Sequence[object]) -> bool:
    return len(size) > 1 and size[1] is True


def _notices(found: Mapping[str, object], width: int) -> Iterator[str]:
    notices = [printable(as_text(each)) for each in as_list(found.get("notices"))]
    if notices:
        yield click.style("Notices, the newest last", bold=True)
    for each in notices:
        yield from wrapped(each, width)


def _number(fields: Mapping[str, object], name: str) -> int:
    value = fields.get(name)
    return int(value) if isinstance(value, (int, float)) and isfinite(value) else 0
