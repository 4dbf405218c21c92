"""Policies: names and strategies in order, and the judgement that every projection must pass."""

from __future__ import annotations

from typing import cast

import pytest

from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.errors import SettingsError
from faithfold.core.projection import Edited, Entry, Kept, Note, Projection
from faithfold.core.strategy import Steps, Strategy
from faithfold.dialects import DIALECTS
from faithfold.drivers import run
from faithfold.engine.policies import POLICIES, project, strategies_of
from faithfold.strategies import STRATEGIES
from faithfold.strategies.options import CompactSettings, Policy
from tests.pieces import session, user

CONVERSATION = Conversation(session("anthropic", 3), DIALECTS["anthropic"])  # 0 task; 1 2, 3 4, 5 6: steps


def fixed(*entries: Entry, dropped: dict[int, str] | None = None) -> Strategy:
    """A strategy that always gives the same projection."""

    def strategy(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        del projection, budget
        yield from ()
        return Projection(len(conversation.messages), entries, dropped or {})

    return strategy


def projected(policy: Policy) -> Projection | None:
    return run(project(CONVERSATION, CompactSettings(policy=policy, keep_recent=1)), lambda _: None)


NOTE = Note(user("so far"), frozenset({1, 2, 3, 4}), "mine")
GOOD = fixed(Kept(0), NOTE, Kept(5), Kept(6))


def test_every_policy_names_strategies_that_there_are() -> None:
    assert {name for names in POLICIES.values() for name in names} <= STRATEGIES.keys()
    assert {"none", "cliff"} <= POLICIES.keys()


@pytest.mark.parametrize("policy", ["none", [], ["none", "none"]])
def test_a_policy_of_no_strategy_gains_nothing(policy: Policy) -> None:
    assert strategies_of(CompactSettings(policy=policy)) == []
    assert projected(policy) is None


@pytest.mark.parametrize("policy", ["cliff", ["cliff"], ["none", "cliff"], ["cliff", "cliff"]])
def test_a_name_or_names_in_order(policy: Policy) -> None:
    made = projected(policy)
    assert made is not None
    assert made.origins() == [0, "cliff", 5, 6]


def test_a_strategy_of_the_caller_s_own() -> None:
    assert strategies_of(CompactSettings(policy=GOOD)) == [GOOD]
    policies: list[Policy] = [GOOD, [GOOD], ["none", GOOD]]
    for policy in policies:
        made = projected(policy)
        assert made is not None
        assert made.origins() == [0, "mine", 5, 6]


def test_strategies_run_in_order_each_on_what_the_one_before_made() -> None:
    edited = Edited(6, user({"type": "tool_result", "tool_use_id": "toolu_2", "content": "d..."}), "cut")
    made = projected([fixed(*map(Kept, range(6)), edited), "cliff"])
    assert made is not None
    assert made.entries[-1] == edited


@pytest.mark.parametrize("policy", ["nonesuch", ["cliff", "nonesuch"], "Cliff", ""])
def test_an_unknown_name_is_refused(policy: Policy) -> None:
    with pytest.raises(SettingsError, match=r"^unknown policy '.*'; known: none, cliff"):
        projected(policy)


@pytest.mark.parametrize(
    "wrong",
    [
        fixed(*map(Kept, range(7))),
        fixed(Kept(0), Kept(5), Kept(6)),
        fixed(Kept(0), NOTE, Kept(6), Kept(5)),
        fixed(Kept(0), Note(user("so far"), frozenset({1, 2, 3}), "mine"), Kept(4), Kept(5), Kept(6)),
        fixed(Kept(5), Kept(6), dropped=dict.fromkeys(range(5), "old")),
    ],
    ids=["nothing done", "messages unaccounted for", "out of order", "an orphan result", "the model first"],
)
def test_what_breaks_a_law_or_adds_a_fault_is_refused(wrong: Strategy) -> None:
    assert projected(wrong) is None


def test_the_target_is_every_strategy_s_budget() -> None:
    seen: list[Budget] = []

    def strategy(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        del conversation
        yield from ()
        seen.append(budget)
        return projection

    settings = CompactSettings(policy=[strategy, strategy], target_tokens=7)
    assert run(project(CONVERSATION, settings), lambda _: None) is None
    assert seen == [Budget(7), Budget(7)]


def test_a_strategy_that_does_wrong_is_passed_over() -> None:
    wrong = fixed(Kept(0), Kept(2), Kept(5), Kept(6))
    for policy in ([GOOD, wrong], [wrong, GOOD]):
        made = projected(policy)
        assert made is not None
        assert made.origins() == [0, "mine", 5, 6]


def test_what_grows_is_no_gain() -> None:
    longer = Edited(6, user({"type": "tool_result", "tool_use_id": "toolu_2", "content": "more " * 400}), "unfolded")
    assert projected(fixed(*map(Kept, range(6)), longer)) is None


def test_a_note_that_stands_for_nothing_is_no_gain() -> None:
    assert projected(fixed(Kept(0), Note(user("so far"), frozenset(), "mine"), *map(Kept, range(1, 7)))) is None


def test_what_returns_no_projection_is_no_strategy() -> None:
    def nothing(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        del conversation, projection, budget
        yield from ()
        return cast("Projection", None)

    with pytest.raises(SettingsError, match="must return a Projection, not NoneType"):
        projected(nothing)
