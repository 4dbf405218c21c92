"""Where our engine differs from its oracle on purpose: the closed list, part three.

Source: spec 90-decisions, Cliff and the engine; faults B061, B062.
"""

from __future__ import annotations

import json

from faithfold import SUMMARY_HEADER
from faithfold.resending import Engine
from tests.parity import oracle
from tests.pieces import codes, res, says, session, use, user
from tests.resending import body_of, small

LONG = "a long result " * 40
RULE = "RULE: never push without asking"


def shown(message: object) -> str:
    return json.dumps(message)


def test_a_call_is_not_folded_before_its_result_is_there() -> None:
    """With nothing recent kept, the oracle folds a call that is still open: its result then answers nothing."""
    settings = small(150, keep_recent=0)
    messages = [user("task"), says("well"), user("go on"), says(use(1, command="x" * 600)), user(res(1))]
    body = body_of("anthropic", messages)
    their, our = oracle.Engine(settings).prepare(body, "anthropic"), Engine(settings).prepare(body, "anthropic")
    assert "orphan-result" in codes("anthropic", their.messages)
    assert codes("anthropic", [*our.messages]) == []


def test_a_rung_starts_from_what_stood_before_the_request() -> None:
    """The oracle's rung compacts its own result, whose note it drops, and with it a rule of the human's (B061)."""
    messages = [user("task"), *session("anthropic", 4)[1:], says("Shall I push?"), user(RULE)]
    messages += [*session("anthropic", 3)[1:], says(use(9)), user(res(9, "y" * 9_000))]
    settings = small(2_000)
    body = body_of("anthropic", messages)
    their, our = oracle.Engine(settings).prepare(body, "anthropic"), Engine(settings).prepare(body, "anthropic")
    assert (their.rung, our.rung) == (1, 1)
    assert RULE not in shown(their.messages)
    assert RULE in shown(our.messages)


def test_what_an_emergency_cost_is_not_taken_from_later_requests() -> None:
    """The oracle stores what its last rung made; ours keeps that for the one request (B062)."""
    settings = small(100_000)
    theirs, ours = oracle.Engine(settings), Engine(settings)
    said = [message for number in range(8) for message in (says(f"thought {number} " * 50), user(f"go on {number}"))]
    body = body_of("anthropic", [user("task"), *said])
    theirs.prepare(body, "anthropic")
    last = ours.prepare(body, "anthropic")
    tries = [last]
    while (tried := ours.overflow(tries[-1])) is not None:
        tries.append(tried)
    while theirs.overflow() is not None:
        pass
    assert tries[-1].rung > 0
    their, our = theirs.prepare(body, "anthropic"), ours.prepare(body, "anthropic")
    assert "thought 5" in shown([*our.messages[-6:]])
    assert "thought 5" not in shown(their.messages[-2:])
    assert our.body == tries[1].body  # the plain compaction


def test_what_came_out_larger_is_not_sent() -> None:
    """The oracle looks at how many messages there are, not how large they are."""
    messages = [user("t"), says("a"), user("b"), says("c"), user("d")]
    settings = small(1, keep_recent=1)
    body = body_of("anthropic", messages)
    their, our = oracle.Engine(settings).prepare(body, "anthropic"), Engine(settings).prepare(body, "anthropic")
    assert their.compacted
    assert their.tokens_out > their.tokens_in
    assert (our.modified, our.over_budget, our.messages) == (False, True, messages)


def test_the_ladder_goes_on_where_one_step_is_left() -> None:
    """The oracle's note is there already and its tail one step, so its rungs find nothing; ours begin before it."""
    said = [says("thought " * 300), user("go on")]
    messages = [user("task"), *said, says("last"), user("now")]
    settings = small(400, keep_recent=1)
    body = body_of("anthropic", messages)
    their, our = oracle.Engine(settings).prepare(body, "anthropic"), Engine(settings).prepare(body, "anthropic")
    assert (their.rung, their.over_budget) == (0, True)
    assert (our.rung, our.over_budget) == (2, False)


def test_a_stored_note_is_left_where_a_late_result_answers_what_it_stands_for() -> None:
    """A history that was sent with an open call, and comes again with the result: the oracle sends it without call."""
    settings = small(150, keep_recent=0)
    theirs, ours = oracle.Engine(settings), Engine(settings)
    asked = [*session("anthropic", 5, "some result " * 10), says("on it", use(9))]
    for engine in (theirs, ours):
        engine.prepare(body_of("anthropic", asked), "anthropic")
    body = body_of("anthropic", [*asked, user(res(9))])
    their, our = theirs.prepare(body, "anthropic"), ours.prepare(body, "anthropic")
    assert "orphan-result" in codes("anthropic", their.messages)
    assert codes("anthropic", [*our.messages]) == []


def test_there_is_one_note_though_nothing_recent_is_kept() -> None:
    """The oracle takes its note, which then stands last, for the head, and puts another one behind it."""
    settings = small(150, keep_recent=0)
    theirs, ours = oracle.Engine(settings), Engine(settings)
    history = session("anthropic", 12, "some result " * 10)
    most = [0, 0]
    for count in range(3, len(history) + 1, 2):
        body = body_of("anthropic", history[:count])
        their, our = theirs.prepare(body, "anthropic"), ours.prepare(body, "anthropic")
        for place, messages in enumerate(([*their.messages], [*our.messages])):
            most[place] = max(most[place], shown(messages).count(SUMMARY_HEADER))
    assert most[0] > most[1] == 1
