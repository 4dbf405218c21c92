"""Faults that others met with calls and their results, each with its smallest input (spec 70-faults, B001 to B013)."""

from __future__ import annotations

import pytest

from faithfold.compaction import faults
from faithfold.strategies.notes import note_text
from tests.faults.checks import check_cuts, compacted, layout, note
from tests.pieces import (
    BUILT_IN,
    STEPS,
    Wire,
    calls,
    digest_of,
    fc,
    fo,
    folded,
    res,
    rs,
    says,
    session,
    text,
    tool,
    use,
    user,
)


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_the_tail_never_begins_with_a_result(dialect: str) -> None:
    """B001: a cut between a call and its result makes the provider refuse every request from then on."""
    check_cuts(dialect, session(dialect, 8))


@pytest.mark.parametrize("dialect", ["anthropic", "openai", "openai-responses"])
def test_parallel_results_stay_together(dialect: str) -> None:
    """B002: ten results of one message, of which a count of messages would keep six."""
    ten = range(10)
    turns: dict[str, list[object]] = {
        "anthropic": [says(*map(use, ten)), *(user(res(number)) for number in ten)],
        "openai": [calls(*ten), *map(tool, ten)],
        "openai-responses": [rs(0), *map(fc, ten), *map(fo, ten)],
    }
    messages = [user("task"), says("a"), user("b"), *turns[dialect], user("next"), says("c")]
    check_cuts(dialect, messages)
    assert compacted(dialect, messages, 2).messages[2:] == messages[3:]


def test_a_run_of_results_of_which_one_has_no_call() -> None:
    """B003: a result whose call is long gone, in one run with a result that has its call."""
    messages: list[object] = [
        user("t"),
        says("a"),
        user("b"),
        tool(1),
        calls(2),
        tool(1),
        tool(2),
        user("c"),
        says("d"),
    ]
    check_cuts("openai", messages)
    assert layout(compacted("openai", messages)) == "0 N 8"
    assert layout(compacted("openai", messages, 2)) == "0 N 4 5 6 7 8"


def test_a_call_that_was_interrupted_is_left_alone_and_told_when_folded() -> None:
    """B004: the human interrupts; the call never has a result. In the tail it is the client's, older it is folded."""
    messages: list[object] = [user("t"), says(use(7)), user("never mind, do X"), *session("anthropic", 4)[1:]]
    check_cuts("anthropic", messages)
    assert layout(compacted("anthropic", messages)) == "0 N 9 10"
    assert "[Bash] {}\\n\\n---\\n\\nuser: never mind, do X" in note(compacted("anthropic", messages))
    assert compacted("anthropic", messages[:5], 1).messages[-2:] == messages[3:5]


def test_a_call_that_is_answered_late_stays() -> None:
    """B005: a call waits for a person; steps later comes its result. Folding the call would orphan the result."""
    late = [user("t"), says("a"), fc(9), user("b"), *session("openai-responses", 3)[1:], fo(9), says("c"), user("d")]
    check_cuts("openai-responses", late)
    made = compacted("openai-responses", late, 2)
    assert late[2] in made.messages
    assert late[-3] in made.messages


def test_a_late_result_that_nobody_sent_yet_pins_nothing() -> None:
    """B005, before the result is there: nothing tells a call that waits from one that died, and it is folded."""
    waiting: list[object] = [user("t"), fc(9), user("b"), *session("openai-responses", 3)[1:]]
    assert layout(compacted("openai-responses", waiting)) == "0 N 9 10 11"


def test_an_answer_for_the_time_being_leaves_the_final_one_readable() -> None:
    """B006: a tool answers `pending` at once; its outcome comes as another result of the same call."""
    pending, outcome = fo(9, '{"status":"pending"}'), fo(9, '{"status":"done"}')
    messages: list[object] = [user("t"), fc(9), pending, *session("openai-responses", 2)[1:], user("x"), outcome]
    check_cuts("openai-responses", messages)
    made = compacted("openai-responses", messages)
    assert messages[1] in made.messages
    assert pending in made.messages
    assert outcome in made.messages


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_one_call_without_a_result_does_not_freeze_the_cut(dialect: str) -> None:
    """B007: a process died, and its call never had a result. Two hundred steps later the cut must still move on."""
    orphan = STEPS[dialect](999, "x")[:-1]
    messages: list[object] = [user("t"), *orphan, user("go on"), *session(dialect, 200)[1:]]
    made = compacted(dialect, messages, 3)
    assert made.head_len == 1
    assert made.cut == len(messages) - 3 * len(STEPS[dialect](0, ""))
    assert orphan[-1] not in made.messages


