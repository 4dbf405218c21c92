"""Several sequences read as one: what a list of the same items gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.joined import Joined

PARTS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=5)
PLACES = st.none() | st.integers(-25, 25)


@given(parts=PARTS, start=PLACES, stop=PLACES, step=st.sampled_from((None, 1, 2, -1, -3)))
def test_it_reads_as_a_list(parts: list[list[int]], start: int | None, stop: int | None, step: int | None) -> None:
    items, joined = [item for part in parts for item in part], Joined(parts)
    assert (len(joined), [*joined], [*reversed(joined)]) == (len(items), items, items[::-1])
    assert [joined[at] for at in range(-len(items), len(items))] == items * 2
    assert joined[start:stop:step] == items[start:stop:step]


@given(parts=PARTS, more=st.lists(st.integers(0, 9), max_size=3))
def test_more_may_follow(parts: list[list[int]], more: list[int]) -> None:
    joined = Joined(parts)
    assert joined.followed_by(more) == [*joined, *more]
    assert len(joined) == sum(map(len, parts))


def test_it_equals_what_has_the_same_items() -> None:
    assert Joined([[1], [2]]) == Joined([[1, 2]]) == (1, 2)
    assert Joined([[1]]) not in ([2], 1, "1")
