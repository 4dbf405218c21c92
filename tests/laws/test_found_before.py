"""The smallest conversations by which the laws found something wrong: each is compacted now, and legally."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import faithfold as ff
from faithfold.core.projection import breaches, faults_added, whole
from tests.generate.anthropic import model, user
from tests.generate.dice import Json
from tests.laws.running import project


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def use(identity: str) -> Json:
    return {"type": "tool_use", "id": identity, "name": "Bash", "input": {}}


def result(identity: str) -> Json:
    return {"type": "tool_result", "tool_use_id": identity, "content": "done"}


def item(role: str, words: str) -> Json:
    return {"type": "message", "role": role, "content": words}


def call(identity: str) -> Json:
    return {"type": "function_call", "call_id": identity, "name": "shell", "arguments": "{}"}


def output(identity: str, words: str = "done") -> Json:
    return {"type": "function_call_output", "call_id": identity, "output": words}


CODE: Json = {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {}}
RAN: Json = {"type": "code_execution_tool_result", "tool_use_id": "s", "content": {"stdout": "ok"}}
STORED: Json = {"type": "item_reference", "id": "fc_3"}
OWN: Json = {"type": "compaction", "encrypted_content": "gA"}
NOTE = item("user", f"{ff.SUMMARY_HEADER}\n\nuser: x")
STEPS: list[Json] = [model(text("a")), model(text("b")), model(text("c"))]
TASK = user(text("task"))

# Name: dialect, how many steps to keep, the messages, and the places that are kept.
CASES: Mapping[str, tuple[str, int, list[Json], list[int]]] = {
    "words between the calls of one turn stay with them": (
        "anthropic",
        1,
        [TASK, *STEPS, model(use("1")), *STEPS, model(use("2")), user(result("1"), result("2"))],
        [0, 4, 5, 6, 7, 8, 9],
    ),
    "code that runs at the provider is not parted from the calls that it makes": (
        "anthropic",
        1,
        [
            *(TASK, *STEPS, model(CODE, use("1")), user(result("1"))),
            *(model(use("2")), user(result("2")), model(RAN, text("done"))),
        ],
        [0, 4, 5, 6, 7, 8],
    ),
    "a last step with nothing to show does not misplace the note": (
        "openai-responses",
        0,
        [
            *(item("user", "task"), call("1"), output("1"), call("2"), output("2"), OWN, item("user", "go on")),
            *(STORED, output("3", "long " * 200)),
        ],
        [0, 3, 4, 5, 6],
    ),
    "a first step that is kept comes before the note": (
        "openai-responses",
        1,
        [
            call("1"),
            item("user", "wait"),
            item("assistant", "a"),
            item("user", "b"),
            call("2"),
            output("2"),
            output("1"),
        ],
        [0, 1, 4, 5, 6],
    ),
    "an earlier note goes from a step that is kept in between": (
        "openai-responses",
        1,
        [
            *(item("user", "task"), call("1"), output("1"), OWN, NOTE, call("2"), output("2")),
            *(call("3"), output("3"), OWN, item("user", "b")),
            *(call("4"), output("4"), call("5"), output("5")),
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
