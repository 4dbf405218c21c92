"""Reading JSON lines that may be damaged: every readable value is used, every bad line is named, nothing raises.

A value may span lines (pretty-printed objects back to back) and a line may hold several values (two appends without a
newline between them), so values are decoded one after the other and lines only matter for naming what is bad and for
where to start again after it. Lone surrogates and big numbers come through as they are.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from faithfold.sessions.transcript import Problem

_DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")
_OPENING = re.compile(r'\{\s*"[^"\n]{1,40}"\s*:')


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One JSON object or array of the file, and the number of the line that it starts on, from 1."""

    line: int
    value: object


def read_entries(data: bytes) -> tuple[list[FileEntry], tuple[Problem, ...]]:
    """The objects and arrays of `data` in file order, and a problem for each bad line (one a line, in file order)."""
    text, replaced = _decode(data)
    problems = dict.fromkeys(replaced, "bytes that are not UTF-8 were replaced")
    entries: list[FileEntry] = []
    for found in _values(text):
        if isinstance(found, FileEntry):
            entries.append(found)
        else:
            problems[found.line] = found.why
    return entries, tuple(Problem(line, problems[line]) for line in sorted(problems))


def _decode(data: bytes) -> tuple[str, list[int]]:
    """The text of `data`, and the numbers of the lines in which bytes had to be replaced."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), []
    raw = data.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode("utf-8", "surrogatepass"), []
    except UnicodeDecodeError:
        lines = [_decode_line(line) for line in raw.split(b"\n")]
    return "\n".join(text for text, _ in lines), [number for number, (_, whole) in enumerate(lines, 1) if not whole]


def _decode_line(line: bytes) -> tuple[str, bool]:
    try:
        return line.decode("utf-8", "surrogatepass"), True
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace"), False


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or the rest of one: where it begins in the text, and its own text without the newline.

    Values are decoded within a line's own text, cut out once, and again after a bad value: a decoder's error counts the
    lines before it, so an error in the whole text would cost as much as all that precedes it.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def _values(text: str) -> Iterator[FileEntry | Problem]:
    at, number, why = 0, 1, ""
    line = _line(text, 0)
    while (start := _skip_gap(text, at)) < len(text):
        number += text.count("\n", at, start)
        if start >= line.end or why:
            line = _line(text, start)
        value, end, why = _value_at(text, start, line)
        yield Problem(number, why) if why else FileEntry(number, value)
        number += text.count("\n", start, end)
        at = end


def _line(text: str, start: int) -> _Line:
    return _Line(start, text[start : _line_end(text, start)])


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _skip_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _value_at(text: str, start: int, line: _Line) -> tuple[object, int, str]:
    """The value that starts at `start`, where to go on, and why there is none ("" when there is one)."""
    if text[start] not in "{[":
        return None, _next_start(text, start, line.end), "no JSON object"
    try:
        value, end = _decode_value(text, start, line)
    except json.JSONDecodeError as error:
        return None, _next_start(text, start, line.end), f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
    except ValueError:
        return None, line.end, "a number with too many digits"
    except RecursionError:
        return None, line.end, "nested too deeply"
    return value, end, ""


def _decode_value(text: str, start: int, line: _Line) -> tuple[object, int]:
    """The value at `start`, and where it ends.

    What follows the line is looked at only while all before is well formed, and twice as far each time: a bad value
    costs no more than the place is away where it goes wrong.
    """
    window, at = line, start - line.start
    while True:
        try:
            value, end = _DECODER.raw_decode(window.text, at)
        except json.JSONDecodeError as error:
            if error.pos < len(window.text.rstrip()) or window.end == len(text):
                raise
        else:
            return value, window.start + end
        window, at = _Line(start, text[start : _line_end(text, 2 * window.end - start + 1)]), 0


def _next_start(text: str, start: int, line_end: int) -> int:
    """Where reading goes on after a bad value.

    A torn line often has the next whole one glued to it, and that begins with the same key. After other rubbish (zero
    bytes, a log's time stamp) the first object of the line counts.
    """
    opening = _OPENING.match(text, start, line_end)
    if opening:
        again = text.find(opening.group(), opening.end(), line_end)
    elif text[start] == "{":
        again = -1
    else:
        again = text.find('{"', start, line_end)
    return line_end if again < 0 else again
