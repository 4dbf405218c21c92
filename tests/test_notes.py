"""Notes: their form, and how one that comes back is known."""

from __future__ import annotations

import pytest

from faithfold.core.voices import SUMMARY_HEADER
from faithfold.dialects import DIALECTS
from faithfold.strategies.notes import is_summary, note_text
from tests.pieces import BUILT_IN, says, user


def test_the_form() -> None:
    assert SUMMARY_HEADER == "The following is a summary of your previous actions (long observations omitted):"
    assert note_text([]) == SUMMARY_HEADER
    assert note_text(["user: a"]) == f"{SUMMARY_HEADER}\n\nuser: a"
    assert note_text(["user: a", "assistant: b"]) == f"{SUMMARY_HEADER}\n\nuser: a\n\n---\n\nassistant: b"


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_a_note_is_known_when_it_comes_back(dialect: str) -> None:
    row = DIALECTS[dialect]
    assert is_summary(row.read(row.note(note_text(["user: a"]))))
    assert not is_summary(row.read(says(note_text(["user: a"]))))
    assert not is_summary(row.read(user(f" {SUMMARY_HEADER}")))
    assert not is_summary(row.read(user("x", SUMMARY_HEADER)))
    assert not is_summary(row.read({"role": "user", "content": None}))
