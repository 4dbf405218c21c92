"""Pi sessions of all three versions: the path to the newest entry, with the newest compaction's summary in front."""

from __future__ import annotations

import json

import pytest

from faithfold.core.errors import InputError
from faithfold.sessions import Problem, parse
from tests.session_files import JSON, pi_line, read

HEADER: JSON = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/repo"}
HEADER_V1: JSON = {"type": "session", "id": "s", "timestamp": "t", "cwd": "/repo"}


def user(text: str) -> JSON:
    return {"role": "user", "content": text, "timestamp": 1}


def assistant(text: str, model: str = "opus") -> JSON:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "model": model, "stopReason": "stop"}


def said(name: str, parent: str | None, message: object) -> JSON:
    return pi_line("message", name, parent, message=message)


def summarised(opening: str, summary: str) -> JSON:
    text = f"{opening}\n\n<summary>\n{summary}\n</summary>"
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def compacted(summary: str) -> JSON:
    return summarised(
        "The conversation history before this point was compacted into the following summary:",
        summary,
    )


def test_messages_come_as_they_stand_in_the_file() -> None:
    tool_result: JSON = {"role": "toolResult", "toolCallId": "c", "content": [], "isError": False}
    shell: JSON = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}
    found = read(
        HEADER,
        said("1", None, user("hi")),
        said("2", "1", assistant("yes")),
        said("3", "2", tool_result),
        said("4", "3", shell),
    )
    assert found.messages == [user("hi"), assistant("yes"), tool_result, shell]
    assert (found.agent, found.dialect, found.model, found.problems) == ("pi", "pi", "opus", ())


def test_only_the_newest_branch_counts() -> None:
    found = read(HEADER, said("1", None, user("hi")), said("2", "1", user("dead end")), said("3", "1", user("go")))
    assert found.messages == [user("hi"), user("go")]


def test_entries_that_add_context_and_entries_that_do_not() -> None:
    blocks = [{"type": "text", "text": "note"}]
    found = read(
        HEADER,
        said("1", None, user("hi")),
        pi_line("custom_message", "2", "1", customType="x", content="told", display=True),
        pi_line("custom_message", "3", "2", customType="x", content=blocks, display=False),
        pi_line("custom_message", "4", "3", customType="x", content=None),
        pi_line("branch_summary", "5", "4", fromId="9", summary="Tried it."),
        pi_line("branch_summary", "6", "5", fromId="9", summary=""),
        pi_line("custom", "7", "6", customType="x", data={}),
        pi_line("label", "8", "7", targetId="1", label="l"),
        pi_line("session_info", "9", "8", name="n"),
        pi_line("thinking_level_change", "a", "9", thinkingLevel="off"),
    )
    branch = summarised("The following is a summary of a branch that this conversation came back from:", "Tried it.")
    told = [{"role": "user", "content": "told"}, {"role": "user", "content": blocks}]
    assert found.messages == [user("hi"), *told, branch]


def test_the_model_is_the_last_one_chosen_or_used() -> None:
    chosen = pi_line("model_change", "3", "2", provider="p", modelId="kimi")
    lines = (HEADER, said("1", None, user("hi")), said("2", "1", assistant("yes", "opus")))
    assert read(*lines, chosen).model == "kimi"
    assert read(*lines, chosen, said("4", "3", assistant("no", "glm"))).model == "glm"


OLD = [said("1", None, user("old")), said("2", "1", assistant("mid")), said("3", "2", user("kept"))]

