"""Faults that others met with thinking and reasoning (spec 70-faults, B022 to B030)."""

from __future__ import annotations

import copy
import json

import pytest

from faithfold.compaction import faults
from tests.faults.checks import check_cuts, compacted, layout, note
from tests.pieces import Wire, calls, digest_of, fc, fo, folded, res, rs, says, session, text, think, tool, use, user

SIGNED = says(think("a long thought", "SIG"), text("I run it"), use(1))
STEP = [SIGNED, user(res(1))]


def test_kept_thinking_is_the_same_to_the_byte() -> None:
    """B022: a signed block that is trimmed, sorted or cleaned is refused."""
    messages: list[object] = [*session("anthropic", 4), *STEP]
    before = copy.deepcopy(messages)
    made = compacted("anthropic", messages)
    assert made.messages[-2] is SIGNED
    assert json.dumps(messages) == json.dumps(before)


def test_signatures_never_enter_the_note() -> None:
    """B022: only the text of a thought is told, never its seal."""
    messages: list[object] = [
        user("t"),
        *STEP,
        says({"type": "redacted_thinking", "data": "SEALED"}),
        user("a"),
        says("b"),
    ]
    told = note(compacted("anthropic", messages))
    assert "thinking: a long thought" in told
    assert "SIG" not in told
    assert "SEALED" not in told


def test_interleaved_blocks_keep_their_order() -> None:
    """B023: thinking, text, thinking, call: in the tail as they are, in the note as text."""
    model = says(think("a", "s1"), text("said"), think("b", "s2"), use(1))
    assert compacted("anthropic", [*session("anthropic", 3), model, user(res(1))]).messages[-2] is model
    assert folded("anthropic", model).parts == ["thinking: a\nb\nassistant: said\n[Bash] {}"]


@pytest.mark.parametrize("broken", [{"type": "thinking", "thinking": "partial"}, think("partial", "")])
def test_thinking_without_a_signature_is_forwarded_as_it_came(broken: Wire) -> None:
    """B024: an aborted stream leaves an unsigned thought. Nothing is invented for it."""
    model = says(broken, use(1))
    messages: list[object] = [*session("anthropic", 3), model, user(res(1))]
    check_cuts("anthropic", messages)
    assert compacted("anthropic", messages).messages[-2] is model


def test_another_model_s_signature_makes_no_other_message() -> None:
    """B025: signatures belong to a model and an account; they are no part of what a message says."""
    assert digest_of("anthropic", says(think("a", "X"))) == digest_of("anthropic", says(think("a", "Y")))


def test_an_open_thinking_turn_is_cut_at_its_steps_only() -> None:
    """B026: one turn of thought and tools, longer than the window, is cut inside; each step is whole."""
    turn = [step for number in range(6) for step in (says(think("hm"), use(number)), user(res(number)))]
    messages: list[object] = [user("t"), *turn]
    check_cuts("anthropic", messages)
    assert layout(compacted("anthropic", messages, 2)) == "0 N 9 10 11 12"


def test_a_thinking_step_over_several_messages_is_never_parted() -> None:
    """B026: a client sends one turn of the model as several messages."""
    step: list[object] = [says(think("hm")), says(text("so")), says(use(1)), user(res(1))]
    messages: list[object] = [user("t"), says("a"), user("b"), *step, says("c"), user("d")]
    check_cuts("anthropic", messages)
    assert layout(compacted("anthropic", messages, 2)) == "0 N 3 4 5 6 7 8"
    assert layout(compacted("anthropic", messages, 1)) == "0 N 7 8"


def test_reasoning_and_what_it_belongs_to_stay_together() -> None:
    """B027: a reasoning item alone, or a call without the reasoning before it, is refused."""
    run: list[object] = [rs(3), fc(3), rs(4), fc(4), fo(3), fo(4)]
    messages: list[object] = [user("t"), says("a"), user("b"), *run, user("c"), rs(5), says("d"), user("e")]
    check_cuts("openai-responses", messages)
    assert layout(compacted("openai-responses", messages, 2)) == "0 N 3 4 5 6 7 8 9 10 11 12"


def test_readable_reasoning_stays_with_its_step() -> None:
    """B028: some providers want `reasoning_content` back with the calls that it led to."""
    step = [calls(1) | {"reasoning_content": "why"}, tool(1)]
    messages: list[object] = [*session("openai", 3), *step]
    assert compacted("openai", messages).messages[-2:] == step
    told = [user("t"), *step, says("a"), user("b"), says("c")]
    assert "thinking: why\\n[run]" in note(compacted("openai", told))
    assert digest_of("openai", step[0]) != digest_of("openai", step[0] | {"reasoning_content": "why not"})


def test_no_id_is_added() -> None:
    """B029: an id that the server has no more is refused. The note has none, and kept items are the client's."""
    messages = session("openai-responses", 5)
    made = compacted("openai-responses", messages)
    assert '"id"' not in note(made)
    assert all(any(message is other for other in [*messages, made.summary]) for message in made.messages)


def test_what_stands_beside_a_call_stays_with_it() -> None:
    """B030: a thought's signature beside the call: kept untouched, gone with its step, never without it."""
    beside = {"extra_content": {"google": {"thought_signature": "SIG"}}}
    call: Wire = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}, **beside}
    step: list[Wire] = [{"role": "assistant", "tool_calls": [call]}, tool(1)]
    kept = compacted("openai", [*session("openai", 3), *step])
    assert kept.messages[-2] is step[0]
    gone = compacted("openai", [user("t"), *step, says("a"), user("b"), says("c")])
    assert "SIG" not in json.dumps(gone.messages)
    assert faults(gone.messages, "openai") == []
