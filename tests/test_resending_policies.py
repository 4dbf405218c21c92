"""Policies and stores of a caller's own: what they can't do, get wrong or fail at costs no request."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from faithfold import InputError, PrefixStore
from faithfold.core.budget import Budget
from faithfold.core.commands import Ask, Send
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Kept, Note, Projection
from faithfold.core.strategy import Steps
from faithfold.engine.store import PrefixEntry
from faithfold.resending import Engine
from faithfold.strategies.cliff import cliff
from faithfold.strategies.options import CompactSettings
from tests.pieces import res, says, session, use, user
from tests.resending import body_of, small, wire

LONG = session("anthropic", 9, "some result " * 20)


def asks(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    del conversation, budget
    yield Ask("be brief", "text")
    return projection


def sends(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    del conversation, budget
    yield Send(b"{}")
    return projection


@pytest.mark.parametrize(("policy", "name"), [(asks, "ask"), (sends, "send")])
def test_a_policy_that_needs_what_is_not_there_says_so(policy: object, name: str) -> None:
    engine = Engine(small(10, policy=policy))
    body = wire(body_of("anthropic", LONG))
    made = engine.prepare(body, "anthropic")
    assert made.body is body
    assert made.problem == f"the policy failed: this policy needs {name} answered, and nothing here can"
    assert (made.tokens_in, made.modified, made.over_budget) == (made.tokens_out, False, True)
    assert engine.overflow(made) is None


def fails(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    del conversation, budget
    yield from ()
    if projection.total > 1:
        raise LookupError
    return projection


def test_a_policy_that_fails_costs_no_request() -> None:
    engine = Engine(small(10, policy=fails))
    body = body_of("anthropic", LONG)
    made = engine.prepare(body, "anthropic")
    assert (made.problem, made.modified) == ("the policy failed: LookupError", False)
    assert json.loads(made.body) == body
    assert engine.overflow(made) is None


@pytest.mark.parametrize("value", [object(), {1: 2, "a": object()}, {("a",): 1}])
def test_a_body_that_no_bytes_can_say_is_refused_where_bytes_are_asked_for(value: object) -> None:
    made = Engine().prepare({"messages": [], "model": value}, "anthropic")
    with pytest.raises(InputError, match="the body is not JSON: "):
        _ = made.body


def later(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    """Folds as the others do, until the history is long; then it fails."""
    if projection.total > len(LONG):
        raise OSError("disk full")
    return (yield from cliff(CompactSettings())(conversation, projection, budget))


def test_a_policy_that_fails_costs_nothing_that_was_reached_before() -> None:
    engine = Engine(small(700, policy=later))
    first = engine.prepare(wire(body_of("anthropic", LONG)), "anthropic")
    assert (first.compacted, first.problem) == (True, "")
    longer = [*LONG, *session("anthropic", 9, "more " * 50)[1:]]
    made = engine.prepare(wire(body_of("anthropic", longer)), "anthropic")
    assert (made.summary, made.cut) == (first.summary, first.cut)
    assert (made.problem, made.compacted, made.over_budget) == ("the policy failed: OSError", False, True)


class Broken(PrefixStore):
    """A store whose disk is gone."""

    def longest(self, scope: str, chain: Sequence[str]) -> PrefixEntry | None:
        raise OSError(scope, *chain)

    def put(self, scope: str, link: str, entry: PrefixEntry) -> None:
        raise InputError(f"no room for {scope} {link} {entry}" if entry.size < 0 else "the disk is full")


def test_a_store_that_fails_is_a_store_that_knows_nothing() -> None:
    made = Engine(small(700), Broken(1, 1)).prepare(wire(body_of("anthropic", LONG)), "anthropic")
    plain = Engine(small(700)).prepare(wire(body_of("anthropic", LONG)), "anthropic")
    assert (made.body, made.compacted, made.problem) == (plain.body, True, "the store failed: the disk is full")
    made = Engine(small(10_000), Broken(1, 1)).prepare(wire(body_of("anthropic", LONG)), "anthropic")
    assert (made.modified, made.problem) == (False, "the store failed: OSError")


def short(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    """Forgets all but the first two messages, and says nothing of the others."""
    yield from ()
    del projection, budget
    return Projection(2, (Kept(0), Note(conversation.dialect.note("so far"), frozenset({1}), "short")))


def parting(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    """Folds the newest call before its result is there, whatever is held."""
    yield from ()
    del budget
    if projection.total != len(LONG) + 1:
        return projection
    note = Note(conversation.dialect.note("so far"), frozenset(range(1, projection.total)), "parting")
    return Projection(projection.total, (Kept(0), note))


@pytest.mark.parametrize("policy", [short, parting])
def test_what_a_policy_of_ones_own_gets_wrong_is_not_used(policy: object) -> None:
    body = wire(body_of("anthropic", [*LONG, says(use(99)), user(res(99)), says("well")]))
    made = Engine(small(700, policy=policy)).prepare(body, "anthropic")
    assert (made.modified, made.over_budget) == (False, True)


def test_policies_of_ones_own_share_nothing_though_they_share_a_store() -> None:
    store, body = PrefixStore(100, 10**6), wire(body_of("anthropic", LONG))
    made = [Engine(small(700, policy=cliff(CompactSettings())), store).prepare(body, "anthropic") for _ in range(3)]
    assert [one.compacted for one in made] == [True, True, True]
    named = [Engine(small(700, policy=policy), store).prepare(body, "anthropic") for policy in ("cliff", ["cliff"])]
    assert [one.compacted for one in named] == [True, False]