KEPT: dict[str, tuple[JSON, list[JSON]]] = {
    "from the entry that it names": ({"firstKeptEntryId": "3"}, [user("kept")]),
    "everything": ({"firstKeptEntryId": "1"}, [user("old"), assistant("mid"), user("kept")]),
    "nothing, when it names none": ({}, []),
    "nothing, when that is not there": ({"firstKeptEntryId": "gone"}, []),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_compaction_kept(name: str) -> None:
    fields, kept = KEPT[name]
    lines = (HEADER, *OLD, pi_line("compaction", "4", "3", summary="S", **fields), said("5", "4", user("new")))
    assert read(*lines).messages == [compacted("S"), *kept, user("new")]
    assert read(*lines, everything=True).messages == [user("old"), assistant("mid"), user("kept"), user("new")]


def test_of_two_compactions_the_newest_counts_and_neither_is_a_message() -> None:
    lines = (
        HEADER,
        *OLD,
        pi_line("compaction", "4", "3", summary="first", firstKeptEntryId="3"),
        said("5", "4", user("between")),
        pi_line("compaction", "6", "5", summary="second", firstKeptEntryId="3"),
    )
    assert read(*lines).messages == [compacted("second"), user("kept"), user("between")]


def test_version_1_is_a_plain_list_and_counts_the_kept_entry_in_lines() -> None:
    old = [{"type": "message", "timestamp": "t", "message": user(text)} for text in ("one", "two", "three")]
    compaction = {"type": "compaction", "timestamp": "t", "summary": "S", "firstKeptEntryIndex": 2}
    new = {"type": "message", "timestamp": "t", "message": user("new")}
    assert read(HEADER_V1, *old, compaction, new).messages == [
        compacted("S"),
        user("two"),
        user("three"),
        user("new"),
    ]
    far = {**compaction, "firstKeptEntryIndex": 99}
    assert read(HEADER_V1, *old, far, new).messages == [compacted("S"), user("new")]


def test_version_2_keeps_its_old_role() -> None:
    hook = {"role": "hookMessage", "customType": "x", "content": "from a hook", "display": True}
    assert read({**HEADER, "version": 2}, said("1", None, hook)).messages == [hook]


def test_a_glued_compaction_counts() -> None:
    """Two appends without a newline between them: the second object is the compaction."""
    glued = json.dumps(OLD[2]) + json.dumps(pi_line("compaction", "4", "3", summary="S", firstKeptEntryId="3"))
    lines = [json.dumps(HEADER), json.dumps(OLD[0]), json.dumps(OLD[1]), glued]
    found = parse("\n".join(lines).encode())
    assert found.messages == [compacted("S"), user("kept")]
    assert found.problems == ()


def test_a_bad_line_in_the_middle_costs_only_itself() -> None:
    lines = [json.dumps(HEADER), json.dumps(OLD[0]), json.dumps(OLD[1])[:30], json.dumps(OLD[2])]
    found = parse("\n".join(lines).encode())
    assert found.messages == [user("old"), user("kept")]
    assert [problem.line for problem in found.problems] == [3]


def test_a_lost_header_does_not_hide_the_session() -> None:
    assert read(said("1", "0", user("hi"))).agent == "pi"


def test_a_message_entry_without_a_message_is_named() -> None:
    found = read(HEADER, said("1", None, user("hi")), said("2", "1", "oops"))
    assert (found.messages, found.problems) == ([user("hi")], (Problem(3, "a message entry without a message"),))


WITHOUT_AN_ID: dict[str, tuple[list[JSON], list[JSON]]] = {
    "the newest entry": ([*OLD, {"type": "message", "message": user("new")}], [*OLD, {"message": user("new")}]),
    "one that says it is a root": (
        [*OLD, {"type": "message", "parentId": None, "message": user("new")}],
        [*OLD, {"message": user("new")}],
    ),
    "one that others follow": (
        [OLD[0], {"type": "message", "parentId": "1", "message": user("mid")}, said("3", "2", user("kept"))],
        [OLD[0], {"message": user("mid")}, said("3", "2", user("kept"))],
    ),
    "one that nothing follows": (
        [OLD[0], {"type": "message", "parentId": "1", "message": user("left")}, said("2", "1", user("went on"))],
        [OLD[0], said("2", "1", user("went on"))],
    ),
}


@pytest.mark.parametrize("name", WITHOUT_AN_ID)
def test_an_entry_without_an_id_takes_its_place_in_the_file_and_is_named(name: str) -> None:
    lines, path = WITHOUT_AN_ID[name]
    found = read(HEADER, *lines)
    assert found.messages == [entry["message"] for entry in path]
    assert [problem.why for problem in found.problems] == ["a message entry without an id"]


def test_an_entry_that_is_no_context_needs_no_id() -> None:
    found = read(HEADER, OLD[0], {"type": "label", "label": "l"}, said("2", "1", user("new")))
    assert (found.messages, found.problems) == ([user("old"), user("new")], ())


def test_an_entry_without_a_parent_follows_the_one_before() -> None:
    orphan = {"type": "message", "id": "2", "message": user("new")}
    assert read(HEADER, OLD[0], orphan).messages == [user("old"), user("new")]


def test_a_command_that_was_kept_from_the_model_is_no_context() -> None:
    shell: JSON = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0}
    secret: JSON = {**shell, "excludeFromContext": True}
    lines = (HEADER, OLD[0], said("2", "1", secret), said("3", "2", shell), said("4", "3", user("new")))
    for everything in (False, True):
        found = read(*lines, everything=everything)
        assert (found.messages, found.problems) == ([user("old"), shell, user("new")], ())


@pytest.mark.parametrize("lines", [(HEADER,), (HEADER_V1,), (HEADER, pi_line("label", "1", None))])
def test_a_session_without_messages_is_refused(lines: tuple[JSON, ...]) -> None:
    with pytest.raises(InputError, match="this Pi session holds no messages"):
        read(*lines)
