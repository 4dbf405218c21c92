"""The page that `faithfold inspect` prints: a report laid out for people.

Invariant: it reads the same without colour, and what it takes from the file is made fit for a terminal first. No line
but the file's name is wider than the terminal: rows that don't fit are closed up and wrapped, a block of rows together.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator

import click

from faithfold.cli.contents import CLASSES
from faithfold.cli.picture import ASCII, BLOCKS, Run, picture
from faithfold.cli.report import Counted, Report
from faithfold.cli.terminal import can_carry, printable
from faithfold.sessions.sniff import FORMATS

_WIDEST = 74
_NARROWEST = 30
_INDENT = "  "
_LABEL = 20
_NUMBERS = 16  # characters of a number of tokens and its part of all
_BAR = range(6, 25)
_LOOKS = {"left": "cyan", "folded": "yellow"}
_SHOWN_OMISSIONS = 5
_SHOWN_REASONS = 3
_WHAT = 40  # characters of a description


def page(report: Report, width: int | None = None) -> str:
    """The page, with colours; as wide as the terminal, or as `width` characters, but from 30 to 74."""
    given = shutil.get_terminal_size().columns if width is None else width
    wide = max(_NARROWEST, min(_WIDEST, given))
    blocks = (_top, _sizes, _largest, _faults, _forecast, _picture)
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block(report, wide))))


def _top(report: Report, width: int) -> Iterator[str]:
    read = report.transcript
    yield click.style(printable(report.file), bold=True)  # never broken, so that it can be copied
    about = [_kind(report), f"dialect {read.dialect}", *([f"model {printable(read.model)}"] if read.model else [])]
    counts = [_count(len(read.messages), "message"), _count(report.turns, "turn"), _count(report.steps, "step")]
    lines = [", ".join(about), f"{', '.join(counts)}, about {report.tokens:,} tokens"]
    if report.body_tokens is not None:
        lines.append(f"the whole body, with system text and tools: about {report.body_tokens:,} tokens")
    if report.counted:
        lines.append(_counted(report.counted))
    if read.problems:
        lines.append(f"{_count(len(read.problems), 'bad line')}, left out or mended")
    for line in lines:
        yield from _wrapped(line, width)


def _counted(counted: Counted) -> str:
    """What was counted how: the name of a counter that estimates says so itself."""
    how = f"by {counted.counter}, over the JSON text"
    priced = "; pictures and documents by their estimated price" if counted.media else ""
    return f"{counted.tokens:,} tokens for {printable(counted.model)} {how}{priced}"


def _sizes(report: Report, width: int) -> Iterator[str]:
    yield _heading("Tokens")
    full, empty = ("█", "·") if can_carry("█·") else ("#", ".")
    label = min(_LABEL, width - len(_INDENT) - _NUMBERS)
    room = width - len(_INDENT) - label - _NUMBERS - len(_INDENT)
    wide = min(room, _BAR[-1]) if room in range(_BAR[0], width) else 0
    for name, tokens in report.by_class.items():
        if tokens:
            part = tokens / report.tokens
            bar = round(part * wide)
            drawn = click.style(full * bar, fg=_LOOKS["left"]) + empty * (wide - bar)
            row = f"{_INDENT}{_cut(CLASSES[name], label):<{label}} {tokens:>9,} {part:>5.0%}"
            yield f"{row}{_INDENT}{drawn}" if wide else row


def _largest(report: Report, width: int) -> Iterator[str]:
    yield _heading("Largest messages")
    told = [(f"#{each.index + 1}", f" {each.tokens:>9,}  {_cut(printable(each.what))}") for each in report.largest]
    label = min(_LABEL, width - len(_INDENT) - max(len(rest) for _, rest in told))
    yield from _rows([f"{number:<{max(6, label)}}{rest}" for number, rest in told], width)


def _faults(report: Report, width: int) -> Iterator[str]:
    if report.faults:
        yield _heading("What a provider would refuse")
        yield from _rows([f"{code:<20} {times:>9,}" for code, times in report.faults.items()], width)


def _forecast(report: Report, width: int) -> Iterator[str]:
    yield _heading("A compaction now")
    if report.gain.compaction is None:
        yield from _wrapped(report.gain.notice, width)
        return
    left = f" of {report.tokens:,} ({report.tokens_after / report.tokens:.0%})"
    rows = [*_fates(report)]
    rows.append(_row("leaves", _count(len(report.gain.compaction.messages), "message"), report.tokens_after, left))
    if report.counted:
        rows.append(_row("", "", report.counted.tokens_after, f" for {printable(report.counted.model)}"))
    yield from _rows([*rows, *_lost(report)], width)


def _fates(report: Report) -> Iterator[str]:
    verbs = {
        "head": "keeps first",
        "folded": "folds",
        "dropped": "drops",
        "between": "keeps amid",
        "tail": "keeps last",
    }
    for fate, share in report.forecast.shares.items():
        if share.messages:
            more = f" into a note of {report.forecast.note_tokens:,}" if fate == "folded" else ""
            yield _row(verbs[fate], _count(share.messages, "message"), share.tokens, more)
        if fate == "dropped":
            yield from _reasons(report)


def _row(verb: str, messages: str, tokens: int, more: str) -> str:
    return f"{verb:<12} {messages:>16} {tokens:>9,} tokens{more}"


def _reasons(report: Report) -> Iterator[str]:
    """What the dropped messages held, of which no note shows anything."""
    reasons = list(report.forecast.reasons.items())
    for why, messages in reasons[:_SHOWN_REASONS]:
        yield f"{'':<12} {messages:>16,} with {_cut(printable(why))}"
    if len(reasons) > _SHOWN_REASONS:
        yield f"{'':<12} {sum(messages for _, messages in reasons[_SHOWN_REASONS:]):>16,} with other things"


def _lost(report: Report) -> Iterator[str]:
    """What the note doesn't show, the largest kinds of it."""
    pieces = list(report.forecast.omissions.items())
    if pieces:
        yield "not in the note:"
    for what, (times, characters) in pieces[:_SHOWN_OMISSIONS]:
        size = f"{characters:>11,} characters" if characters else ""
        yield f"  {_cut(printable(what), 32):<32} {times:>6,} times {size}".rstrip()
    if len(pieces) > _SHOWN_OMISSIONS:
        rest = [times for _, (times, _) in pieces[_SHOWN_OMISSIONS:]]
        yield f"  {f'{len(rest)} more kinds':<32} {sum(rest):>6,} times"


