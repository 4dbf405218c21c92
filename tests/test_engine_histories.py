"""What was sent for a history last: whether the sent prefix goes on, and if not, why."""

from __future__ import annotations

import pytest

from faithfold.engine.histories import Histories
from faithfold.resending import Decision, Engine
from tests.pieces import says, session, user
from tests.resending import body_of, small

ROWS: list[tuple[str, list[tuple[str, int]], list[str]]] = [
    ("a history that grows", [("a", 0), ("ab", 0), ("abcd", 0)], ["new", "continued", "continued"]),
    ("the same once more", [("ab", 0), ("ab", 0)], ["new", "continued"]),
    ("something else stands for it", [("ab", 0), ("abc", 1), ("abcd", 1)], ["new", "drop", "continued"]),
    ("another history", [("ab", 0), ("cd", 0)], ["new", "new"]),
    ("edited", [("abc", 0), ("abx", 0), ("abxy", 0)], ["new", "branched", "continued"]),
    ("taken back to where it was", [("ab", 0), ("abcd", 0), ("abx", 0)], ["new", "continued", "branched"]),
    ("shorter than ever", [("abc", 0), ("a", 0)], ["new", "branched"]),
    ("empty", [("", 0), ("", 0)], ["new", "new"]),
]


def links(history: str) -> list[str]:
    return [history[:end] for end in range(1, len(history) + 1)]


@pytest.mark.parametrize(("told", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_request_is_held_against_the_one_before(told: list[tuple[str, int]], expected: list[str]) -> None:
    histories = Histories(10)
    assert [histories.prefix(links(history), sent) for history, sent in told] == expected


@pytest.mark.parametrize("most", [0, 1])
def test_the_least_recently_seen_is_forgotten(most: int) -> None:
    histories = Histories(most)
    for history in ("ab", "cd"):
        assert histories.prefix(links(history), 0) == "new"
    assert histories.prefix(links("cde"), 0) == "continued"
    assert histories.prefix(links("abc"), 0) == "new"


def test_a_history_takes_one_place_however_long_it_gets() -> None:
    histories = Histories(2)
    histories.prefix(links("ab"), 0)
    for length in range(1, 9):
        histories.prefix(links("cdefghij"[:length]), 0)
    assert histories.prefix(links("abc"), 0) == "continued"  # idle, and not forgotten
    histories.prefix(links("x"), 0)
    assert histories.prefix(links("abcd"), 0) == "continued"  # used since the other one was
    assert histories.prefix(links("cdefghijk"), 0) == "new"


def test_a_decision_says_why_the_sent_prefix_is_another() -> None:
    """Growth, a drop, a refusal, the end of an emergency, an edit of the client's: each has its word."""
    engine = Engine(small(2_000))
    told = session("anthropic", 12, "some result " * 60)

    def ask(messages: list[object]) -> Decision:
        return engine.prepare(body_of("anthropic", messages), "anthropic")

    assert [ask([*told[:end]]).prefix for end in (3, 5, 7)] == ["new", "continued", "continued"]
    dropped = ask([*told])
    assert (dropped.prefix, dropped.compacted) == ("drop", True)
    refused = engine.overflow(dropped)
    assert refused is not None
    assert (refused.prefix, refused.rung) == ("overflow", 1)
    assert [ask([*told, says("on"), user("and on")]).prefix for _ in range(2)] == ["drop", "continued"]
    assert ask([told[0], says("another answer")]).prefix == "branched"