def test_both_directions_are_closed_after_every_cut() -> None:
    """B008: a cut inside a run of reasoning, calls and results leaves results without calls, or the reverse."""
    run = [rs(1), fc(1), fc(2), fo(1), fo(2)]
    messages: list[object] = [user("t"), says("a"), user("b"), *run, rs(3), fc(3), fo(3), user("c")]
    check_cuts("openai-responses", messages)
    assert faults(compacted("openai-responses", messages).messages, "openai-responses") == []


CUSTOM: list[Wire] = [
    {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin Patch"},
    {"type": "custom_tool_call_output", "call_id": "c1", "output": "Done!"},
]
SHELL: list[Wire] = [
    {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls"]}},
    {"type": "local_shell_call_output", "call_id": "c1", "output": "a.py"},
]
PATCH: list[Wire] = [
    {"type": "apply_patch_call", "call_id": "c1", "operation": {"type": "delete_file", "path": "a.py"}},
    {"type": "apply_patch_call_output", "call_id": "c1", "status": "completed", "output": "Done!"},
]


@pytest.mark.parametrize(
    ("pair", "field", "shown"),
    [
        (CUSTOM, "input", ["[apply_patch] *** Begin Patch", "result: Done!"]),
        (SHELL, "action", ['[local_shell_call] {"command":["ls"],"type":"exec"}', "result: a.py"]),
        (PATCH, "operation", ['[apply_patch_call] {"path":"a.py","type":"delete_file"}', "result: Done!"]),
    ],
)
def test_every_family_of_calls_is_read_by_its_own_fields(pair: list[Wire], field: str, shown: list[str]) -> None:
    """B009: calls of custom tools, shells and patches have no `arguments`, and results of types of their own."""
    name = "openai-responses"
    messages: list[object] = [user("t"), *pair, says("a"), user("b"), *pair, says("c")]
    check_cuts(name, messages)
    assert [part for item in pair for part in folded(name, item).parts] == shown
    assert digest_of(name, pair[0]) != digest_of(name, pair[0] | {field: "another"})


@pytest.mark.parametrize(
    ("dialect", "step"),
    [
        ("anthropic", [says(use(5)), user(res(5, "a"), res(5, "a again"))]),
        ("openai", [calls(5), tool(5, "a"), tool(5, "a again")]),
        ("openai-responses", [fc(5), fo(5, "a"), fo(5, "a again")]),
    ],
)
def test_a_result_that_came_twice_is_not_multiplied(dialect: str, step: list[object]) -> None:
    """B010: the client sent a result twice. It is its own; no cut keeps one of them and folds the other."""
    messages = [user("t"), says("a"), user("b"), *step, user("c"), says("d"), user("e")]
    check_cuts(dialect, messages)
    assert compacted(dialect, messages, 2).messages[2:] == messages[3:]
    assert note(compacted(dialect, messages)).count("result: a again") == 1


@pytest.mark.parametrize("name", ["call_0", ""])
def test_one_id_for_all_calls(name: str) -> None:
    """B011: a gateway gives every call the same id. Each result belongs to the call right before it."""
    step: list[Wire] = [
        {"role": "assistant", "tool_calls": [{"id": name, "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": name, "content": "done"},
    ]
    messages = [user("t"), *step * 5]
    assert faults(messages, "openai") == []
    check_cuts("openai", messages)
    assert compacted("openai", messages, 2).messages[2:] == messages[7:]
    items = [
        user("t"),
        *[{"type": "function_call", "call_id": name}, {"type": "function_call_output", "call_id": name}] * 5,
    ]
    check_cuts("openai-responses", items)
    assert compacted("openai-responses", items, 2).cut == 7


def test_nothing_is_put_before_the_results_of_a_message() -> None:
    """B012: results must lead the user message. The note is a message of its own, and kept messages are untouched."""
    messages: list[object] = [*session("anthropic", 3), says(use(8)), user(res(8), text("STEER"))]
    check_cuts("anthropic", messages)
    made = compacted("anthropic", messages)
    assert made.messages[-1] is messages[-1]
    assert made.summary == user(note_text([part for message in messages[1:7] for part in shown(message)]))


def shown(message: object) -> list[str]:
    return folded("anthropic", message).parts


def test_no_note_stands_between_a_call_and_its_result() -> None:
    """B013: compaction begins while a call is open; the next one must not keep the first note, least of all there."""
    opened: list[object] = [*session("anthropic", 4), says(use(9))]
    first = compacted("anthropic", opened)
    assert layout(first) == "0 N 9"
    grown = [*first.messages, user(res(9)), *session("anthropic", 3)[1:]]
    check_cuts("anthropic", grown)
    second = compacted("anthropic", grown)
    assert first.summary not in second.messages
    between = [*opened, first.summary, user(res(9)), says("a")]
    assert layout(compacted("anthropic", between)) == "0 N 12"
    assert "earlier note" in compacted("anthropic", between).projection.dropped[10]
