"""The page that `faithfold inspect` prints: a report laid out for people.

Invariant: it reads the same without colour, and what it takes from the file is made fit for a terminal first.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from faithfold.cli.contents import CLASSES
from faithfold.cli.picture import ASCII, BLOCKS, Run, picture
from faithfold.cli.report import Report
from faithfold.cli.terminal import can_carry, printable
from faithfold.sessions.sniff import FORMATS

_BAR = 24
_LOOKS = {"kept": "cyan", "folded": "yellow"}
_SHOWN_OMISSIONS = 5
_SHOWN_REASONS = 3
_WHAT = 48  # characters of a description


def page(report: Report) -> str:
    """The page, with colours."""
    blocks = (_top, _sizes, _largest, _faults, _forecast, _picture)
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block(report))))


def _top(report: Report) -> Iterator[str]:
    read = report.transcript
    yield click.style(printable(report.file), bold=True)
    about = [_kind(report), f"dialect {read.dialect}", *([f"model {printable(read.model)}"] if read.model else [])]
    yield _line(", ".join(about))
    counts = [_count(len(read.messages), "message"), _count(report.turns, "turn"), _count(report.steps, "step")]
    yield _line(f"{', '.join(counts)}, about {report.tokens:,} tokens")
    if report.body_tokens is not None:
        yield _line(f"the whole body, with system text and tools: about {report.body_tokens:,} tokens")
    if counted := report.counted:
        exact = "exactly" if counted.exact else "estimated"
        model = printable(counted.model)
        yield _line(f"{counted.tokens:,} tokens for {model}, {exact}, by {counted.counter}")
    if read.problems:
        yield _line(f"{_count(len(read.problems), 'bad line')}, left out or mended")


def _sizes(report: Report) -> Iterator[str]:
    yield _heading("Tokens")
    full, empty = ("█", "·") if can_carry("█·") else ("#", ".")
    for name, tokens in report.by_class.items():
        if tokens:
            part = tokens / report.tokens
            bar = round(part * _BAR)
            drawn = click.style(full * bar, fg=_LOOKS["kept"]) + empty * (_BAR - bar)
            yield _line(f"{CLASSES[name]:<20} {tokens:>9,} {part:>5.0%}  {drawn}")


def _largest(report: Report) -> Iterator[str]:
    yield _heading("Largest messages")
    for each in report.largest:
        what = printable(each.what)
        shown = what if len(what) <= _WHAT else f"{what[: _WHAT - 3]}..."
        yield _line(f"{f'#{each.index + 1}':<20} {each.tokens:>9,}  {shown}")


def _faults(report: Report) -> Iterator[str]:
    if report.faults:
        yield _heading("What a provider would refuse")
        yield from (_line(f"{code:<20} {times:>9,}") for code, times in report.faults.items())


def _forecast(report: Report) -> Iterator[str]:
    yield _heading("A compaction now")
    if report.gain.compaction is None:
        yield _line(report.gain.notice)
        return
    shares, note = report.forecast.shares, report.forecast.note_tokens
    verbs = {
        "head": "keeps first",
        "folded": "folds",
        "dropped": "drops",
        "between": "keeps amid",
        "tail": "keeps last",
    }
    for fate, share in shares.items():
        if share.messages:
            more = f" into a note of {note:,}" if fate == "folded" else ""
            yield _row(verbs[fate], _count(share.messages, "message"), share.tokens, more)
        if fate == "dropped":
            yield from _reasons(report)
    left = f" of {report.tokens:,} ({report.tokens_after / report.tokens:.0%})"
    yield _row("leaves", _count(len(report.gain.compaction.messages), "message"), report.tokens_after, left)
    if report.counted:
        yield _row("", "", report.counted.tokens_after, f" for {printable(report.counted.model)}")
    yield from _lost(report)


def _row(verb: str, messages: str, tokens: int, more: str) -> str:
    return _line(f"{verb:<12} {messages:>16} {tokens:>9,} tokens{more}")


def _reasons(report: Report) -> Iterator[str]:
    """What the dropped messages held, of which no note shows anything."""
    reasons = list(report.forecast.reasons.items())
    for why, messages in reasons[:_SHOWN_REASONS]:
        yield _line(f"{'':<12} {messages:>16,} with {printable(why)[:_WHAT]}")
    if len(reasons) > _SHOWN_REASONS:
        yield _line(f"{'':<12} {sum(messages for _, messages in reasons[_SHOWN_REASONS:]):>16,} with other things")


def _lost(report: Report) -> Iterator[str]:
    """What the note doesn't show, the largest kinds of it."""
    pieces = list(report.forecast.omissions.items())
    if pieces:
        yield _line("not in the note:")
    for what, (times, characters) in pieces[:_SHOWN_OMISSIONS]:
        size = f"{characters:>11,} characters" if characters else ""
        yield _line(f"  {printable(what)[:_WHAT]:<32} {times:>6,} times {size}".rstrip())
    if len(pieces) > _SHOWN_OMISSIONS:
        rest = [times for _, (times, _) in pieces[_SHOWN_OMISSIONS:]]
        yield _line(f"  {f'{len(rest)} more kinds':<32} {sum(rest):>6,} times")


def _picture(report: Report) -> Iterator[str]:
    marks = BLOCKS if can_carry("▁▂▃▄▅▆▇█░│┤└─━") else ASCII
    yield _heading("Size over steps, in tokens")
    for runs in picture(report.points, report.steps, marks):
        yield _line("".join(map(_styled, runs))).rstrip()


def _styled(run: Run) -> str:
    text, look = run
    return click.style(text, fg=_LOOKS[look]) if look else text


def _kind(report: Report) -> str:
    names = {each.agent: each.name for each in FORMATS}
    plain = "message list" if report.transcript.body is None else "request body"
    return names.get(report.transcript.agent, plain)


def _heading(text: str) -> str:
    return click.style(text, bold=True)


def _line(text: str) -> str:
    return f"  {text}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
