"""A conversation that grows and is compacted again and again: one note, legal, and nothing moves between two drops.

Source: spec 10-cliff; spec 90-decisions (the prefix law); faults B001, B060, B066, B082.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import faithfold as ff
from tests.generate.conversations import DIALECT_NAMES, Case, crossings, legal, settings
from tests.laws.running import read, text_of
from tests.providers import problems

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)
# A crossing is looked for by trying thresholds, so it takes longer to make.
patient = examples(max_examples=max(examples().max_examples // 4, 1), suppress_health_check=[HealthCheck.too_slow])


@every_dialect
@patient
@given(data=st.data())
def test_what_is_sent_stays_legal(dialect: str, data: st.DataObject) -> None:
    for sent, _ in data.draw(crossings(dialect)).sent():
        assert (ff.faults(sent, dialect), problems(dialect, sent)) == ([], [])


@every_dialect
@patient
@given(data=st.data())
def test_nothing_moves_between_two_drops(dialect: str, data: st.DataObject) -> None:
    before: list[object] = []
    for sent, compaction in data.draw(crossings(dialect)).sent():
        if compaction is None:
            assert list(map(id, sent[: len(before)])) == list(map(id, before))
        before = sent


@every_dialect
@patient
@given(data=st.data())
def test_notes_do_not_pile_up(dialect: str, data: st.DataObject) -> None:
    """Before a human message that nobody has answered yet, a note would be part of the head: so one step is kept."""
    crossing = data.draw(crossings(dialect, keep_least=1))
    for sent, _ in crossing.sent():
        assert sum(text_of(message).count(ff.SUMMARY_HEADER) for message in sent) <= 1


@given(legal(notes=False), settings())
def test_compacting_again_leaves_one_note(case: Case, settings: ff.CompactSettings) -> None:
    first = ff.compact(case.messages, case.dialect, settings)
    if first is None:
        return
    second = ff.compact(first.messages, case.dialect, settings)
    if second is not None:
        assert (ff.faults(second.messages, case.dialect), problems(case.dialect, second.messages)) == ([], [])
        assert notes(second.messages, case.dialect) == 1
        assert len(second.messages) < len(first.messages)


def notes(messages: list[dict[str, object]], dialect: str) -> int:
    return sum(text.startswith(ff.SUMMARY_HEADER) for message in messages for text in read(dialect, message).texts)
