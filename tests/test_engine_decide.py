"""What is decided about a request, as a playbook: which commands are given, and what becomes of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from faithfold.core.commands import Command, Lookup, Remember
from faithfold.core.projection import Kept
from faithfold.core.sizes import QUARTERS
from faithfold.dialects import DIALECTS
from faithfold.drivers import run
from faithfold.engine import decide
from faithfold.engine.decide import Outcome
from faithfold.engine.options import EngineSettings
from faithfold.engine.request import Request, of_dict
from faithfold.engine.store import PrefixEntry
from tests.pieces import res, says, session, use, user
from tests.resending import body_of, small

PLENTY = 1_000_000
LONG = session("anthropic", 9, "some result " * 20)


@dataclass
class Play:
    """What was asked for, and what came of it."""

    commands: list[Command]
    outcome: Outcome

    @property
    def names(self) -> list[str]:
        return [type(command).__name__ for command in self.commands]

    @property
    def remembered(self) -> PrefixEntry:
        (entry,) = (command.entry for command in self.commands if isinstance(command, Remember))
        assert isinstance(entry, PrefixEntry)
        return entry


def request_of(messages: Sequence[object]) -> Request:
    request = of_dict(body_of("anthropic", messages), DIALECTS["anthropic"])
    assert request is not None
    return request


def play(messages: Sequence[object], threshold: int, *answers: object, keep_recent: int = 3) -> Play:
    """Decides about a request; look-ups are answered in order, and then with nothing."""
    commands: list[Command] = []
    left = [*answers]

    def answer(command: Command) -> object:
        commands.append(command)
        return left.pop(0) if isinstance(command, Lookup) and left else None

    steps = decide.prepare(request_of(messages), small(threshold, keep_recent), "here", threshold)
    return Play(commands, run(steps, answer))


def overflown(outcome: Outcome, threshold: int) -> tuple[list[Command], Outcome | None]:
    commands: list[Command] = []
    assert outcome.request is not None
    steps = decide.overflow(outcome, outcome.request, small(threshold), "here")
    return commands, run(steps, commands.append)


def test_a_small_request_is_looked_up_and_left_alone() -> None:
    made = play(LONG, PLENTY)
    request = request_of(LONG)
    assert made.commands == [Lookup("here", request.chain)]
    assert (made.outcome.standing, made.outcome.compacted, made.outcome.tried) == (None, False, 0)


def test_a_large_request_is_compacted_and_remembered_under_what_the_note_stands_for() -> None:
    made = play(LONG, 700)
    assert made.names == ["Lookup", "Remember"]
    entry = made.remembered
    assert made.commands[1] == Remember("here", request_of(LONG).chain[entry.cut - 1], entry)
    assert (made.outcome.standing, made.outcome.start) == (entry, None)
    assert (made.outcome.compacted, made.outcome.rung, made.outcome.tried) == (True, 0, 1)


def test_what_is_remembered_is_put_in() -> None:
    entry = play(LONG, 700).remembered
    made = play([*LONG, user("more")], 900, entry)
    assert made.names == ["Lookup"]
    assert (made.outcome.standing, made.outcome.start, made.outcome.compacted) == (entry, entry, False)


def test_what_is_put_in_may_be_too_large_again() -> None:
    entry = play(LONG, 700).remembered
    more = [*LONG, *session("anthropic", 9, "more " * 50)[1:]]
    made = play(more, 900, entry)
    assert made.names == ["Lookup", "Remember"]
    assert made.remembered.cut > entry.cut
    assert [entry for entry in made.remembered.entries if isinstance(entry, Kept)] == [Kept(0)]
    assert made.outcome.start == entry


def test_a_result_that_came_late_rules_an_entry_out_and_shorter_ones_are_looked_for() -> None:
    """The note stands for a call that was open when it was written."""
    asked = [*LONG, says("well", use(99))]
    entry = play(asked, request_of(asked).quarters // QUARTERS - 1, keep_recent=0).remembered
    assert entry.cut == len(asked)
    late = [*asked, user(res(99))]
    made = play(late, PLENTY, entry)
    links = request_of(late).chain
    assert made.commands == [Lookup("here", links), Lookup("here", links[: entry.cut - 1])]
    assert made.outcome.standing is None
    shorter = play(LONG, 700).remembered
    assert play(late, PLENTY, entry, shorter).outcome.standing == shorter


def test_an_entry_for_the_first_message_alone_is_the_last_that_is_looked_for() -> None:
    entry = PrefixEntry(1, play(LONG, 700).remembered.entries[1:], (b"{}",), 0)
    made = play([says(use(0)), user(res(0))], PLENTY, entry)
    assert made.names == ["Lookup"]
    assert made.outcome.standing is None


@pytest.mark.parametrize("answer", [None, "note", {"cut": 3}])
def test_an_answer_that_is_no_entry_is_none(answer: object) -> None:
    assert play(LONG, PLENTY, answer).outcome.standing is None


def test_nothing_is_looked_up_for_no_messages() -> None:
    assert play([], PLENTY).names == []


def test_of_several_rungs_the_plain_compaction_alone_is_remembered() -> None:
    """So later requests begin with all that it kept, and not with nothing (fault B062)."""
    made = play([*LONG, says(use(99)), user(res(99, "y" * 4_000))], 1_100)
    assert made.outcome.rung > 0
    assert made.names == ["Lookup", "Remember"]
    assert made.outcome.standing != made.remembered
    assert made.outcome.standing is not None
    assert made.outcome.standing.cut > made.remembered.cut


def test_a_rung_that_is_not_needed_is_not_tried() -> None:
    made = play(LONG, 700)
    assert (made.names, made.outcome.tried) == (["Lookup", "Remember"], 1)


def test_an_overflow_remembers_the_plain_compaction_alone() -> None:
    first = play(LONG, PLENTY).outcome
    commands, plain = overflown(first, PLENTY)
    assert plain is not None
    assert [type(command).__name__ for command in commands] == ["Remember"]
    assert (plain.rung, plain.tried, plain.compacted) == (0, 1, True)
    commands, next_try = overflown(plain, PLENTY)
    assert next_try is not None
    assert (commands, next_try.rung, next_try.tried) == ([], 1, 2)


SHAPING: list[dict[str, object]] = [
    {"tenant": "other"},
    {"policy": "none"},
    {"keep_recent": 2},
    {"thought_max_chars": 1},
    {"thinking_max_chars": 1},
    {"keep_thinking": False},
    {"cmd_max_chars": 1},
    {"result_max_chars": 1},
    {"human_max_chars": 1},
    {"target_tokens": 1},
]
OTHERS: list[dict[str, object]] = [
    {"threshold_tokens": 1},
    {"strict": True},
    {"store_max_entries": 1},
    {"store_max_bytes": 1},
    {"recognition_max_bytes": 1},
]


def settings(**given: object) -> EngineSettings:
    return EngineSettings(**given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_what_shapes_a_note_is_part_of_the_scope_and_the_rest_is_not() -> None:
    scopes = [decide.scope_of(settings(**given)) for given in [{}, *SHAPING]]
    assert len(set(scopes)) == len(scopes)
    assert {decide.scope_of(settings(**given)) for given in [{}, *OTHERS]} == {scopes[0]}
