"""The path from the newest line to its root, and what stands in for a line that is missing."""

from __future__ import annotations

import pytest

from faithfold.sessions.tree import Tree

CASES: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "a chain": ({"a": "", "b": "a", "c": "b"}, "c", ["a", "b", "c"]),
    "a branch leaves its siblings out": ({"a": "", "b": "a", "c": "a", "d": "c"}, "d", ["a", "c", "d"]),
    "a second root leaves the first out": ({"a": "", "b": ""}, "b", ["b"]),
    "a missing parent: the line before": ({"a": "", "b": "a", "d": "gone", "e": "d"}, "e", ["a", "b", "d", "e"]),
    "a missing parent of the first line": ({"a": "gone", "b": "a"}, "b", ["a", "b"]),
    "a line that is its own parent": ({"a": "", "b": "b"}, "b", ["b"]),
    "a loop": ({"a": "c", "b": "a", "c": "b"}, "c", ["a", "b", "c"]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_path_from_root_to_leaf(name: str) -> None:
    parents, leaf, expected = CASES[name]
    assert Tree.of(parents).path(leaf) == expected


def test_a_start_ends_the_path_like_a_root() -> None:
    assert Tree.of({"a": "", "b": "a", "c": "b"}).path("c", lambda key: key == "b") == ["b", "c"]
