"""The text that we write ourselves: every provider takes it, whatever it quotes (fault B105)."""

from __future__ import annotations

import json

import pytest

from faithfold.core.values import utf8
from faithfold.dialects import DIALECTS


@pytest.mark.parametrize(
    ("quoted", "written"),
    [
        ("", ""),
        ("plain", "plain"),
        ("naïve 中文 😀", "naïve 中文 😀"),
        ("\ufeffwith a mark", "\ufeffwith a mark"),
        ("nul \0 stays", "nul \0 stays"),
        ("\ud83d\ude00", "😀"),
        ("high \ud83d alone", "high \ufffd alone"),
        ("low \ude00 alone", "low \ufffd alone"),
        ("wrong order \ude00\ud83d", "wrong order \ufffd\ufffd"),
        ("at the end \ud83d", "at the end \ufffd"),
        ("\ud83dé", "\ufffdé"),
    ],
)
def test_halves_of_characters_are_joined_or_replaced(quoted: str, written: str) -> None:
    assert utf8(quoted) == written
    assert utf8(written) == written


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_note_can_be_sent(dialect: str) -> None:
    note = json.dumps(DIALECTS[dialect].note("a \ud83d b"), ensure_ascii=False)
    assert "a \ufffd b" in note.encode("utf-8").decode("utf-8")
