"""Session files are trees: each line names the one before it, and an edit of an earlier message starts a new branch.

The live conversation is the path from the newest line up to its root. A line that names a parent which is not in the
file (its line was bad) takes the line before it in the file instead: one bad line must not cost all that precedes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


def _never(key: str) -> bool:
    return not key


@dataclass(frozen=True, slots=True)
class Tree:
    """The parent that each line names ("" for none), and the line before each, both by the lines' keys."""

    parents: Mapping[str, str]
    before: Mapping[str, str]

    @classmethod
    def of(cls, parents: Mapping[str, str]) -> Tree:
        """The tree of lines whose parents are given in file order."""
        keys = list(parents)
        return cls(parents, dict(zip(keys, ["", *keys], strict=False)))

    def above(self, key: str) -> str:
        """The line that `key` follows, "" for a root."""
        parent = self.parents[key]
        return parent if not parent or parent in self.parents else self.before[key]

    def path(self, leaf: str, is_start: Callable[[str], bool] = _never) -> list[str]:
        """The keys from the root to `leaf`; one for which `is_start` holds counts as a root. A loop ends the path."""
        keys: dict[str, None] = {}
        key = leaf
        while key and key not in keys:
            keys[key] = None
            key = "" if is_start(key) else self.above(key)
        return list(reversed(keys))
