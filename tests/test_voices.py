"""Voices: whose words a user message holds, and where a turn begins."""

from __future__ import annotations

import pytest

from faithfold.core.parts import Reading, Text
from faithfold.core.voices import SUMMARY_HEADER, human_texts, turns
from faithfold.dialects import DIALECTS
from faithfold.strategies.notes import note_text
from tests.pieces import fo, res, says, tool, user

HARNESS = [
    ("Claude Code, reminder", "<system-reminder>\nread the files\n</system-reminder>"),
    ("Claude Code, report", "<task-notification><id>1</id>done</task-notification>"),
    ("Claude Code, a command's output", "<local-command-stdout>ok</local-command-stdout>"),
    ("Claude Code, a hook's output", "<user-prompt-submit-hook>ok</user-prompt-submit-hook>"),
    ("Claude Code, interruption", "[Request interrupted by user for tool use]"),
    ("Claude Code, summary", "This session is being continued from a previous conversation that ran out of context."),
    ("Claude Code, its own request for a summary", "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."),
    ("Codex, environment", "<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>"),
    ("Codex, instructions", "<user_instructions>be kind</user_instructions>"),
    ("Codex, the project's instructions", "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
    ("Codex, permissions", "<permissions instructions>ask first</permissions instructions>"),
    ("Codex, interruption", "<turn_aborted>\nthe user interrupted\n</turn_aborted>"),
    ("Codex, summary", "Another language model started to solve this problem and produced a summary."),
    ("Pi, summary", "The conversation history before this point was compacted into the following summary:\n\nx"),
    ("Pi, branch", "The following is a summary of a branch that this conversation came back from:\n\nx"),
    ("a note of ours", note_text(["user: the task", "assistant: done"])),
    ("nothing", " \n "),
]
HUMAN = [
    ("plain words", "fix the bug", "fix the bug"),
    ("words around a reminder", "fix <system-reminder>x</system-reminder> it", "fix it"),
    ("words behind two reminders", "<system-reminder>x</system-reminder><system-reminder>y</system-reminder>go", "go"),
    ("an element with attributes", '<system-reminder id="1">x</system-reminder>go', "go"),
    ("an element that doesn't end", "<system-reminder>x", "<system-reminder>x"),
    ("an element of a like name", "<system-reminders>x</system-reminders>", "<system-reminders>x</system-reminders>"),
    ("an opening further in", f"why do you say '{SUMMARY_HEADER}'?", f"why do you say '{SUMMARY_HEADER}'?"),
]


@pytest.mark.parametrize("words", [words for _, words in HARNESS], ids=[name for name, _ in HARNESS])
def test_a_harness_is_no_human(words: str) -> None:
    assert human_texts(Reading("user", "user", (Text(words),))) == ()


@pytest.mark.parametrize(("words", "said"), [row[1:] for row in HUMAN], ids=[row[0] for row in HUMAN])
def test_a_human_s_words_are_told_from_a_harness_s(words: str, said: str) -> None:
    assert human_texts(Reading("user", "user", (Text(words),))) == (said,)


def test_only_the_user_s_side_speaks_for_the_human() -> None:
    chat, responses = DIALECTS["openai"].read, DIALECTS["openai-responses"].read
    others = [chat(says("x")), chat(tool(1)), chat({"role": "system", "content": "x"}), responses(fo(1))]
    assert [human_texts(reading) for reading in others] == [()] * 4


def test_a_tool_result_is_no_human_but_the_words_beside_it_are() -> None:
    read = DIALECTS["anthropic"].read
    assert human_texts(read(user(res(1, "text of the tool")))) == ()
    assert human_texts(read(user(res(1), {"type": "text", "text": "STEER"}))) == ("STEER",)


@pytest.mark.parametrize(
    ("messages", "bounds"),
    [
        ([], []),
        ([user("a"), says("b"), user("c")], [(0, 2), (2, 3)]),
        ([says("x"), user("a"), says("b")], [(0, 1), (1, 3)]),
        ([user("a"), says("b"), user(res(1)), says("c")], [(0, 4)]),
        ([user(HARNESS[0][1]), user("a")], [(0, 1), (1, 2)]),
        ([says("only"), says("the model")], [(0, 2)]),
    ],
)
def test_turns_begin_at_human_messages(messages: list[object], bounds: list[tuple[int, int]]) -> None:
    found = turns([DIALECTS["anthropic"].read(message) for message in messages])
    assert [(turn.start, turn.stop) for turn in found] == bounds


def test_elements_that_are_never_closed_stay_however_many_there_are() -> None:
    words = "<system-reminder>" * 20_000
    assert human_texts(Reading("user", "user", (Text(words),))) == (words,)


def test_what_a_harness_is_known_to_have_written_begins_no_turn() -> None:
    readings = [
        DIALECTS["anthropic"].read(message) for message in (user("go"), says("ok"), user("a skill"), says("ok"))
    ]
    assert turns(readings, injected={2}) == [range(4)]
    assert turns(readings) == [range(2), range(2, 4)]
