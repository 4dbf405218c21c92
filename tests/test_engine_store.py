"""The prefix store: the longest prefix is found, in its scope; both bounds hold, and it is never empty again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faithfold.core.projection import Kept, Note
from faithfold.engine.store import PrefixEntry, PrefixStore


def entry(cut: int, text: str = "note", before: tuple[int, ...] = (0,), after: tuple[int, ...] = ()) -> PrefixEntry:
    note = Note({"role": "user", "content": text}, frozenset({1}), "cliff")
    return PrefixEntry(cut, (*map(Kept, before), note, *map(Kept, after)), (text.encode(),), len(text))


NOTE = Note({}, frozenset({1}), "cliff")
CHAIN = ["a", "b", "c", "d"]


def test_the_longest_prefix_is_found() -> None:
    store = PrefixStore(10, 10_000)
    assert store.longest("here", CHAIN) is None
    for cut in (1, 3):
        store.put("here", CHAIN[cut - 1], entry(cut))
    assert store.longest("here", CHAIN) == entry(3)
    assert store.longest("here", CHAIN[:3]) == entry(3)
    assert store.longest("here", CHAIN[:2]) == entry(1)
    assert store.longest("here", ["x", *CHAIN[1:]]) == entry(3)  # a link names all that is before it
    assert store.longest("here", []) is None


def test_each_scope_has_its_own() -> None:
    store = PrefixStore(10, 10_000)
    store.put("here", "a", entry(1, "one"))
    store.put("there", "a", entry(1, "other"))
    assert store.longest("here", ["a"]) == entry(1, "one")
    assert store.longest("there", ["a"]) == entry(1, "other")
    assert store.longest("elsewhere", ["a"]) is None


@pytest.mark.parametrize(
    "wrong",
    [entry(2), entry(4), entry(3, before=(0, 3)), entry(3, after=(7,)), entry(3, before=(-1,))],
    ids=["cut too small", "cut too large", "head longer than the cut", "kept beyond the cut", "no index"],
)
def test_an_inconsistent_entry_is_ignored(wrong: PrefixEntry) -> None:
    store = PrefixStore(10, 10_000)
    store.put("here", "b", entry(2))
    store.put("here", "c", wrong)
    assert store.longest("here", CHAIN) == entry(2)


def test_an_entry_that_is_put_again_replaces_the_one_before() -> None:
    store = PrefixStore(10, 10_000)
    store.put("here", "a", entry(1, "x" * 100))
    store.put("here", "a", entry(1, "short"))
    assert (len(store), store.size) == (1, entry(1, "short").size)
    assert store.longest("here", CHAIN) == entry(1, "short")


def test_the_least_recently_used_goes_first() -> None:
    store = PrefixStore(2, 100_000)
    for link in ("a", "b"):
        store.put("here", link, entry(1))
    assert store.longest("here", ["a"]) is not None
    store.put("here", "c", entry(1))
    assert [link for link in CHAIN if store.longest("here", [link])] == ["a", "c"]
    assert store.size == 2 * entry(1).size


def test_bytes_are_bounded() -> None:
    store = PrefixStore(1_000, 20_000)
    for number in range(500):
        store.put("here", str(number), entry(1, "x" * (number % 1_000)))
        assert store.size <= 20_000
        assert store.longest("here", [str(number)]) is not None
    assert 1 < len(store) < 50


@pytest.mark.parametrize(("entries", "size"), [(0, 0), (0, 10_000), (10, 0), (10, 100)])
def test_it_is_never_empty_again(entries: int, size: int) -> None:
    store = PrefixStore(entries, size)
    for link in CHAIN:
        store.put("here", link, entry(1, "x" * 1_000))
        assert len(store) == 1
        assert store.longest("here", [link]) is not None


def test_what_a_note_stands_for_counts() -> None:
    few = entry(1)
    many = replace(few, entries=(replace(NOTE, covers=frozenset(range(10_000))),))
    assert many.size > few.size + 10_000 * 28


def test_a_text_with_one_wide_character_takes_more_than_a_plain_one() -> None:
    """Of the objects that are kept, one character of a text makes all of it wide."""
    plain, wide = entry(1, "x" * 10_000), entry(1, "x" * 9_999 + "\U0001f600")
    assert plain.size > 2 * 10_000
    assert wide.size > 5 * 10_000
