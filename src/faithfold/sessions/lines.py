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
class Entry:
    """One JSON object or array of the file, and the number of the line that it starts on, from 1."""

    line: int
    value: object


def read_entries(data: bytes) -> tuple[list[Entry], tuple[Problem, ...]]:
    """The objects and arrays of `data` in file order, and a problem for each bad line (one a line, in file order)."""
    text, replaced = _decode(data)
    problems = dict.fromkeys(replaced, "bytes that are not UTF-8 were replaced")
    entries: list[Entry] = []
    for found in _values(text):
        if isinstance(found, Entry):
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


def _values(text: str) -> Iterator[Entry | Problem]:
    at, line = 0, 1
    while (start := _skip_gap(text, at)) < len(text):
        line += text.count("\n", at, start)
        value, end, why = _value_at(text, start)
        yield Problem(line, why) if why else Entry(line, value)
        line += text.count("\n", start, end)
        at = end


def _skip_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _value_at(text: str, start: int) -> tuple[object, int, str]:
    """The value that starts at `start`, where to go on, and why there is none ("" when there is one)."""
    line_end = _line_end(text, start)
    if text[start] not in "{[":
        return None, _next_start(text, start, line_end), "no JSON object"
    try:
        value, length = _decode_value(text, start, line_end)
    except json.JSONDecodeError as error:
        return None, _next_start(text, start, line_end), f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
    except ValueError:
        return None, line_end, "a number with too many digits"
    except RecursionError:
        return None, line_end, "nested too deeply"
    return value, start + length, ""


def _decode_value(text: str, start: int, line_end: int) -> tuple[object, int]:
    """The value at `start` and its length.

    What follows the line is looked at only when the line is well formed so far: a file of many bad lines stays linear.
    """
    line = text[start:line_end].rstrip()
    try:
        return _DECODER.raw_decode(line)
    except json.JSONDecodeError as error:
        if error.pos < len(line):
            raise
    value, end = _DECODER.raw_decode(text, start)
    return value, end - start


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


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
