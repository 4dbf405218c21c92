"""What is another message and what isn't: the tables in tests/identity, one a dialect that has one.

Source: spec 90-decisions (canonical form and digest); faults B083, B108, B111.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from faithfold.dialects import DIALECTS
from tests.identity import anthropic, openai_chat, openai_responses, pi
from tests.identity.rows import Rows
from tests.pieces import BUILT_IN, digest_of

SAME: Mapping[str, Rows] = {
    "anthropic": anthropic.SAME,
    "openai": openai_chat.SAME,
    "openai-responses": openai_responses.SAME,
    "pi": pi.SAME,
}
DIFFERENT: Mapping[str, Rows] = {
    "anthropic": anthropic.DIFFERENT,
    "openai": openai_chat.DIFFERENT,
    "openai-responses": openai_responses.DIFFERENT,
    "pi": pi.DIFFERENT,
}


def collected(tables: Mapping[str, Rows]) -> list[object]:
    """Every row of every table, with its dialect."""
    rows = [(dialect, *row) for dialect, table in tables.items() for row in table]
    return [pytest.param(dialect, one, other, id=f"{dialect}: {name}") for dialect, name, one, other in rows]


def test_every_dialect_of_ours_has_its_tables() -> None:
    assert set(BUILT_IN) <= set(SAME) & set(DIFFERENT)
    assert set(SAME) | set(DIFFERENT) <= set(DIALECTS)


@pytest.mark.parametrize(("dialect", "one", "other"), collected(SAME))
def test_what_is_volatile_or_says_nothing_is_no_part_of_a_message(dialect: str, one: object, other: object) -> None:
    assert digest_of(dialect, one) == digest_of(dialect, other)


@pytest.mark.parametrize(("dialect", "one", "other"), collected(DIFFERENT))
def test_all_else_is(dialect: str, one: object, other: object) -> None:
    assert digest_of(dialect, one) != digest_of(dialect, other)
