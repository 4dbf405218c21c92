"""Words and lines for people: what pages and messages are made of."""

from __future__ import annotations

import textwrap

_INDENT = "  "
_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_UNITS = (("d", _DAY), ("h", _HOUR), ("min", _MINUTE), ("s", 1))


def count(number: int, what: str) -> str:
    """A number of things, such as `1 request` or `2,000 tokens`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def short(tokens: float) -> str:
    """A number of tokens in at most five characters, such as `950`, `1.5k`, `149k` or `1.2M`."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            return f"{tokens / unit:.3g}{name}"
    return f"{tokens:.0f}"


def lasting(seconds: float) -> str:
    """How long something lasts, in its largest unit and the one below: `45 s`, `2 h 3 min`."""
    left, parts = max(0, int(seconds)), list[str]()
    for name, size in _UNITS:
        number, left = divmod(left, size)
        if number or (name == "s" and not parts):
            parts.append(f"{number} {name}")
        elif parts:
            break
    return " ".join(parts[:2])


def cut(text: str, length: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of so many characters, set in."""
    return textwrap.wrap(text, width, initial_indent=_INDENT, subsequent_indent=_INDENT * 2, break_on_hyphens=False)
