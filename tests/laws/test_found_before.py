"""The smallest conversations by which the laws found something wrong: each is compacted now, and legally."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import faithfold as ff
from faithfold.core.projection import breaches, faults_added, whole
from tests.generate.dice import Json
from tests.laws.running import project
from tests.pieces import fc, fo, res, says, text, use, user

CODE: Json = {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {}}
RAN: Json = {"type": "code_execution_tool_result", "tool_use_id": "s", "content": {"stdout": "ok"}}
STORED: Json = {"type": "item_reference", "id": "fc_3"}
OWN: Json = {"type": "compaction", "encrypted_content": "gA"}
NOTE = user(f"{ff.SUMMARY_HEADER}\n\nuser: x")
STEPS: list[Json] = [says(text("a")), says(text("b")), says(text("c"))]
TASK = user(text("task"))

# Name: dialect, how many steps to keep, the messages, and the places that are kept.
CASES: Mapping[str, tuple[str, int, list[Json], list[int]]] = {
    "words between the calls of one turn stay with them": (
        "anthropic",
        1,
        [TASK, *STEPS, says(use("1")), *STEPS, says(use("2")), user(res("1"), res("2"))],
        [0, 4, 5, 6, 7, 8, 9],
    ),
    "code that runs at the provider is not parted from the calls that it makes": (
        "anthropic",
        1,
        [
            *(TASK, *STEPS, says(CODE, use("1")), user(res("1"))),
            *(says(use("2")), user(res("2")), says(RAN, text("done"))),
        ],
        [0, 4, 5, 6, 7, 8],
    ),
    "a last step with nothing to show does not misplace the note": (
        "openai-responses",
        0,
        [
            *(user("task"), fc("1"), fo("1"), fc("2"), fo("2"), OWN, user("go on")),
            *(STORED, fo("3", "long " * 200)),
        ],
        [0, 3, 4, 5, 6],
    ),
    "a first step that is kept comes before the note": (
        "openai-responses",
        1,
        [
            fc("1"),
            user("wait"),
            says("a"),
            user("b"),
            fc("2"),
            fo("2"),
            fo("1"),
        ],
        [0, 1, 4, 5, 6],
    ),
    "an earlier note goes from a step that is kept in between": (
        "openai-responses",
        1,
        [
            *(user("task"), fc("1"), fo("1"), OWN, NOTE, fc("2"), fo("2")),
            *(fc("3"), fo("3"), OWN, user("b")),
            *(fc("4"), fo("4"), fc("5"), fo("5")),
        ],
        [0, 1, 2, 3, 7, 8, 9, 10, 13, 14],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_found_before(name: str) -> None:
    dialect, keep_recent, messages, kept = CASES[name]
    made = project(messages, dialect, ff.CompactSettings(keep_recent=keep_recent))
    assert made is not None
    assert breaches(made.projection) == []
    assert faults_added(made.conversation, whole(made.conversation), made.projection) == []
    assert sorted(made.kept) == kept
    assert ff.compact(messages, dialect, ff.CompactSettings(keep_recent=keep_recent)) is not None
