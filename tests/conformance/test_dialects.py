"""Every row of the table of dialects keeps the contract; a new row is tested before its author writes a test."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold import SUMMARY_HEADER
from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Dialect
from faithfold.core.identity import canonical_json
from faithfold.core.parts import UNREADABLE, Text
from faithfold.dialects import DIALECTS, dialect
from faithfold.strategies.notes import is_summary
from tests.generate.conversations import any_json
from tests.generate.spoken import spoken, words_near
from tests.pieces import BUILT_IN, STEPS, digest_of, folded

every_dialect = pytest.mark.parametrize("row", DIALECTS.values(), ids=DIALECTS.keys())
halves = st.sampled_from("\ud83d\ude00")  # of a character: rare among all, and what a note must replace
texts = st.lists(st.characters() | halves).map("".join).filter(str.strip)


def test_ours_are_in_the_table_and_in_that_of_the_samples() -> None:
    assert set(BUILT_IN) <= set(STEPS) <= set(DIALECTS)


@every_dialect
def test_it_is_found_by_its_name(row: Dialect) -> None:
    assert dialect(row.name) is row


@every_dialect
@given(text=texts)
def test_a_note_reads_as_the_users_text(row: Dialect, text: str) -> None:
    reading = row.read(row.note(text))
    assert reading.speaker == "user"
    assert reading.parts == (Text(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")),)


@every_dialect
def test_a_note_is_known_again(row: Dialect) -> None:
    assert is_summary(row.read(row.note(f"{SUMMARY_HEADER}\n\nuser: x")))
    assert not is_summary(row.read(row.note(f"see: {SUMMARY_HEADER}")))


@every_dialect
@given(text=texts)
def test_a_note_is_utf8_and_accepted_by_itself(row: Dialect, text: str) -> None:
    note = row.note(text)
    assert json.loads(json.dumps(note, ensure_ascii=False).encode()) == note
    assert Conversation([note], row).faults == ()


@every_dialect
@given(message=any_json())
def test_readers_are_total_and_keep_their_word(row: Dialect, message: object) -> None:
    assert row.read(message) == row.read(message)
    assert canonical_json(row.canonical(message)) == canonical_json(row.canonical(message))
    if not isinstance(message, dict):
        assert row.read(message) == UNREADABLE


@every_dialect
@given(data=st.data())
def test_what_is_said_in_its_own_words_is_read_too(row: Dialect, data: st.DataObject) -> None:
    for message in data.draw(spoken(row)):
        before = deepcopy(message)
        assert row.read(message) == row.read(message)
        assert all(isinstance(part, str) for part in folded(row.name, message).parts)
        assert digest_of(row.name, message) == digest_of(row.name, json.loads(json.dumps(message, sort_keys=True)))
        assert json.dumps(message) == json.dumps(before)


@every_dialect
@given(one=texts, other=texts)
def test_other_words_are_another_message(row: Dialect, one: str, other: str) -> None:
    same_note = row.note(one) == row.note(other)
    assert (digest_of(row.name, row.note(one)) == digest_of(row.name, row.note(other))) is same_note


@every_dialect
def test_its_words_are_found(row: Dialect) -> None:
    """Else what is drawn in its own words is drawn in nobody's."""
    assert set(row.note("")) <= set(words_near(row.reader))


@every_dialect
@given(data=st.data())
def test_faults_name_messages_that_there_are(row: Dialect, data: st.DataObject) -> None:
    messages = data.draw(st.one_of(st.lists(any_json(), max_size=5), spoken(row)))
    for fault in Conversation(messages, row).faults:
        assert 0 <= fault.index < max(len(messages), 1)
        assert fault.code == fault.code.lower().strip() != ""
        assert fault.message
        assert "\n" not in fault.message.replace(repr(fault.id), "")


@every_dialect
def test_nothing_at_all_is_a_fault(row: Dialect) -> None:
    assert [fault.code for fault in Conversation([], row).faults] == ["no-messages"]
    assert [fault.code for fault in Conversation(["stray", row.note("x")], row).faults] == ["no-object"]
