"""The kinds of items and blocks: what the tables say is what the dialects read."""

from __future__ import annotations

import pytest

from faithfold.core.kinds import CALLS, ITEM_TYPES, OUTPUTS, PINNED
from faithfold.core.parts import Call, Result
from faithfold.dialects import DIALECTS

read = DIALECTS["openai-responses"].read


@pytest.mark.parametrize("kind", CALLS)
def test_a_call_is_read_with_what_was_asked(kind: str) -> None:
    fields = CALLS[kind]
    reading = read({"type": kind, "call_id": "c", "name": "n", fields.arguments: "asked"})
    assert reading.speaker == "model"
    assert reading.parts[0] == Call("c", "n", "asked", kind, hosted=bool(fields.outcome))


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_result_answers_a_call_of_its_kind(kind: str) -> None:
    reading = read({"type": kind, "call_id": "c", "output": "x"})
    assert reading.speaker == "tool"
    assert [part.family for part in reading.parts if isinstance(part, Result)] == [OUTPUTS[kind]]
    assert OUTPUTS[kind] in CALLS


@pytest.mark.parametrize("kind", sorted(ITEM_TYPES))
def test_what_is_pinned(kind: str) -> None:
    assert read({"type": kind}).pinned is (kind in PINNED)


@pytest.mark.parametrize(
    "kind", ["message", "reasoning", "item_reference", "program", "program_output", "agent_message"]
)
def test_an_item_type(kind: str) -> None:
    assert kind in ITEM_TYPES
