"""Faults seen in the wild that an engine must not have: whose tokens are counted, and what moves between requests."""

from __future__ import annotations

import json

from faithfold.resending import Engine
from tests.pieces import res, says, session, use, user
from tests.resending import body_of, sent_messages, small


def test_b041_what_stands_beside_the_messages_counts_and_is_named_when_it_alone_is_too_much() -> None:
    tools = [{"name": f"tool_{number}", "description": "what it does " * 40} for number in range(20)]
    body = body_of("anthropic", [user("hi"), says("hello")], tools=tools, system="be brief")
    made = Engine(small(2_500)).prepare(body, "anthropic")
    assert made.tokens_in > 2_500
    assert (made.modified, made.over_budget) == (False, True)
    assert made.problem.startswith("without any messages the request takes ")
    assert Engine(small(5_000)).prepare(body, "anthropic").problem == ""


def test_b048_another_conversation_s_tokens_are_not_counted() -> None:
    """A small request of a sub-agent that begins as its large parent does is left alone."""
    engine, parent = Engine(small(2_000)), session("anthropic", 30, "some result " * 60)
    assert engine.prepare(body_of("anthropic", parent), "anthropic").compacted
    child = engine.prepare(body_of("anthropic", [parent[0], says("well")]), "anthropic")
    assert (child.modified, child.over_budget) == (False, False)


def test_b082_results_that_grow_old_are_not_edited_from_request_to_request() -> None:
    """What was sent is sent again, byte for byte, until the one request that drops."""
    engine, told = Engine(small(3_000)), [user("task")]
    before: list[str] = []
    drops = 0
    for number in range(60):
        told += [says(use(number)), user(res(number, f"result {number} " * 30))]
        made = engine.prepare(json.dumps(body_of("anthropic", told)).encode(), "anthropic")
        sent = [json.dumps(message) for message in sent_messages(made)]
        drops += made.compacted
        assert made.compacted or sent[: len(before)] == before
        before = sent
    assert 2 <= drops <= 10
