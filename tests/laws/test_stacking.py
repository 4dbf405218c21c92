"""A policy of several strategies: what one of them said stands, whatever the next one does.

Source: spec 00-model, Entries of a projection; spec 90-decisions, Policies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faithfold as ff
from faithfold import dialects
from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Edited, Kept, Note, Omission, Projection, breaches, faults_added, whole
from faithfold.core.strategy import Steps, Strategy
from faithfold.drivers import run
from faithfold.strategies import STRATEGIES
from tests.generate.conversations import Case, legal, settings
from tests.generate.mutations import is_object
from tests.laws.running import refuse
from tests.pieces import STEPS, session

PLACES = st.sets(st.integers(0, 30), max_size=4)


@given(case=legal(), settings=settings(), dropped=PLACES, edited=PLACES)
def test_what_the_first_strategy_said_stands(
    case: Case, settings: ff.CompactSettings, dropped: set[int], edited: set[int]
) -> None:
    conversation = Conversation(case.messages, dialects.dialect(case.dialect))
    first = thinned(conversation, whole(conversation), dropped, edited)
    second = run(STRATEGIES["cliff"](settings)(conversation, first, Budget(settings.target_tokens)), refuse)
    compaction = ff.compact(case.messages, case.dialect, replace(settings, policy=[thin(dropped, edited), "cliff"]))
    for made in [second, *([] if compaction is None else [compaction.projection])]:
        assert breaches(made) == []
        assert first.dropped.items() <= made.dropped.items()
        assert made.omissions[: len(first.omissions)] == first.omissions
        assert all(entry in first.entries for entry in made.entries if not isinstance(entry, Note))


@pytest.mark.parametrize("dialect", STEPS)
def test_what_the_first_strategy_cut_does_not_come_back(dialect: str) -> None:
    conversation = Conversation(session(dialect, 5, "the answer is 4711"), dialects.dialect(dialect))
    originals = [json.dumps(message) for message in conversation.messages]

    def cut(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        del conversation, budget
        yield from ()
        entries = (
            Edited(place, json.loads(text.replace("4711", "...")), "cut") for place, text in enumerate(originals)
        )
        return replace(projection, entries=tuple(entries))

    compaction = ff.compact(conversation.messages, dialect, ff.CompactSettings(policy=[cut, "cliff"]))
    assert compaction is not None
    assert "4711" not in json.dumps(compaction.messages)
    assert "the answer is ..." in json.dumps(compaction.summary)


def thin(dropped: Iterable[int], edited: Iterable[int]) -> Strategy:
    """A strategy that drops and edits these messages, so far as they are there and may go."""

    def strategy(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        del budget
        yield from ()
        return thinned(conversation, projection, dropped, edited)

    return strategy


def thinned(
    conversation: Conversation, projection: Projection, dropped: Iterable[int], edited: Iterable[int]
) -> Projection:
    for index in sorted(edited):
        projection = with_edit(conversation, projection, index)
    for index in sorted(dropped):
        fewer = without(projection, index)
        if not faults_added(conversation, projection, fewer):
            projection = fewer
    return projection


def with_edit(conversation: Conversation, projection: Projection, index: int) -> Projection:
    """The message is another object, and what it lacks is named."""
    message = conversation.messages[index] if index < len(conversation.messages) else None
    if not is_object(message):
        return projection
    entries = [
        Edited(index, dict(message), "thinned") if entry == Kept(index) else entry for entry in projection.entries
    ]
    return replace(projection, entries=tuple(entries), omissions=(*projection.omissions, Omission(index, "a test", 7)))


def without(projection: Projection, index: int) -> Projection:
    if index >= projection.total:
        return projection
    entries = tuple(entry for entry in projection.entries if isinstance(entry, Note) or entry.index != index)
    return replace(projection, entries=entries, dropped={**projection.dropped, index: "thinned out"})
