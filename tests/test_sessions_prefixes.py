"""Finding a request's conversation by how it begins: the same as by comparing it with all the others."""

from __future__ import annotations

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from faithfold.sessions.plain import Found, group

LISTS = st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=9), max_size=12)


def requests(lists: list[list[str]]) -> list[Found]:
    return [Found([{"role": "user", "content": text} for text in texts]) for texts in lists]


def is_same(known: list[str], other: list[str]) -> bool:
    """Whether one begins with all of the other, or, where that is at least four messages, all but its last two."""
    shorter = min(len(known), len(other))
    shared = next((at for at in range(shorter) if known[at] != other[at]), shorter)
    return shared == shorter or shared >= max(4, shorter - 2)


def compared(lists: list[list[str]]) -> list[list[str]]:
    """The longest of each conversation, found by comparing each request with the conversations so far."""
    groups: list[list[str]] = []
    for texts in lists:
        place = next((at for at, known in enumerate(groups) if is_same(known, texts)), len(groups))
        if place == len(groups):
            groups.append(texts)
        elif len(texts) >= len(groups[place]):
            groups[place] = texts
    return groups


@given(LISTS)
def test_the_conversations_are_those_that_comparing_finds(lists: list[list[str]]) -> None:
    assert [found.messages for found in group(requests(lists))] == [each.messages for each in requests(compared(lists))]


def test_many_conversations_are_told_apart_in_one_go() -> None:
    """Were each compared with each, this would take minutes, all the more as they begin alike."""
    lists = [["shot"] * 8 + [f"{number} {word}" for word in ("ask", "answer", "thanks")] for number in range(15_000)]
    before = process_time()
    assert len(group(requests(lists))) == 15_000
    assert process_time() - before < 20
