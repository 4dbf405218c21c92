"""Exact counts against literal numbers, for short texts and very long ones.

The expected counts were made once by two implementations that share no code with the one in use.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from faithfold.core.errors import SettingsError
from faithfold.counters import Bpe
from faithfold.counters.bpe import PIECE

O200K = Bpe("o200k_base")
CL100K = Bpe("cl100k_base")

KNOWN = [  # text, o200k_base, cl100k_base
    ("", 0, 0),
    ("hello world", 2, 2),
    ("tiktoken is great!", 6, 6),
    ("The quick brown fox jumps over the lazy dog.", 10, 10),
    ("antidisestablishmentarianism", 6, 6),
    ("I'll say it's what you've DON'T", 6, 10),
    ("1234567890", 4, 4),
    ("3.14159", 4, 4),
    ("今天天气很好,我们去公园散步吧。", 13, 20),
    ("東京は日本の首都です。", 8, 11),
    ("안녕하세요 세계", 3, 9),
    ("Привет, мир!", 5, 7),
    ("مرحبا بالعالم", 4, 10),
    ("नमस्ते दुनिया", 5, 13),
    ("\N{GRINNING FACE}", 1, 2),
    ("\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f3f3\ufe0f\u200d\U0001f308", 18, 27),
    ("caf\u00e9", 2, 2),
    ("cafe\u0301", 3, 3),
    ("def add(a, b):\n    return a + b\n", 12, 12),
    ("for (int i = 0; i < n; i++) {\n\tsum += a[i];\n}\n", 21, 21),
    ('{"path": "src/main.rs", "line": 42, "ok": true}', 19, 19),
    ("https://example.com/a/b?c=d&e=%20f", 13, 13),
    ("   ", 1, 1),
    ("\n\n\n", 1, 1),
    (" \t \n  x  ", 5, 5),
    ("\r\n\r\nend", 2, 2),
    ("\x00\x01\x1b[31m", 6, 5),
    ("a" * 1000, 125, 125),
    (" " * 1000, 9, 9),
    ("<|endoftext|>", 7, 7),  # a control token as plain text
    ("a<|fim_prefix|>b", 8, 9),
]


@pytest.mark.parametrize(("text", "o200k", "cl100k"), KNOWN)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    assert (O200K.tokens(text), CL100K.tokens(text)) == (o200k, cl100k)
    assert O200K.quarters(text) == 4 * o200k


@pytest.mark.parametrize(
    ("broken", "sound"),
    [
        ("\ud83d", "\ufffd"),
        ("a \udc00 b", "a \ufffd b"),
        ("\ud83d\ude00", "\N{GRINNING FACE}"),  # two halves that belong together
    ],
)
def test_lone_surrogates_count_as_the_replacement_character(broken: str, sound: str) -> None:
    assert O200K.tokens(broken) == O200K.tokens(sound)


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(SettingsError, match="choose one of o200k_base, cl100k_base"):
        Bpe("p50k_base")


# Long texts


@pytest.mark.parametrize(
    ("unit", "o200k", "cl100k"),
    [
        ("def add(a, b):\n    return a + b\n\n\n", 720_000, 720_000),
        ('{"path":"src/main.rs","line":42}', 660_000, 660_000),
        ("I don't say it's 12345 what's\tthere, ", 660_001, 840_001),
        ("中文 and English 混排。", 420_000, 540_000),
    ],
)
def test_long_text_is_counted_in_pieces_as_if_it_were_one(unit: str, o200k: int, cl100k: int) -> None:
    text = unit * 60_000
    assert len(text) > PIECE
    assert (O200K.tokens(text), CL100K.tokens(text)) == (o200k, cl100k)


@pytest.mark.parametrize(
    ("unit", "o200k"),
    [
        (" ", 15_625),
        ("\t", 125_000),
        ("\n", 125_000),
        ("a", 250_000),
        ("=", 31_250),
        ("中", 2_000_000),
        ("don't'll've", 545_455),
    ],
)
def test_text_without_a_place_to_cut_is_counted_nearly(unit: str, o200k: int) -> None:
    text = (unit * 2_000_000)[:2_000_000]
    assert abs(O200K.tokens(text) - o200k) <= 2 * (len(text) // PIECE)


def test_other_threads_run_while_one_counts() -> None:
    text = "the quick brown fox jumps over the lazy dog, " * 200_000
    O200K.tokens("load it first")
    turns = 0
    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(O200K.tokens, text)
        while not counting.done():
            time.sleep(0.001)
            turns += 1
    pieces = len(text) // PIECE + 1
    assert turns > 3 * pieces  # a counter that kept the lock would let this thread run between two pieces only
    assert counting.result() == 200_000 * 10 + 1
