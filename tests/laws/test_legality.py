"""What comes out of a legal conversation is legal, and an illegal one gains no fault.

Judged twice: by the dialects' own checks and by the rules of `tests.providers`, which share no code with them.

Source: spec 00-model, invariant 2.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faithfold as ff
from faithfold.core.faults import added
from faithfold.core.projection import faults_added, whole
from faithfold.core.values import as_list, as_object
from tests.generate.conversations import DIALECT_NAMES, Case, legal, odd, settings
from tests.laws.running import project, text_of
from tests.providers import problems

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)


@every_dialect
@given(data=st.data())
def test_legal_conversations_have_no_faults(dialect: str, data: st.DataObject) -> None:
    for messages in data.draw(legal(dialect)).grown():
        assert (ff.faults(messages, dialect), problems(dialect, messages)) == ([], [])


@every_dialect
@given(data=st.data(), settings=settings())
def test_legal_in_legal_out(dialect: str, data: st.DataObject, settings: ff.CompactSettings) -> None:
    for messages in data.draw(legal(dialect)).grown():
        made = project(messages, dialect, settings)
        if made is not None:
            assert (ff.faults(made.messages, dialect), problems(dialect, made.messages)) == ([], [])


@every_dialect
@given(data=st.data(), settings=settings())
def test_an_odd_conversation_gains_no_fault(dialect: str, data: st.DataObject, settings: ff.CompactSettings) -> None:
    case = data.draw(odd(dialect))
    compaction = ff.compact(case.messages, dialect, settings)
    if compaction is None:
        return
    before, after = ff.faults(case.messages, dialect), ff.faults(compaction.messages, dialect)
    everything = range(len(case.messages))
    assert added(before, everything, after, compaction.projection.origins()) == []
    if not problems(dialect, case.messages):
        assert problems(dialect, compaction.messages) == []


@every_dialect
@given(data=st.data(), settings=settings())
def test_an_odd_message_does_not_stop_compaction(
    dialect: str, data: st.DataObject, settings: ff.CompactSettings
) -> None:
    """The strategy itself gets by with odd messages; that its work is judged afterwards is a second line."""
    case = data.draw(odd(dialect).filter(lambda case: not excused(case)))
    made = project(case.messages, dialect, settings)
    if made is not None:
        assert faults_added(made.conversation, whole(made.conversation), made.projection) == []


def excused(case: Case) -> bool:
    """Where no more can be asked: a fault at the first place moves on to what comes first then."""
    return any(fault.code == "first-role" for fault in ff.faults(case.messages, case.dialect))


@every_dialect
@given(data=st.data(), settings=settings())
def test_thinking_is_never_rewritten(dialect: str, data: st.DataObject, settings: ff.CompactSettings) -> None:
    case = data.draw(legal(dialect))
    compaction = ff.compact(case.messages, dialect, settings)
    if compaction is not None:
        assert set(sealed(compaction.messages)) <= set(sealed(case.messages))


def sealed(value: object) -> list[str]:
    """The text of every piece that a provider may check byte for byte, anywhere in the value."""
    fields = as_object(value)
    kinds = ("thinking", "redacted_thinking", "reasoning", "compaction")
    own = [text_of(value)] if fields.get("type") in kinds or "reasoning_content" in fields else []
    return [*own, *(text for inner in [*fields.values(), *as_list(value)] for text in sealed(inner))]
