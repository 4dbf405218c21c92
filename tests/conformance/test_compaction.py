"""Every policy over every dialect, in the dialect's own words: nothing is lost, changed or made worse.

A dialect with an ordinary step in `tests.pieces.STEPS` is compacted for certain; any other one as luck would have it.
"""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faithfold as ff
from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Dialect
from faithfold.core.projection import Kept, breaches, faults_added, whole
from faithfold.dialects import DIALECTS
from faithfold.engine.policies import POLICIES
from faithfold.strategies.notes import is_summary
from tests.generate.dice import Dice
from tests.generate.mutations import places
from tests.generate.spoken import any_value, spoken, words_near
from tests.laws.running import text_of
from tests.pieces import STEPS, digest_of, session

every_dialect = pytest.mark.parametrize("row", DIALECTS.values(), ids=DIALECTS.keys())
every_sample = pytest.mark.parametrize("dialect", STEPS)
every_policy = pytest.mark.parametrize("policy", POLICIES)
few = st.integers(0, 3)


@every_policy
@every_dialect
@given(data=st.data(), keep_recent=few)
def test_what_a_dialect_can_say_is_compacted(row: Dialect, policy: str, data: st.DataObject, keep_recent: int) -> None:
    check(row, data.draw(spoken(row)), ff.CompactSettings(policy=policy, keep_recent=keep_recent))


@every_policy
@every_sample
@given(numbers=st.lists(st.integers(0, 2**16), max_size=3), keep_recent=few)
def test_a_session_is_compacted_whatever_is_odd_in_it(
    dialect: str, policy: str, numbers: list[int], keep_recent: int
) -> None:
    messages: list[object] = [*session(dialect, 5)]
    row = DIALECTS[dialect]
    for place, number in enumerate(numbers):
        dice = Dice(place, number)
        dice.one_of(list(places(messages)))(any_value(dice, words_near(row.reader)))
    check(row, messages, ff.CompactSettings(policy=policy, keep_recent=keep_recent))


def check(row: Dialect, messages: list[object], settings: ff.CompactSettings) -> None:
    before = text_of(messages)
    made = ff.compact(messages, row.name, settings)
    again = ff.compact(copy.deepcopy(messages), row.name, settings)
    assert text_of(messages) == before
    assert (made is None) == (again is None)
    if made is None or again is None:
        return
    assert text_of(made.messages) == text_of(again.messages)
    assert breaches(made.projection) == []
    conversation = Conversation(messages, row)
    assert faults_added(conversation, whole(conversation), made.projection) == []
    for message, entry in zip(made.messages, made.projection.entries, strict=True):
        assert not isinstance(entry, Kept) or message is messages[entry.index]


@every_sample
@pytest.mark.parametrize("keep_recent", range(4))
def test_an_ordinary_session_is_cut_between_its_steps(dialect: str, keep_recent: int) -> None:
    messages = session(dialect, 6, "what the tool says")
    row = DIALECTS[dialect]
    made = ff.compact(messages, dialect, ff.CompactSettings(policy="cliff", keep_recent=keep_recent))
    assert made is not None
    assert made.cut == len(messages) - keep_recent * len(STEPS[dialect](0, ""))
    assert [id(message) for message in made.messages if message is not made.summary] == [
        id(message) for message in (messages[0], *messages[made.cut :])
    ]
    assert is_summary(row.read(made.summary))
    assert "result: what the tool says" in row.read(made.summary).texts[0]
    assert ff.faults(made.messages, dialect) == ff.faults(messages, dialect) == []


@every_sample
def test_every_message_of_an_ordinary_session_is_another(dialect: str) -> None:
    messages = session(dialect, 6, "what the tool says")
    assert len({digest_of(dialect, message) for message in messages}) == len(messages)
