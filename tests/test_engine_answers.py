"""Which results answer calls before a cut: looked at from the cut on, and for all messages at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.pairing import Key
from faithfold.engine.answers import hold, last_answers
from faithfold.engine.recognition import REFERRED, Known

A, B = ("client", "a"), ("client", "b")


def calls(*keys: Key) -> Known:
    return Known("", 0, calls=keys)


def answers(*keys: Key) -> Known:
    return Known("", 0, results=keys)


ROWS: list[tuple[str, list[Known], list[int]]] = [
    ("nothing called", [calls(), answers()], [0, 1]),
    ("answered at once", [calls(A), answers(A)], [1, 1]),
    ("answered late", [calls(A), calls(B), answers(B), answers(A)], [3, 2, 2, 3]),
    ("several in one", [calls(A, B), answers(A), calls(), answers(B)], [3, 1, 2, 3]),
    ("the nearest that waits", [calls(A), calls(A), answers(A), answers(A)], [3, 2, 2, 3]),
    ("answered twice", [calls(A), answers(A), calls(), answers(A)], [3, 1, 2, 3]),
    ("never called", [answers(A), calls(A)], [0, 1]),
    ("in its own message", [Known("", 0, calls=(A,), results=(A,))], [0]),
    ("referred to", [calls(REFERRED), answers(A)], [1, 1]),
    ("called, not only referred to", [calls(A), calls(REFERRED), answers(A)], [2, 1, 2]),
]


@pytest.mark.parametrize(("known", "last"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_last_message_that_answers_each(known: list[Known], last: list[int]) -> None:
    assert last_answers(known) == last


keys = st.lists(st.sampled_from([A, B, REFERRED]), max_size=2).map(tuple)
results = st.lists(st.sampled_from([A, B]), max_size=2).map(tuple)


@given(known=st.lists(st.builds(Known, st.just(""), st.just(0), keys, results), max_size=8), data=st.data())
def test_the_look_from_a_cut_finds_what_the_look_at_all_finds(known: list[Known], data: st.DataObject) -> None:
    """Also where all calls have one id, and where results come twice."""
    last = last_answers(known)
    for cut in range(len(known) + 1):
        stay = {index for index in range(cut) if data.draw(st.booleans())}
        held = all(last[index] < cut or index in stay for index in range(cut))
        assert hold(known, stay, cut) == held
