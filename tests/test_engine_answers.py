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


messages = st.lists(
    st.builds(Known, st.just(""), st.just(0), *[st.lists(st.sampled_from([A, B]), max_size=2).map(tuple)] * 2)
)


@given(known=messages, data=st.data())
def test_both_looks_agree(known: list[Known], data: st.DataObject) -> None:
    """Where the calls that wait have names of their own, the cheap look from a cut finds what the whole one does."""
    named = [
        Known("", 0, tuple((one, f"{at}{place}") for place, (one, _) in enumerate(each.calls)))
        for at, each in enumerate(known)
    ]
    asked = [key for each in named for key in each.calls]
    told = [
        Known("", 0, each.calls, tuple(data.draw(st.sampled_from(asked)) for _ in old.results) if asked else ())
        for each, old in zip(named, known, strict=True)
    ]
    last = last_answers(told)
    for cut in range(len(told) + 1):
        stay = {index for index in range(cut) if data.draw(st.booleans())}
        held = all(last[index] < cut or index in stay for index in range(cut))
        assert hold(told, stay, cut) == held
