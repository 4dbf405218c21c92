"""The details of generated conversations: texts, ids, JSON values.

Hypothesis decides the shape of a conversation, and a number for each piece of it. The details follow from that
number, so a conversation is quick to make, the same number always makes the same details, and a failing example
still shrinks: by pieces.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

Json = dict[str, object]
Block = Mapping[str, object]
_T = TypeVar("_T")

_WORDS = [
    *(
        "the",
        "build",
        "fails",
        "in",
        "src/app/main.py",
        "because",
        "cache",
        "key",
        "is",
        "stale",
        "run",
        "pytest",
        "-q",
    ),
    *("again", "error:", "404", "not", "found", "config.toml", "v1.2.3", "deadbeef", "port", "8257", "please", "keep"),
    *("9007199254740993", "\\path\\to", '"quoted"', "<b>tag</b>", "{json}", "[list]", "#", "heading\n\tindented\r\n"),
]
_ODD_TEXTS = (
    "圧縮しても意味を失わないこと。全文を残す。",
    "한국어 문장과 ไทย mixed in",
    "done 🙂 👩‍👩‍👧 🇩🇪",
    "cut in half \ud83d here",
    "\udc00 leads",
    "nul \x00 and \x1b[31mred\x1b[0m",
    "line\u2028separator and ﬁ ligature",
    "  padded\t\n",
    "The following is a summary of your previous",
    "---\n\n---\n\n---",
    "</task-notification> alone",
)
_NUMBERS: tuple[object, ...] = (0, -1, 7, 2**53 + 1, 10**30, 0.1, 1.10, 1e300, -0.0, True, False, None)
_EMPTY: list[object] = []
_SMALL: tuple[object, ...] = ("", _EMPTY, dict[str, object](), "x", [_EMPTY], {"": None})


class Dice:
    """All that a shape needs to fill itself in.

    Args:
        place: of the piece in its conversation; ids are made from it, so no two pieces share one.
        number: decides everything else.
    """

    def __init__(self, place: int, number: int) -> None:
        self.place = place
        self._random = random.Random(number)
        self._ids = 0

    def one_of(self, options: Sequence[_T]) -> _T:
        return self._random.choice(options)

    def chance(self, one_in: int) -> bool:
        return self._random.randrange(one_in) == 0

    def number(self, least: int, most: int) -> int:
        return self._random.randint(least, most)

    def identity(self, prefix: str) -> str:
        self._ids += 1
        return f"{prefix}_{self.place}_{self._ids}"

    def prose(self, characters: int) -> str:
        """Exactly so many characters of plain text, neither end of it blank."""
        text = ""
        while len(text) < characters:
            text += " ".join(self._random.choices(_WORDS, k=12)) + " "
        return ("." + text)[: max(characters - 1, 0)] + "."

    def text(self) -> str:
        """A short text, now and then an odd one; never blank."""
        if self.chance(6):
            return self.one_of(_ODD_TEXTS)
        return self.prose(self.number(1, 90))

    def result(self) -> str:
        """What a tool says: short, long, or just around the length at which notes leave it out."""
        match self.number(0, 5):
            case 0:
                return self.text()
            case 1 | 2:
                return self.prose(self.number(498, 503))
            case 3:
                return self.prose(self.number(800, 3_000))
            case 4:
                return f"\n {self.prose(self.number(495, 500))} \n"
            case _:
                return self.prose(self.number(5, 300))

    def json(self, depth: int = 2) -> object:
        """Any JSON value, at most so deep."""
        kind = self.number(0, 5 if depth else 2)
        if kind < 2:
            return self.one_of(_NUMBERS) if kind else self.text()
        if kind == 2:
            return copy.deepcopy(self.one_of(_SMALL))
        if kind == 3:
            return [self.json(depth - 1) for _ in range(self.number(0, 3))]
        return self.arguments(depth - 1)

    def arguments(self, depth: int = 1) -> Json:
        """The input of a tool call; its names look like ours on purpose (they mean nothing there)."""
        names = ("command", "path", "type", "cache_control", "content", "id", "signature", "__proto__", "größe")
        return {self.one_of(names): self.json(depth) for _ in range(self.number(0, 4))}