def _picture(report: Report, width: int) -> Iterator[str]:
    marks = BLOCKS if can_carry("▁▂▃▄▅▆▇█░│┤└─━") else ASCII
    yield _heading("Size over steps, in tokens")
    for runs in picture(report.points, report.steps, marks, width - len(_INDENT)):
        yield f"{_INDENT}{''.join(map(_styled, runs))}".rstrip()


def _styled(run: Run) -> str:
    text, look = run
    return click.style(text, fg=_LOOKS[look]) if look else text


def _kind(report: Report) -> str:
    names = {each.agent: each.name for each in FORMATS}
    plain = "message list" if report.transcript.body is None else "request body"
    return names.get(report.transcript.agent, plain)


def _heading(text: str) -> str:
    return click.style(text, bold=True)


def _rows(rows: list[str], width: int) -> Iterator[str]:
    """The rows in their columns; if one doesn't fit, all closed up and wrapped. What is set in stays so."""
    if all(len(_INDENT + row) <= width for row in rows):
        yield from (_INDENT + row for row in rows)
        return
    for row in rows:
        yield from _wrapped(" ".join(row.split()), width, _INDENT * (2 if row.startswith(" ") else 1))


def _wrapped(text: str, width: int, indent: str = _INDENT) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def _cut(text: str, length: int = _WHAT) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
