"""Codex rollouts: the model's history is the response items, less what a compaction or a rollback took away."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from faithfold.core.errors import InputError
from faithfold.sessions import Problem
from tests.session_files import JSON, codex_line, read


def item(payload: object) -> JSON:
    return codex_line("response_item", payload)


def message(role: str, text: str) -> JSON:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call(name: str) -> JSON:
    return {"type": "function_call", "id": "fc", "call_id": name, "name": "shell", "arguments": "{}"}


def output(name: str) -> JSON:
    return {"type": "function_call_output", "call_id": name, "output": {"text": "done"}}


META = codex_line("session_meta", {"id": "s", "cwd": "/repo"})


def test_the_items_come_as_they_stand_in_the_file() -> None:
    thought: JSON = {"type": "reasoning", "summary": [], "encrypted_content": "x"}
    items = [message("user", "list"), thought, call("1")]
    found = read(META, *map(item, items), item(output("1")))
    assert found.messages == [*items, output("1")]
    assert (found.agent, found.dialect, found.body, found.problems) == ("codex", "openai-responses", None, ())


def test_lines_that_only_mirror_or_describe_are_skipped() -> None:
    others = [
        codex_line("event_msg", {"type": "user_message", "message": "list"}),
        codex_line("event_msg", {"type": "token_count", "info": None}),
        codex_line("world_state", {"full": True}, ordinal=3),
        codex_line("inter_agent_communication_metadata", {"trigger_turn": False}),
        codex_line("some_new_kind", {"type": "message", "role": "user", "content": []}),
        item({"type": "ghost_snapshot", "ghost_commit": {"id": "c"}}),
        item({"role": "user"}),
    ]
    assert read(META, item(message("user", "list")), *others).messages == [message("user", "list")]


def test_the_model_is_the_last_one_that_a_turn_names() -> None:
    turns = [codex_line("turn_context", {"model": name}) for name in ("gpt-a", "gpt-b")]
    assert read(META, *turns, codex_line("turn_context", {}), item(message("user", "hi"))).model == "gpt-b"


BEFORE = [message("developer", "rules"), message("user", "old"), message("assistant", "yes"), call("1"), output("1")]
AFTER = message("user", "new")
REPLACED: list[object] = [message("user", "old"), {"type": "compaction", "encrypted_content": "x"}]
SUMMARY = message("user", "Summary of it.")

COMPACTIONS: dict[str, tuple[JSON, Sequence[object]]] = {
    "a replacement stands for all before it": ({"message": "", "replacement_history": REPLACED}, REPLACED),
    "a replacement without the work tree's snapshot": (
        {"message": "", "replacement_history": [{"type": "ghost_snapshot"}, *REPLACED]},
        REPLACED,
    ),
    "an empty replacement is one": ({"message": "x", "replacement_history": []}, []),
    "a summary alone: what was told stays, and the summary": (
        {"message": "Summary of it.", "replacement_history": None},
        [BEFORE[0], BEFORE[1], SUMMARY],
    ),
    "neither: nothing is known to be gone": ({"message": ""}, BEFORE),
    "a payload that is none": ({}, BEFORE),
}


@pytest.mark.parametrize("name", COMPACTIONS)
def test_a_compaction(name: str) -> None:
    payload, expected = COMPACTIONS[name]
    lines = (META, *map(item, BEFORE), codex_line("compacted", payload), item(AFTER))
    assert read(*lines).messages == [*expected, AFTER]
    assert read(*lines, everything=True).messages == [*BEFORE, AFTER]


def test_the_newest_compaction_counts() -> None:
    newest = [message("user", "newest")]
    compactions = [codex_line("compacted", {"message": "", "replacement_history": each}) for each in (REPLACED, newest)]
    assert read(META, item(BEFORE[1]), compactions[0], item(AFTER), compactions[1]).messages == newest


CONTEXT = [message("developer", "rules"), message("user", "<environment_context>here</environment_context>")]
TURNS = [message("user", "one"), message("assistant", "1"), message("user", "two"), message("assistant", "2")]

ROLLBACKS: dict[str, tuple[object, list[JSON]]] = {
    "one turn": (1, [*CONTEXT, *TURNS[:2]]),
    "all turns": (2, CONTEXT),
    "more turns than there are": (9, CONTEXT),
    "no turn": (0, [*CONTEXT, *TURNS]),
    "no number": ("1", [*CONTEXT, *TURNS]),
}


@pytest.mark.parametrize("name", ROLLBACKS)
def test_a_rollback_takes_the_newest_turns_back(name: str) -> None:
    turns, expected = ROLLBACKS[name]
    event = codex_line("event_msg", {"type": "thread_rolled_back", "num_turns": turns})
    lines = (META, *map(item, [*CONTEXT, *TURNS]), event)
    assert read(*lines).messages == expected
    assert read(*lines, everything=True).messages == expected


def test_a_rollback_before_any_turn_changes_nothing() -> None:
    event = codex_line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    assert read(META, *map(item, CONTEXT), event).messages == CONTEXT


def test_an_old_rollout_holds_the_items_on_the_lines_themselves() -> None:
    header: JSON = {"id": "s", "timestamp": "2025-06-01T00:00:00Z", "instructions": None, "git": {}}
    items = [message("user", "list"), call("1"), output("1")]
    state = {"record_type": "state"}
    assert read(header, state, items[0], state, *items[1:]).messages == items
    assert read(*items, state).agent == "codex"


def test_a_line_without_its_item_is_named() -> None:
    found = read(META, item(message("user", "hi")), codex_line("response_item", None))
    assert found.problems == (Problem(3, "a response_item line without an item"),)


def test_a_message_needs_no_type() -> None:
    bare: list[JSON] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]
    replaced = codex_line("compacted", {"message": "", "replacement_history": bare})
    header: JSON = {"id": "s", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}
    for lines in ((META, *map(item, bare)), (META, item(AFTER), replaced), (header, *bare)):
        found = read(*lines)
        assert (found.messages, found.problems) == (bare, ())


def test_a_message_without_a_type_is_told_and_taken_back_like_any_other() -> None:
    bare: list[JSON] = [{"role": "user", "content": "<environment_context>x"}, {"role": "user", "content": "hi"}]
    rollback = codex_line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    assert read(META, *map(item, bare), rollback).messages == bare[:1]
    summary = codex_line("compacted", {"message": "Summary of it."})
    assert read(META, *map(item, bare), summary).messages == [*bare, SUMMARY]


@pytest.mark.parametrize("odd", [{}, {"role": "user"}, {"content": "hi"}, {"type": "", "call_id": "1"}, "text"])
def test_what_is_no_item_is_left_out_and_named(odd: object) -> None:
    found = read(META, item(AFTER), item(odd))
    assert (found.messages, found.problems) == ([AFTER], (Problem(3, "a response_item line without an item"),))
    lines = (META, codex_line("compacted", {"message": "", "replacement_history": [AFTER, odd]}), item(AFTER))
    problems = (Problem(2, "a compacted line with something that is no item"),)
    assert (read(*lines).messages, read(*lines).problems) == ([AFTER, AFTER], problems)
    assert read(*lines, everything=True).problems == problems


def test_a_rollout_without_items_is_refused() -> None:
    with pytest.raises(InputError, match="this Codex session holds no messages"):
        read(META)
