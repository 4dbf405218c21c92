"""Every row of the tables of strategies and policies keeps the contract of a strategy, in every dialect."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faithfold as ff
from faithfold import dialects
from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.errors import SettingsError
from faithfold.core.projection import breaches, faults_added, whole
from faithfold.drivers import run
from faithfold.engine.policies import POLICIES, strategies_of
from faithfold.strategies import STRATEGIES
from tests.generate.conversations import DIALECT_NAMES, conversations, legal, settings
from tests.laws.running import project, refuse, text_of

every_strategy = pytest.mark.parametrize("name", STRATEGIES)
every_policy = pytest.mark.parametrize("name", POLICIES)
every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)


@every_strategy
@every_dialect
@given(data=st.data(), settings=settings())
def test_a_strategy_keeps_the_laws(name: str, dialect: str, data: st.DataObject, settings: ff.CompactSettings) -> None:
    messages = data.draw(legal(dialect)).messages
    before = copy.deepcopy(messages)
    made = project(messages, dialect, settings, name)
    assert messages == before
    if made is None:
        return
    assert breaches(made.projection) == []
    assert faults_added(made.conversation, whole(made.conversation), made.projection) == []
    again = project(before, dialect, settings, name)
    assert again is not None
    assert text_of(again.messages) == text_of(made.messages)


@every_strategy
@every_dialect
def test_a_strategy_leaves_little_alone(name: str, dialect: str) -> None:
    row = dialects.dialect(dialect)
    for messages in ([], [row.note("only the user")], ["stray"]):
        assert project(messages, dialect, ff.CompactSettings(), name) is None


@every_strategy
@given(data=st.data(), settings=settings())
def test_a_strategy_stacks_on_itself(name: str, data: st.DataObject, settings: ff.CompactSettings) -> None:
    """What it is given may be a projection already; coordinates are those of the originals all the same."""
    case = data.draw(legal())
    conversation = Conversation(case.messages, dialects.dialect(case.dialect))
    strategy, budget = STRATEGIES[name](settings), Budget(settings.target_tokens)
    once = run(strategy(conversation, whole(conversation), budget), refuse)
    twice = run(strategy(conversation, once, budget), refuse)
    assert breaches(twice) == []
    assert len(twice.entries) <= len(once.entries)


@every_policy
@given(data=st.data(), keep_recent=st.integers(0, 4))
def test_a_policy_works_by_its_name(name: str, data: st.DataObject, keep_recent: int) -> None:
    case = data.draw(conversations())
    compaction = ff.compact(case.messages, case.dialect, ff.CompactSettings(policy=name, keep_recent=keep_recent))
    listed = ff.compact(case.messages, case.dialect, ff.CompactSettings(policy=[name], keep_recent=keep_recent))
    assert (compaction is None) == (listed is None)
    if compaction is not None:
        assert breaches(compaction.projection) == []


@every_policy
def test_a_policy_is_made_of_strategies_that_there_are(name: str) -> None:
    assert set(POLICIES[name]) <= set(STRATEGIES)
    assert len(strategies_of(ff.CompactSettings(policy=name))) == len(POLICIES[name])


def test_an_unknown_policy_is_refused_with_what_is_known() -> None:
    with pytest.raises(SettingsError, match=", ".join(POLICIES)):
        ff.compact([], "openai", ff.CompactSettings(policy="no such policy"))
