"""The table of dialects: one wire format a file, one row each.

To add one, write a file with a `Dialect` in it and name it here; the conformance suite runs over this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from faithfold.core.dialect import Dialect
from faithfold.core.errors import InputError
from faithfold.dialects import anthropic, openai_chat, openai_responses, pi

DIALECTS: Mapping[str, Dialect] = {
    row.name: row for row in (anthropic.DIALECT, openai_chat.DIALECT, openai_responses.DIALECT, pi.DIALECT)
}


def dialect(name: str) -> Dialect:
    """The dialect of that name.

    Raises:
        InputError: there is none.
    """
    if name not in DIALECTS:
        raise InputError(f"unknown dialect {name!r}; known: {', '.join(DIALECTS)}")
    return DIALECTS[name]
