"""What the commands say, and how: lines on standard error, results on standard output, a bar while one waits.

Invariant: writing never fails on what a text holds. Files are full of odd characters; what a terminal's encoding
can't carry is escaped, and control characters out of a file never reach the terminal. What can't be said is not
missed; a result that can't be written is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TextIO

import click

from faithfold.core.errors import InputError
from faithfold.sessions import Problem
from faithfold.settings import has_dumb_terminal, wants_no_colour

DONE_WITH_BAD_LINES = 3
_SHOWN_PROBLEMS = 10
_LONG_WORK = 8_000_000  # bytes: about a second; below, a bar would only flicker
_BAR = 24
_STAGE = 12  # characters of the longest stage


class Failed(click.ClickException):
    """The work could not be done: one line on standard error, exit code 1."""

    exit_code = 1

    def show(self, file: IO[str] | None = None) -> None:
        """The line."""
        del file
        say(f"faithfold: {self.format_message()}")


def say(line: str) -> None:
    """One line for the user, on standard error, if there is one."""
    if sys.stderr:
        with suppress(OSError):
            click.echo(_carried(printable(" ".join(line.splitlines())), sys.stderr), err=True)


def show(text: str) -> None:
    """Text for people, on standard output.

    Raises:
        InputError: there is none.
    """
    click.echo(_carried(text, _output()))


def json_bytes(value: object, indent: int | None = None) -> bytes:
    """JSON in UTF-8 with a newline at its end; lone halves of surrogate pairs are escaped, all else is as it is.

    Raises:
        InputError: it holds `NaN` or the like, which Python reads and writes, but no other reader of JSON takes.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        what = "a number that JSON has no form for (NaN, Infinity or out of range)"
        raise InputError(f"the conversation holds {what}; expected numbers that JSON can write") from None
    return text.encode("utf-8", "backslashreplace") + b"\n"


def put(data: bytes) -> None:
    """A result, on standard output, byte for byte.

    Raises:
        InputError: there is none.
    """
    _output()
    click.echo(data, nl=False)


def say_problems(problems: Sequence[Problem]) -> None:
    """Names the bad lines of a file, the first of them and a count."""
    for problem in problems[:_SHOWN_PROBLEMS]:
        say(f"line {problem.line}: {problem.why}")
    more = len(problems) - _SHOWN_PROBLEMS
    if more > 0:
        say(f"and {more} more bad line{'s' if more > 1 else ''}")


def finish(problems: Sequence[Problem]) -> None:
    """Ends a command that has done its work: names the bad lines, and makes the exit code say that there are any."""
    if problems:
        say_problems(problems)
        click.get_current_context().exit(DONE_WITH_BAD_LINES)


def printable(text: str) -> str:
    """`text` out of a file, fit for a terminal: on one line, without control characters."""
    return "".join(character if character.isprintable() else "?" for character in text)


def can_carry(text: str) -> bool:
    """Whether standard output's encoding has these characters."""
    try:
        text.encode(_output().encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def without_colour_if_asked(ctx: click.Context) -> None:
    """Turns colours off where the user wants none; else they are shown on terminals only."""
    if wants_no_colour():
        ctx.color = False


@contextmanager
def steps_shown(size: int, *stages: str) -> Generator[Iterator[str]]:
    """A bar on standard error while long work is done in `stages`; nothing for short work, or where nobody looks.

    It is gone when the work is done, or fails.

    Args:
        size: of the input, in bytes.
        stages: what is done, in order; the caller takes one from the iterator as it begins it.
    """
    shown = size >= _LONG_WORK and sys.stderr and sys.stderr.isatty() and not has_dumb_terminal()
    try:
        yield _with_bars(stages) if shown else iter(stages)
    finally:
        if shown:
            _over(" " * (_BAR + _STAGE + 4))


def _with_bars(stages: Sequence[str]) -> Iterator[str]:
    for place, stage in enumerate(stages):
        done = _BAR * place // len(stages)
        _over(f"  {stage:<{_STAGE}}[{'#' * done}{'-' * (_BAR - done)}]")
        yield stage


def _over(text: str) -> None:
    """Text over the line that the cursor is in."""
    with suppress(OSError):
        click.echo(f"\r{text}\r", nl=False, err=True)


def _output() -> TextIO:
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise InputError("standard output is closed, so the result is lost; expected it to lead somewhere")
    return stream


def _carried(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
