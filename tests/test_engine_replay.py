"""The replay: calls that wait for their results, and histories in which nothing can be folded."""

from __future__ import annotations

from itertools import pairwise

import pytest

from faithfold import SUMMARY_HEADER, faults
from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Projection
from faithfold.core.strategy import Steps
from faithfold.resending import Engine
from faithfold.strategies.cliff import cliff
from faithfold.strategies.options import CompactSettings
from tests.pieces import STEPS, fc, fo, message, res, says, session, use, user
from tests.resending import body_of, small, wire


class Counting:
    """The policy cliff, which counts how often it is asked."""

    def __init__(self) -> None:
        self.totals: list[int] = []
        self._cliff = cliff(CompactSettings())

    def __call__(self, conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        self.totals.append(projection.total)
        return (yield from self._cliff(conversation, projection, budget))


def test_a_call_that_is_answered_last_stays_in_its_place() -> None:
    """All around it is folded, as the history grows and when it comes at once."""
    told = [
        message("user", "task"),
        fc("first"),
        *(part for n in range(60) for part in STEPS["openai-responses"](n, "y" * 90)),
    ]
    engine, drops = Engine(small(600)), 0
    for count in range(2, len(told)):
        drops += engine.prepare(wire(body_of("openai-responses", told[:count])), "openai-responses").compacted
    assert drops > 3
    told += [fo("first")]
    grown = engine.prepare(wire(body_of("openai-responses", told)), "openai-responses")
    late = Engine(small(600)).prepare(wire(body_of("openai-responses", told)), "openai-responses")
    for made in (grown, late):
        assert faults(made.messages, "openai-responses") == []
        assert made.messages[1] == told[1]
        assert made.tokens_out < 700 < made.tokens_in
    assert grown.messages == late.messages


def test_a_call_with_no_result_is_folded() -> None:
    told = [user("task"), says(use("lost")), *session("anthropic", 9, "some result " * 20)[1:]]
    made = Engine(small(700)).prepare(body_of("anthropic", told), "anthropic")
    assert made.compacted
    assert told[1] not in made.messages


@pytest.mark.parametrize("count", [40, 400, 4_000])
def test_where_nothing_can_be_folded_the_policy_is_asked_less_and_less_often(count: int) -> None:
    policy = Counting()
    told = [user(f"message {number}") for number in range(count)]
    made = Engine(small(10, policy=policy)).prepare(body_of("anthropic", told), "anthropic")
    assert not made.modified
    first = policy.totals[: policy.totals.index(count) + 1]  # of the first rung
    assert len(first) < 300
    gaps = [after - before for before, after in pairwise(first)]
    assert all(gap <= max(1, total // 16) for gap, total in zip(gaps, first, strict=False))


def test_what_can_be_folded_after_a_long_while_is_folded() -> None:
    """A history of people's words alone, and then one of steps."""
    told = [*(user(f"message {number}") for number in range(300)), *session("anthropic", 40, "some result " * 20)[1:]]
    made = Engine(small(2_500)).prepare(body_of("anthropic", told), "anthropic")
    assert made.compacted
    assert made.tokens_out < made.tokens_in
    assert SUMMARY_HEADER in str(made.summary)
    assert made.messages[:300] == told[:300]


def test_results_that_come_twice_part_no_call() -> None:
    told = [*session("anthropic", 9, "some result " * 20), says(use(3)), user(res(3)), says("well")]
    made = Engine(small(700)).prepare(body_of("anthropic", told), "anthropic")
    assert made.compacted
    assert faults(made.messages, "anthropic") == []
