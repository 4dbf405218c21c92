"""The bundled example session: a whole, well-formed Claude Code file that names no real machine.

Invariant: what ``make demo`` runs on can be read line by line, and every call in it is answered once.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from faithfold.core.values import as_list, as_object, as_text

SESSION = Path(__file__).parent.parent / "examples" / "session.jsonl"
MACHINE = re.compile(r"(?<![\w.~-])/(?:work|tmp|root|Users|opt|var|home/(?!dev\b))|\.pyenv|site-packages")
Line = Mapping[str, object]


@cache
def session_lines() -> tuple[Line, ...]:
    """All lines of the example, parsed."""
    return tuple(as_object(json.loads(line)) for line in SESSION.read_text(encoding="utf-8").splitlines())


def blocks(kind: str) -> Iterator[Mapping[str, object]]:
    """Content blocks of one type, in the order of the file."""
    for line in session_lines():
        for block in as_list(as_object(line.get("message")).get("content")):
            if as_object(block).get("type") == kind:
                yield as_object(block)


def test_every_line_is_an_object() -> None:
    assert all(session_lines())


def test_parents_stand_before_their_children() -> None:
    seen: set[object] = set()
    roots: list[bool] = []
    for line in session_lines():
        if "uuid" not in line:
            continue
        if line["parentUuid"] is None:
            roots.append(line["isSidechain"] is True)
        else:
            assert line["parentUuid"] in seen
        assert line["uuid"] not in seen
        seen.add(line["uuid"])
    assert sorted(roots) == [False, True], "one root for the conversation, one for the sidechain"


def test_times_only_move_forward() -> None:
    stamps = [datetime.fromisoformat(as_text(line["timestamp"])) for line in session_lines() if "timestamp" in line]
    assert stamps == sorted(set(stamps))


def test_every_call_is_answered_once_but_the_interrupted_one() -> None:
    calls = [as_text(block["id"]) for block in blocks("tool_use")]
    answers = Counter(as_text(block["tool_use_id"]) for block in blocks("tool_result"))
    assert len(calls) == len(set(calls))
    assert set(answers.values()) == {1}
    assert set(answers) <= set(calls)
    assert len(set(calls) - set(answers)) == 1


def test_an_answer_stands_below_its_call() -> None:
    caller: dict[object, object] = {}
    for line in session_lines():
        for block in map(as_object, as_list(as_object(line.get("message")).get("content"))):
            if block.get("type") == "tool_use":
                caller[block["id"]] = line["uuid"]
            if block.get("type") == "tool_result":
                assert line["parentUuid"] == caller[block["tool_use_id"]]


def test_it_is_long_enough_to_be_worth_folding() -> None:
    messages = [as_object(line.get("message")) for line in session_lines() if not line.get("isSidechain")]
    answers = {message["id"] for message in messages if message.get("role") == "assistant"}
    size = sum(len(json.dumps(message.get("content"), ensure_ascii=False)) for message in messages)
    assert len(answers) >= 300
    assert 180_000 <= size // 4 <= 300_000


@pytest.mark.parametrize("name", ["user", "assistant", "system", "summary", "file-history-snapshot"])
def test_it_has_every_kind_of_line(name: str) -> None:
    assert any(line["type"] == name for line in session_lines())


def test_it_names_no_real_machine() -> None:
    assert not MACHINE.findall(SESSION.read_text(encoding="utf-8"))
