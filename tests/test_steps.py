"""Steps: where they begin, and which can't be parted. Conversations are in shorthand."""

from __future__ import annotations

import pytest

from faithfold.core.pairing import Reach, pair
from faithfold.core.parts import Reading, Thinking
from faithfold.core.steps import closure, steps
from tests.shorthand import reading


def readings(words: str) -> list[Reading]:
    """As in `shorthand`; `R` is a model message that only thinks."""
    return [Reading("model", "", (Thinking("hm"),)) if word == "R" else reading(word) for word in words.split()]


@pytest.mark.parametrize(
    ("words", "start", "runs", "bounds"),
    [
        ("U A U A U", 1, False, [1, 3]),
        ("U A U A U", 1, True, [1, 3]),
        ("U A A U A", 1, False, [1, 2, 4]),
        ("U A A U A", 1, True, [1, 4]),
        ("U A T T A", 1, True, [1, 4]),
        ("U A I A", 1, True, [1, 3]),
        ("I U U A U A", 0, False, [0, 3, 5]),
        ("I U U A U A", 2, False, [2, 3, 5]),
        ("A", 0, False, [0]),
        ("U", 0, False, [0]),
        ("U", 1, False, []),
    ],
)
def test_a_step_begins_with_the_model(words: str, start: int, runs: bool, bounds: list[int]) -> None:
    found = steps(readings(words), start, runs=runs)
    assert [step.start for step in found] == bounds
    assert [index for step in found for index in step] == list(range(start, len(words.split())))


Case = tuple[str, Reach, bool, set[int], set[int]]
CASES: dict[str, Case] = {
    # words, reach, runs, wanted, and what it brings with it; the steps start behind the first message
    "ordinary steps stand alone": ("U A+1 U-1 A+2 U-2", "turn", False, {1}, {1}),
    "a late result brings its call": ("U A+9 U A U A T-9", "anywhere", True, {2}, {0, 2}),
    "a call brings its late result": ("U A+9 U A U A T-9", "anywhere", True, {0}, {0, 2}),
    "ties go on": ("U A+8 U A+9 T-8 A T-9", "anywhere", True, {2}, {0, 1, 2}),
    "steps between stay free": ("U A+9 U A U A U A T-9", "anywhere", True, {3}, {0, 3}),
    "a second result brings its call too": ("U A+1 T-1 A T-1", "anywhere", True, {1}, {0, 1}),
    "nothing is tied to what precedes the steps": ("A+1 A U-1 A", "anywhere", False, {0}, {0}),
    "a split model turn": ("U A+1 A+2 U-1-2 A", "turn", False, {1}, {0, 1}),
    "a split model turn, from its beginning": ("U A+1 A+2 U-1-2 A", "turn", False, {0}, {0, 1}),
    "a split model turn of thinking": ("U R A+2 U-2 A", "turn", False, {1}, {0, 1}),
    "a split model turn, two messages after its thought": ("U R A A+2 U-2 A", "turn", False, {2}, {0, 1, 2}),
    "a split model turn and the next one": ("U R A U A A+2 U-2", "turn", False, {3}, {3}),
    "a split model turn over an instruction": ("U R I A+2 U-2 A", "turn", False, {1}, {0, 1}),
    "a turn of thinking and words alone may be split": ("U R A U A", "turn", False, {1}, {1}),
    "words after the last call of a thinking turn": ("U R A+2 A U-2 A", "turn", False, {2}, {0, 1, 2}),
    "two model messages of text are two steps": ("U A A U", "turn", False, {1}, {1}),
    "a hosted call leaves nothing open": ("U A+*1 A U", "turn", False, {1}, {1}),
    "a hosted result brings its call": ("U A+*1+2 U-2 A-*1 U", "turn", False, {1}, {0, 1}),
    "a provider's tool runs on over a step": ("U A+*1+2 U-2 A+3 U-3 A-*1 U", "turn", False, {2}, {0, 1, 2}),
    "a split turn with words between its calls": ("U A+1 A A+2 U-1-2 A", "turn", False, {2}, {0, 1, 2}),
    "nothing wanted": ("U A+1 A+2 U-1-2", "turn", False, set(), set()),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_steps_that_cannot_be_parted(case: Case) -> None:
    words, reach, runs, wanted, kept = case
    read = readings(words)
    assert closure(wanted, steps(read, 1, runs=runs), read, pair(read, reach)) == kept
