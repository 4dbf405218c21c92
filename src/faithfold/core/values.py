"""Reading JSON of unknown shape: every reader is total.

Clients send null texts, lists where an object is due, bare strings in content lists. A reader that raises on
one odd value costs the whole conversation, so none here raises: what isn't of the wanted type reads as empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

_NOTHING: Mapping[str, object] = {}


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether `value` is a JSON array."""
    return isinstance(value, (list, tuple))


def as_object(value: object) -> Mapping[str, object]:
    """`value` if it is a JSON object, else an empty one."""
    return value if is_object(value) else _NOTHING


def as_list(value: object) -> Sequence[object]:
    """`value` if it is a JSON array, else an empty one."""
    return value if is_list(value) else ()


def as_text(value: object) -> str:
    """`value` if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def utf8(text: str) -> str:
    """`text` as every provider takes it: halves of surrogate pairs joined, lone ones replaced by U+FFFD.

    A client's own message keeps what it holds; this is for texts of ours, and for counting (fault B105).
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
