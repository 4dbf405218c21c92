"""Exact counts by a byte-pair encoding, from a vocabulary that comes with the package: no network, ever.

A vocabulary takes up to a second to load, so it is loaded by the first count that needs it, and once in a process. The
counting itself runs outside the interpreter's lock: count long texts in a thread.

Invariant: every string has a count. Text that looks like a control token (`<|endoftext|>`) is counted as the plain
text that it is; lone surrogates, which no tokenizer takes, count as the replacement character.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import punctuation, whitespace
from threading import Lock
from typing import TYPE_CHECKING, Final

from faithfold.core.errors import SettingsError
from faithfold.core.sizes import QUARTERS
from faithfold.core.values import utf8
from faithfold.counters.vocabulary import VOCABULARIES, read_ranks

if TYPE_CHECKING:
    from tiktoken import Encoding

PIECE: Final = 1 << 19
"""Characters that are encoded at once. The splitter fails on a run of a million blanks; a piece can't hold one."""

_WORD_ENDERS: Final = frozenset(whitespace + punctuation) - {"'"}  # an apostrophe may go on: `don't`
_LOADING = Lock()


@dataclass(frozen=True, slots=True)
class Bpe:
    """Counts with `encoding_name`: "o200k_base" or "cl100k_base". A `path` takes the place of the shipped file.

    Raises SettingsError for an unknown encoding; the first count raises InputError when its file is damaged.
    """

    encoding_name: str
    path: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a name that no vocabulary has."""
        if self.encoding_name not in VOCABULARIES:
            known = ", ".join(VOCABULARIES)
            raise SettingsError(f"there is no vocabulary {self.encoding_name!r}: choose one of {known}")

    @property
    def name(self) -> str:
        """The name of the encoding."""
        return self.encoding_name

    @property
    def exact(self) -> bool:
        """Always true: these are the tokens that a model with this encoding reads."""
        return True

    def quarters(self, text: str) -> int:
        """The size of `text` in quarter tokens."""
        return QUARTERS * self.tokens(text)

    def tokens(self, text: str) -> int:
        """The size of `text` in tokens."""
        encoding = _encoding(self.encoding_name, self.path)
        return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(utf8(text)))


def _encoding(name: str, path: Path | None) -> Encoding:
    with _LOADING:  # two threads that count for the first time load it once
        return _load(name, path)


@cache
def _load(name: str, path: Path | None) -> Encoding:
    from tiktoken import Encoding  # its import is felt at start-up: only who counts pays

    vocabulary = VOCABULARIES[name]
    ranks = read_ranks(vocabulary, path or vocabulary.shipped)
    return Encoding(name, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens={})


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE:
        end = _cut(text, start, start + PIECE)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, start: int, end: int) -> int:
    """Where to cut `text` after `start` and up to `end`: the last place where a letter or digit stands before a mark.

    Both vocabularies end a word there, so the count stays exact. Text without such a place (half a million blanks, or
    letters) is cut at `end`, where the count may be off by a token or two.
    """
    places = range(end, start, -1)
    return next((at for at in places if text[at] in _WORD_ENDERS and text[at - 1].isalnum()), end)
