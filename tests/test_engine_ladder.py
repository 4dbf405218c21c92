"""The ladder: one list and one loop for every reason to climb, each rung from what stood before the request."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from faithfold import SUMMARY_HEADER, CompactSettings, compact
from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Edited, Kept, Projection
from faithfold.core.strategy import Steps
from faithfold.engine.ladder import LADDER, over
from faithfold.engine.options import EngineSettings
from faithfold.resending import Decision, Engine
from tests.pieces import res, says, text, think, use, user
from tests.resending import body_of, small

SETTINGS = EngineSettings(keep_recent=3, thought_max_chars=0, keep_thinking=True)
ENOUGH = 1_000_000


def talk(steps: int, words: int = 60, last: int = 0) -> list[object]:
    """Steps in which much is said and thought, the last one with a result of so many characters."""
    told: list[object] = [user("task")]
    for number in range(steps):
        said = [think(f"thought {number} " * words), text(f"words {number} " * words), use(number, command="run")]
        told += [says(*said), user(res(number, "done"))]
    return [*told[:-1], user(res(steps - 1, "y" * last))] if last else told


def prepared(messages: list[object], settings: EngineSettings) -> Decision:
    return Engine(settings).prepare(body_of("anthropic", messages), "anthropic")


def climbed(messages: list[object], settings: EngineSettings) -> list[Decision]:
    """The request, and each try after the provider refused the one before."""
    engine = Engine(settings)
    tries = [engine.prepare(body_of("anthropic", messages), "anthropic")]
    while (tried := engine.overflow(tries[-1])) is not None:
        tries.append(tried)
    return tries


def note(decision: Decision) -> str:
    return json.dumps(decision.summary)


def test_each_rung_asks_for_more() -> None:
    changed = [rung.change(SETTINGS) for rung in LADDER]
    lean = replace(SETTINGS, keep_recent=1, thought_max_chars=300, keep_thinking=False)
    assert changed == [SETTINGS, replace(SETTINGS, keep_recent=1), lean, lean]
    assert [rung.shortened for rung in LADDER] == [False, False, False, True]


@pytest.mark.parametrize("number", range(len(LADDER)))
def test_no_rung_keeps_more_than_was_asked_for(number: int) -> None:
    assert LADDER[number].change(replace(SETTINGS, keep_recent=0)).keep_recent == 0


@pytest.mark.parametrize(("limit", "chars"), [(0, 300), (100, 100), (300, 300), (5_000, 300)])
def test_what_was_said_is_cut_no_later_than_it_is_set(limit: int, chars: int) -> None:
    assert LADDER[2].change(replace(SETTINGS, thought_max_chars=limit)).thought_max_chars == chars


@pytest.mark.parametrize(("size", "is_over"), [(40, False), (41, False), (43, False), (44, True)])
def test_a_token_that_is_not_whole_does_not_count(size: int, *, is_over: bool) -> None:
    assert over(size, 40) == is_over


def test_an_overflow_tries_one_rung_after_the_other_and_then_gives_up() -> None:
    tries = climbed(talk(8), EngineSettings(threshold_tokens=ENOUGH))
    assert [tried.rung for tried in tries] == [0, 0, 1, 2]
    assert [tried.compacted for tried in tries] == [False, True, True, True]
    sizes = [tried.tokens_out for tried in tries]
    assert sizes == sorted(sizes, reverse=True)
    assert [len(tried.messages) for tried in tries] == [17, 8, 4, 4]
    assert ["thought 4" in note(tried) for tried in tries] == [False, True, True, False]


def test_an_overflow_shortens_the_note_where_the_threshold_asks_for_it() -> None:
    tries = climbed(talk(8, last=2_300), small(1_100))
    assert (tries[0].rung, tries[0].over_budget) == (2, True)
    assert [tried.rung for tried in tries[1:]] == [3]
    assert not tries[1].over_budget


def test_every_way_up_the_ladder_comes_to_the_same() -> None:
    """A request that needs a rung gets it at once, where an overflow gets to it try by try."""
    messages = talk(8)
    for tried in climbed(messages, EngineSettings(threshold_tokens=ENOUGH))[1:]:
        at_once = prepared(messages, small(tried.tokens_out))
        if at_once.rung == tried.rung:
            assert at_once.messages == tried.messages
        assert at_once.rung <= tried.rung
        assert not at_once.over_budget


@pytest.mark.parametrize("rung", [1, 2])
def test_every_rung_starts_from_the_originals(rung: int) -> None:
    """What a rung shows is what one compaction with its settings shows: nothing of it was lost on the way (B061)."""
    messages = talk(8)
    tried = climbed(messages, EngineSettings(threshold_tokens=ENOUGH))[rung + 1]
    made = compact(messages, "anthropic", _as_on(rung))
    assert made is not None
    assert (tried.rung, tried.summary, tried.cut) == (rung, made.summary, made.cut)


def _as_on(rung: int) -> CompactSettings:
    lean = CompactSettings(keep_recent=1, thought_max_chars=300, keep_thinking=False)
    return lean if rung > 1 else CompactSettings(keep_recent=1)


def test_only_strict_shortens_the_note_before_it_is_refused() -> None:
    messages = talk(8, last=2_300)
    easy, strict = prepared(messages, small(1_100)), prepared(messages, small(1_100, strict=True))
    assert (easy.rung, easy.over_budget) == (2, True)
    assert (strict.rung, strict.over_budget) == (3, False)
    assert "words 6" in note(strict)
    assert "words 1" not in note(strict)  # the newest parts are kept


def test_a_note_is_shortened_for_what_follows_it_too() -> None:
    """The call crosses the threshold, and its result, which comes after the compaction, would be too much."""
    messages: list[object] = [*talk(8), says(use(9, command="x" * 2_000)), user(res(9, "y" * 2_000))]
    settings = small(1_150, keep_recent=1, strict=True)
    made = prepared(messages, settings)
    assert (made.rung, made.over_budget) == (3, False)


def test_what_cannot_be_made_small_enough_is_as_small_as_it_gets() -> None:
    made = prepared(talk(8, last=9_000), small(1_000, strict=True))
    assert (made.rung, made.over_budget, made.compacted) == (3, True, True)
    assert note(made).count(SUMMARY_HEADER) == 1
    assert "words" not in note(made)


def test_where_there_is_nothing_to_fold_nothing_is_done() -> None:
    made = prepared([user("x" * 9_000)], small(10, strict=True))
    assert (made.modified, made.compacted, made.rung, made.over_budget) == (False, False, 0, True)
    assert climbed([user("x" * 9_000)], small(10))[1:] == []


def edited(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
    """A policy that cuts the first message, which no entry of the store can say."""
    yield from ()
    del conversation, budget
    rest = tuple(Kept(index) for index in range(1, projection.total))
    return Projection(projection.total, (Edited(0, user("cut"), "cut"), *rest))


def test_a_policy_that_does_nothing_leaves_a_request_as_it_is() -> None:
    made = prepared(talk(8), small(100, policy="none"))
    assert (made.modified, made.over_budget) == (False, True)


def test_a_policy_may_edit_messages() -> None:
    engine, told = Engine(small(100, policy=edited)), [user("x" * 900), *talk(1)]
    first = engine.prepare(body_of("anthropic", told), "anthropic")
    again = engine.prepare(body_of("anthropic", [*told, says("done")]), "anthropic")
    assert (first.compacted, again.compacted) == (True, False)
    assert first.messages == [user("cut"), *told[1:]]
    assert again.messages == [*first.messages, says("done")]
    assert (first.summary, first.head_len, first.cut) == (None, 0, 1)


def test_an_emergency_serves_one_request_alone() -> None:
    """What its rung made isn't remembered: the next request has all that a plain compaction keeps (fault B062)."""
    engine = Engine(small(2_400))
    emergency = engine.prepare(body_of("anthropic", talk(8, last=8_000)), "anthropic")
    assert emergency.rung > 0
    assert len(talk(8)) - emergency.cut == 2
    back = engine.prepare(body_of("anthropic", talk(8)), "anthropic")
    assert (back.rung, back.compacted, back.over_budget) == (0, False, False)
    assert len(talk(8)) - back.cut >= 6


def test_a_note_that_was_remembered_is_shortened_too() -> None:
    """A smaller threshold comes when nothing is left to fold but what the note holds."""
    engine = Engine(small(ENOUGH, keep_recent=1))
    messages = talk(8, last=2_300)
    refused = engine.overflow(engine.prepare(body_of("anthropic", messages), "anthropic"))
    assert refused is not None
    strict = Engine(small(1_100, strict=True, keep_recent=1), engine.store)
    made = strict.prepare(body_of("anthropic", messages), "anthropic")
    assert (made.rung, made.over_budget) == (3, False)


def test_a_head_over_the_threshold_costs_a_compaction_each_step_and_no_more() -> None:
    """It comes out as short as it gets, and each compaction looks only at what is shown."""
    messages = [user("y" * 9_000), *talk(60)[1:]]
    made = prepared(messages, small(1_000))
    assert (made.over_budget, made.head_len) == (True, 1)
    assert len(made.messages) < 10
