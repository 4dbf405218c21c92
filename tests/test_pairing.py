"""Pairing: which result answers which call, within each provider's reach. Conversations are in shorthand."""

from __future__ import annotations

import pytest

from faithfold.core.pairing import Pairing, Reach, Spot, pair
from tests.shorthand import reading


def paired(words: str, reach: Reach) -> Pairing:
    return pair([reading(word) for word in words.split()], reach)


Case = tuple[str, Reach, str, set[tuple[int, int]], str, str, str]
CASES: list[Case] = [
    # name, reach, words, links, unanswered, orphans, duplicates (as "index:id ...")
    ("a call and its result", "turn", "U A+1 U-1", {(1, 2)}, "", "", ""),
    ("parallel calls", "turn", "U A+1+2 U-1-2", {(1, 2)}, "", "", ""),
    ("parallel results over several messages", "turn", "U A+1+2 U-2 U-1", {(1, 2), (1, 3)}, "", "", ""),
    ("a model turn over two messages", "turn", "U A+1 A+2 U-1-2", {(1, 3), (2, 3)}, "", "", ""),
    ("an instruction inside a model turn", "turn", "U A+1 I A+2 U-1-2", {(1, 4), (3, 4)}, "", "", ""),
    ("an instruction before the result", "turn", "U A+1 I U-1", {(1, 3)}, "", "", ""),
    ("a result after the next model turn", "turn", "U A+1 U A U-1", set(), "1:1", "4:1", ""),
    ("a result before its call", "turn", "U-1 A+1", set(), "1:1", "0:1", ""),
    ("a pending call at the end", "turn", "U A+1", set(), "1:1", "", ""),
    ("a call that nobody answers", "turn", "U A+1 U A", set(), "1:1", "", ""),
    ("two results for one call", "turn", "U A+1 U-1-1", {(1, 2)}, "", "", "2:1"),
    ("two results in two messages", "turn", "U A+1 U-1 U-1", {(1, 2), (1, 3)}, "", "", "3:1"),
    ("one id for every call", "turn", "U A+0 U-0 A+0 U-0", {(1, 2), (3, 4)}, "", "", ""),
    ("one id for parallel calls", "turn", "U A+0+0 U-0-0", {(1, 2)}, "", "", ""),
    ("an empty id for every call", "turn", "U A+ U- A+ U-", {(1, 2), (3, 4)}, "", "", ""),
    ("results right after the call", "next", "U A+1+2 T-1 T-2 U", {(1, 2), (1, 3)}, "", "", ""),
    ("a result after a user message", "next", "U A+1 U T-1", set(), "1:1", "3:1", ""),
    ("a result after an instruction", "next", "U A+1 I T-1", set(), "1:1", "3:1", ""),
    ("a mixed run, one id covered", "next", "U T-1 A+2 T-1 T-2", {(2, 4)}, "", "1:1 3:1", ""),
    ("a late result", "anywhere", "U A+1 U A U T-1", {(1, 5)}, "", "", ""),
    ("a late result with a later call of the id", "anywhere", "U A+1 T-1 A+1 U T-1", {(1, 2), (3, 5)}, "", "", ""),
    ("a result that comes twice, late", "anywhere", "U A+1 T-1 U A T-1", {(1, 2), (1, 5)}, "", "", "5:1"),
    ("a result nobody asked for", "anywhere", "U A T-1", set(), "", "2:1", ""),
    ("a result of what is referred to", "anywhere", "U A=1 T-2 A T-3", {(1, 2), (1, 4)}, "", "", ""),
    ("a result before the reference", "anywhere", "U T-2 A=1", set(), "", "1:2", ""),
    ("a result of a call in sight", "anywhere", "U A=1 A+2 T-2", {(2, 3)}, "", "", ""),
    ("a hosted call owes nothing", "turn", "U A+*1 U", set(), "", "", ""),
    ("a hosted call and its result", "turn", "U A+*1-*1 U", {(1, 1)}, "", "", ""),
    ("a hosted result in a later turn", "turn", "U A+*1+2 U-2 A-*1", {(1, 2), (1, 3)}, "", "", ""),
    ("a hosted result without its call", "turn", "U A-*1", set(), "", "1:1", ""),
    ("families don't answer each other", "turn", "U A+*1 U-1", set(), "", "2:1", ""),
    ("nothing", "anywhere", "", set(), "", "", ""),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_pairing(case: Case) -> None:
    _, reach, words, links, unanswered, orphans, duplicates = case
    found = paired(words, reach)
    assert set(found.links) == links
    assert found.unanswered == spots(unanswered)
    assert found.orphans == spots(orphans)
    assert found.duplicates == spots(duplicates)


def spots(written: str) -> tuple[Spot, ...]:
    pairs = [spot.split(":") for spot in written.split()]
    return tuple(Spot(int(index), name) for index, name in pairs)


def test_spots_come_in_the_order_of_the_messages() -> None:
    assert paired("U A+2 U A+1 U A+2 U A", "turn").unanswered == spots("1:2 3:1 5:2")
