"""The shipped vocabularies: what each consists of, and how its file is read.

A byte-pair encoding is two things: a pattern that splits text into words, and the ranks of the byte strings that its
words are made of. The patterns stand here, the ranks in the compressed files beside this module.

Invariant: bytes that aren't the published ones are refused, so that a count is right or an error.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from faithfold.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An encoding: its name, the SHA-256 (hex) of its uncompressed ranks, and the pattern that splits text."""

    name: str
    sha256: str
    pattern: str

    @property
    def shipped(self) -> Traversable:
        """The file that comes with the package."""
        return files("faithfold.counters") / "vocabularies" / f"{self.name}.tiktoken.gz"


_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_BEFORE_WORD = r"[^\r\n\p{L}\p{N}]?"
_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

_O200K: Final = Vocabulary(
    name="o200k_base",
    sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    pattern="|".join(
        (
            f"{_BEFORE_WORD}[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
            f"{_BEFORE_WORD}[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
)

_CL100K: Final = Vocabulary(
    name="cl100k_base",
    sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    pattern="|".join(
        (
            "'(?i:[sdmt]|ll|ve|re)",
            rf"{_BEFORE_WORD}+\p{{L}}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        )
    ),
)

VOCABULARIES: Final[Mapping[str, Vocabulary]] = {each.name: each for each in (_O200K, _CL100K)}
"""The encodings that can be counted exactly, by name."""


def read_ranks(vocabulary: Vocabulary, path: Traversable) -> dict[bytes, int]:
    """The rank of each byte string, from the compressed file at `path`.

    Raises InputError when the file can't be read or doesn't hold the published bytes.
    """
    lines = _verified(vocabulary, path).splitlines()
    return {b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}


def _verified(vocabulary: Vocabulary, path: Traversable) -> bytes:
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"the vocabulary {path} can't be read ({error}): install faithfold again") from error
    if hashlib.sha256(content).hexdigest() != vocabulary.sha256:
        raise InputError(f"the vocabulary {path} is not the published {vocabulary.name}: install faithfold again")
    return content
