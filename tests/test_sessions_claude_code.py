"""Claude Code sessions: lines put together into the messages that the API took."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.errors import InputError
from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions import Problem, parse
from tests.pieces import res, says, text, use, user
from tests.session_files import JSON, claude_line, model_line, read, user_line

HI = user_line("u", None, "hi")


def test_a_message_is_its_role_and_its_content() -> None:
    found = read(HI, model_line("a", "u", text("yes")), user_line("v", "a", [text("go")], isMeta=True))
    assert found.messages == [user("hi"), says(text("yes")), user(text("go"))]
    assert (found.agent, found.dialect, found.body, found.model) == ("claude", "anthropic", None, "opus")
    assert (found.problems, found.conversations, found.picked) == ((), 1, 1)


def test_what_a_result_line_says_besides_follows_the_results() -> None:
    lines = [
        model_line("a", "u", use("1"), use("2")),
        user_line("r1", "a", [text("Stop that."), res("1")]),
        user_line("r2", "r1", [res("2")]),
    ]
    assert read(HI, *lines).messages[2:] == [user(res("1"), res("2"), text("Stop that."))]


def test_one_line_with_results_of_two_messages_is_said_once() -> None:
    lines = [
        model_line("a", "u", use("1")),
        model_line("b", "a", use("2")),
        user_line("r", "b", [res("1"), res("2"), text("Both.")]),
    ]
    assert read(HI, *lines).messages[1:] == [
        says(use("1")),
        user(res("1"), text("Both.")),
        says(use("2")),
        user(res("2")),
    ]


def test_a_second_result_of_the_same_call_is_left_out() -> None:
    lines = [model_line("a", "u", use("1")), user_line("r", "a", [res("1")]), user_line("s", "r", [res("1", "again")])]
    assert read(HI, *lines).messages[1:] == [says(use("1")), user(res("1"))]


def test_a_replayed_line_counts_once() -> None:
    answer = model_line("a", "u", use("1"), of="m")
    again = model_line("a2", "a", use("1"), of="m")
    assert read(HI, answer, HI, answer, again).messages == [user("hi"), says(use("1"))]


def test_a_call_that_is_replayed_later_is_asked_and_answered_once() -> None:
    lines = [
        model_line("a", "u", use("1"), of="m"),
        user_line("r", "a", [res("1")]),
        user_line("v", "r", "go on"),
        model_line("b", "v", use("1"), text("I go on."), of="m"),
    ]
    assert read(HI, *lines).messages[1:] == [
        says(use("1")),
        user(res("1")),
        user("go on"),
        says(text("I go on.")),
    ]


def test_a_text_that_is_said_twice_is_said_twice() -> None:
    lines = [model_line("a", "u", text("Next."), of="m"), model_line("b", "a", text("Next."), use("1"), of="m")]
    assert read(HI, *lines).messages[1] == says(text("Next."), text("Next."), use("1"))


def test_an_interrupted_call_stays_as_it_was() -> None:
    lines = [model_line("a", "u", use("1")), user_line("v", "a", [text("[Request interrupted by user for tool use]")])]
    found = read(HI, *lines)
    assert found.messages[1:] == [
        says(use("1")),
        user(text("[Request interrupted by user for tool use]")),
    ]
    assert found.problems == ()


@pytest.mark.parametrize("orphan", [res("gone"), {"type": "tool_result", "content": "x"}])
def test_a_result_without_its_call_is_left_out_and_named(orphan: JSON) -> None:
    found = read(user_line("r", None, [orphan, text("and more")]), model_line("a", "r", text("yes")))
    assert found.messages == [user(text("and more")), says(text("yes"))]
    assert found.problems == (Problem(1, "a tool result without its call"),)


def test_an_edited_message_starts_a_new_branch() -> None:
    lines = [model_line("a", "u", text("one")), user_line("v", "a", "dead end"), model_line("b", "v", text("two"))]
    assert read(HI, *lines, user_line("w", "a", "go")).messages == [
        user("hi"),
        says(text("one")),
        user("go"),
    ]


def test_sub_agents_are_left_out() -> None:
    lines = [
        model_line("a", "u", use("1")),
        user_line("s", None, "sub task", isSidechain=True),
        model_line("t", "s", text("sub answer"), isSidechain=True),
        user_line("r", "a", [res("1")]),
        user_line("x", "t", "sub again", isSidechain=True),
    ]
    assert read(HI, *lines).messages == [user("hi"), says(use("1")), user(res("1"))]


def test_a_file_of_a_sub_agent_alone_is_read() -> None:
    lines = [user_line("s", None, "task", isSidechain=True), model_line("t", "s", text("answer"), isSidechain=True)]
    assert read(*lines).messages == [user("task"), says(text("answer"))]


NO_MESSAGES: list[JSON] = [
    {"type": "summary", "summary": "Old title", "leafUuid": "x"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
    {"type": "permission-mode", "permissionMode": "default", "sessionId": "s"},
    {"type": "last-prompt", "lastPrompt": "hi", "sessionId": "s"},
    {"type": "pr-link", "prNumber": 1, "sessionId": "s"},
    {"type": "never seen before"},
    {"silly": "this"},
]


def test_lines_that_are_no_messages_are_skipped_but_keep_the_chain_whole() -> None:
    chain = [
        claude_line("progress", "p", None, data={}),
        user_line("u", "p", "hi"),
        claude_line("attachment", "t", "u", attachment={"type": "todo_reminder", "content": []}),
        claude_line("system", "y", "t", subtype="turn_duration"),
        claude_line("system", "z", "y", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": []}),
        model_line("a", "z", text("yes")),
    ]
    found = read(*NO_MESSAGES, *chain, *NO_MESSAGES)
    assert (found.messages, found.problems) == ([user("hi"), says(text("yes"))], ())


def test_of_a_replayed_line_the_readable_one_counts() -> None:
    lines = [
        claude_line("user", "v", "u", message="error"),
        user_line("v", "u", "mended"),
        model_line("a", "v", text("yes")),
    ]
    assert read(HI, *lines).messages[1] == user("mended")


def test_of_two_readable_replays_the_first_counts() -> None:
    lines = [user_line("v", "u", "as it was"), model_line("a", "v", text("yes")), user_line("v", "a", "hung elsewhere")]
    assert read(HI, *lines).messages == [user("hi"), user("as it was"), says(text("yes"))]


def test_a_result_on_the_live_branch_goes_before_one_on_a_branch_that_was_left() -> None:
    lines = [
        model_line("a", "u", use("1")),
        user_line("r", "a", [res("1", "left")]),
        user_line("s", "a", [res("1", "live")]),
        model_line("b", "s", text("ok")),
    ]
    assert read(HI, *lines).messages[2] == user(res("1", "live"))


def test_a_bad_line_in_the_middle_costs_only_itself() -> None:
    lines = [HI, model_line("a", "u", text("lost")), user_line("v", "a", "more"), model_line("b", "v", text("yes"))]
    data = [json.dumps(each) for each in lines]
    data[1] = data[1][:60]
    found = parse("\n".join(data).encode())
    assert found.messages == [user("hi"), user("more"), says(text("yes"))]
    assert [problem.line for problem in found.problems] == [2]


def test_lines_that_are_no_objects_are_named() -> None:
    found = parse(b"\n".join([json.dumps(HI).encode(), b'"massive error"', b"42", b"[1]"]))
    assert [(each.line, each.why) for each in found.problems] == [(number, "no JSON object") for number in (2, 3, 4)]


def test_a_file_whose_links_lead_nowhere_is_read_in_file_order() -> None:
    lines = [HI, model_line("a", None, use("1")), user_line("r", "gone", [res("1")]), model_line("b", None, text("ok"))]
    assert read(*lines).messages == [
        user("hi"),
        says(use("1")),
        user(res("1")),
        says(text("ok")),
    ]


def test_a_stream_of_messages_without_ids_is_read_in_file_order() -> None:
    def event(kind: str, content: object, parent: str | None = None) -> JSON:
        message = {"role": kind, "content": content}
        return {"type": kind, "message": message, "parent_tool_use_id": parent, "session_id": "s"}

    found = read(
        {"type": "system", "subtype": "init", "session_id": "s"},
        event("assistant", [use("1")]),
        event("user", "sub task", "toolu_1"),
        event("user", [res("1")]),
        {"type": "result", "subtype": "success", "session_id": "s"},
    )
    assert found.messages == [says(use("1")), user(res("1"))]


def test_a_session_without_messages_is_refused() -> None:
    with pytest.raises(InputError, match="this Claude Code session holds no messages"):
        read(*NO_MESSAGES)


KEYS = st.sampled_from("abcdefgh")
BLOCKS = st.lists(st.builds(use, KEYS) | st.builds(res, KEYS) | st.builds(text, KEYS), max_size=3)


@st.composite
def sessions(draw: st.DrawFn) -> list[JSON]:
    """Lines with few names, so that links, message ids, calls and results often meet, also where they should not."""
    lines: list[JSON] = []
    for _ in range(draw(st.integers(1, 8))):
        key, parent = draw(KEYS), draw(st.none() | KEYS)
        flags = draw(
            st.fixed_dictionaries({}, optional={"isCompactSummary": st.booleans(), "isSidechain": st.booleans()})
        )
        if draw(st.booleans()):
            lines.append(user_line(key, parent, draw(BLOCKS), **flags))
        else:
            lines.append(model_line(key, parent, *draw(BLOCKS), of=draw(KEYS), **flags))
    return lines


def ids(message: object, kind: str, name: str) -> list[str]:
    """The ids under `name` of a message's blocks of one kind."""
    content = as_list(as_object(message).get("content"))
    return [as_text(as_object(block).get(name)) for block in content if as_object(block).get("type") == kind]


@given(sessions(), st.booleans())
def test_results_follow_their_calls_directly_and_once(lines: list[JSON], everything: bool) -> None:
    try:
        messages = read(*lines, everything=everything).messages
    except InputError:
        return
    for before, message in zip([None, *messages], messages, strict=False):
        if as_object(message)["role"] == "user":
            results = ids(message, "tool_result", "tool_use_id")
            assert set(results) <= set(ids(before, "tool_use", "id"))
            assert len(results) == len(set(results))
