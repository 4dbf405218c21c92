"""Claude Code sessions: lines put together into the messages that the API took."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.errors import InputError
from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions import Problem, Transcript, parse

JSON = dict[str, object]


def read(*lines: object, everything: bool = False) -> Transcript:
    return parse("\n".join(json.dumps(each) for each in lines).encode(), everything=everything)


def text(words: str) -> JSON:
    return {"type": "text", "text": words}


def call(name: str) -> JSON:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {}}


def result(name: str, words: str = "done") -> JSON:
    return {"type": "tool_result", "tool_use_id": name, "content": words}


def line(kind: str, key: str, parent: str | None, **fields: object) -> JSON:
    shared = {"sessionId": "s", "isSidechain": False, "userType": "external", "version": "2.1.0", "cwd": "/repo"}
    return {"parentUuid": parent, **shared, "type": kind, "uuid": key, **fields}


def user(key: str, parent: str | None, content: object, **fields: object) -> JSON:
    return line("user", key, parent, message={"role": "user", "content": content}, **fields)


def model(key: str, parent: str | None, *blocks: object, of: str = "", **fields: object) -> JSON:
    message: JSON = {"id": of or f"msg_{key}", "role": "assistant", "model": "opus", "content": [*blocks], "usage": {}}
    return line("assistant", key, parent, message=message, **fields)


def said(role: str, *content: object) -> JSON:
    return {"role": role, "content": [*content]}


def asked(words: str) -> JSON:
    return {"role": "user", "content": words}


HI = user("u", None, "hi")


def test_a_message_is_its_role_and_its_content() -> None:
    found = read(HI, model("a", "u", text("yes")), user("v", "a", [text("go")], isMeta=True))
    assert found.messages == [asked("hi"), said("assistant", text("yes")), said("user", text("go"))]
    assert (found.agent, found.dialect, found.body, found.model) == ("claude", "anthropic", None, "opus")
    assert (found.problems, found.conversations, found.picked) == ((), 1, 1)


def test_lines_of_one_api_message_are_one_message() -> None:
    thinking = {"type": "thinking", "thinking": "", "signature": "sig"}
    lines = [
        model("a", "u", thinking, of="m"),
        model("b", "a", text("I look."), of="m"),
        model("c", "b", call("1"), of="m"),
        user("r", "c", [result("1")]),
        model("d", "r", text("Done."), of="n"),
    ]
    assert read(HI, *lines).messages == [
        asked("hi"),
        said("assistant", thinking, text("I look."), call("1")),
        said("user", result("1")),
        said("assistant", text("Done.")),
    ]


def test_parallel_calls_get_their_results_though_the_path_misses_them() -> None:
    """The second call follows the first, each result follows its own call, and the next message one of the results."""
    lines = [
        model("a", "u", call("1"), of="m"),
        model("b", "a", call("2"), of="m"),
        model("c", "b", call("3"), of="m"),
        user("r2", "b", [result("2")]),
        user("r3", "c", [result("3")]),
        user("r1", "a", [result("1")]),
    ]
    expected = [asked("hi"), said("assistant", call("1"), call("2"), call("3"))]
    results = said("user", result("1"), result("2"), result("3"))
    for follower in ("r1", "r2", "r3"):
        next_line = model("d", follower, text("Done."))
        assert read(HI, *lines, next_line).messages == [*expected, results, said("assistant", text("Done."))]
    assert read(HI, *lines).messages == [*expected, results]


def test_results_that_come_between_the_lines_of_their_message_follow_it() -> None:
    lines = [
        model("a", "u", call("1"), of="m"),
        user("r1", "a", [result("1")]),
        model("b", "r1", call("2"), of="m"),
        user("r2", "b", [result("2")]),
    ]
    assert read(HI, *lines).messages == [
        asked("hi"),
        said("assistant", call("1"), call("2")),
        said("user", result("1"), result("2")),
    ]


def test_what_a_result_line_says_besides_follows_the_results() -> None:
    lines = [
        model("a", "u", call("1"), call("2")),
        user("r1", "a", [text("Stop that."), result("1")]),
        user("r2", "r1", [result("2")]),
    ]
    assert read(HI, *lines).messages[2:] == [said("user", result("1"), result("2"), text("Stop that."))]


def test_one_line_with_results_of_two_messages_is_said_once() -> None:
    lines = [
        model("a", "u", call("1")),
        model("b", "a", call("2")),
        user("r", "b", [result("1"), result("2"), text("Both.")]),
    ]
    assert read(HI, *lines).messages[1:] == [
        said("assistant", call("1")),
        said("user", result("1"), text("Both.")),
        said("assistant", call("2")),
        said("user", result("2")),
    ]


def test_a_second_result_of_the_same_call_is_left_out() -> None:
    lines = [model("a", "u", call("1")), user("r", "a", [result("1")]), user("s", "r", [result("1", "again")])]
    assert read(HI, *lines).messages[1:] == [said("assistant", call("1")), said("user", result("1"))]


def test_a_replayed_line_counts_once() -> None:
    answer = model("a", "u", call("1"), of="m")
    again = model("a2", "a", call("1"), of="m")
    assert read(HI, answer, HI, answer, again).messages == [asked("hi"), said("assistant", call("1"))]


def test_an_interrupted_call_stays_as_it_was() -> None:
    lines = [model("a", "u", call("1")), user("v", "a", [text("[Request interrupted by user for tool use]")])]
    found = read(HI, *lines)
    assert found.messages[1:] == [
        said("assistant", call("1")),
        said("user", text("[Request interrupted by user for tool use]")),
    ]
    assert found.problems == ()


@pytest.mark.parametrize("orphan", [result("gone"), {"type": "tool_result", "content": "x"}])
def test_a_result_without_its_call_is_left_out_and_named(orphan: JSON) -> None:
    found = read(user("r", None, [orphan, text("and more")]), model("a", "r", text("yes")))
    assert found.messages == [said("user", text("and more")), said("assistant", text("yes"))]
    assert found.problems == (Problem(1, "a tool result without its call"),)


def test_an_edited_message_starts_a_new_branch() -> None:
    lines = [model("a", "u", text("one")), user("v", "a", "dead end"), model("b", "v", text("two"))]
    assert read(HI, *lines, user("w", "a", "go")).messages == [
        asked("hi"),
        said("assistant", text("one")),
        asked("go"),
    ]


def test_sub_agents_are_left_out() -> None:
    lines = [
        model("a", "u", call("1")),
        user("s", None, "sub task", isSidechain=True),
        model("t", "s", text("sub answer"), isSidechain=True),
        user("r", "a", [result("1")]),
        user("x", "t", "sub again", isSidechain=True),
    ]
    assert read(HI, *lines).messages == [asked("hi"), said("assistant", call("1")), said("user", result("1"))]


def test_a_file_of_a_sub_agent_alone_is_read() -> None:
    lines = [user("s", None, "task", isSidechain=True), model("t", "s", text("answer"), isSidechain=True)]
    assert read(*lines).messages == [asked("task"), said("assistant", text("answer"))]


def test_notices_that_the_client_wrote_are_left_out() -> None:
    notice = line("assistant", "e", "u", message={"role": "assistant", "model": "<synthetic>", "content": [text("!")]})
    assert read(HI, notice, user("v", "e", "again")).messages == [asked("hi"), asked("again")]


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
        line("progress", "p", None, data={}),
        user("u", "p", "hi"),
        line("attachment", "t", "u", attachment={"type": "todo_reminder", "content": []}),
        line("system", "y", "t", subtype="turn_duration"),
        line("system", "z", "y", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": []}),
        model("a", "z", text("yes")),
    ]
    found = read(*NO_MESSAGES, *chain, *NO_MESSAGES)
    assert (found.messages, found.problems) == ([asked("hi"), said("assistant", text("yes"))], ())


def test_what_the_user_typed_meanwhile_stands_only_in_an_attachment_and_counts() -> None:
    lines = [
        model("a", "u", call("1")),
        user("r", "a", [result("1")]),
        line(
            "attachment", "q", "r", attachment={"type": "queued_command", "prompt": "faster", "commandMode": "prompt"}
        ),
        line("attachment", "k", "q", attachment={"type": "queued_command", "prompt": [text("please")]}),
        line("attachment", "n", "k", attachment={"type": "queued_command", "prompt": None}),
        model("b", "n", text("ok")),
    ]
    assert read(HI, *lines).messages[2:] == [
        said("user", result("1")),
        asked("faster"),
        said("user", text("please")),
        said("assistant", text("ok")),
    ]


def test_contents_of_every_kind() -> None:
    found = read(
        user("u", None, ["bare text", "", 7, text("block")]),
        line("assistant", "a", "u", message={"id": "m", "role": "assistant", "content": "just words"}),
        user("e", "a", []),
        user("f", "e", ""),
        model("b", "f"),
        line("assistant", "c", "b", message={"id": "n", "role": "assistant", "content": ""}),
        line("assistant", "d", "c", message={"id": "n", "role": "assistant", "content": [text("more")]}),
    )
    assert found.messages == [
        said("user", text("bare text"), text("block")),
        {"role": "assistant", "content": "just words"},
        said("assistant", text("more")),
    ]


def test_a_message_line_without_content_is_named() -> None:
    broken = [
        line("user", "x", "u", message="error"),
        line("user", "y", "x", message={"role": "user", "contenst": []}),
        line("assistant", "z", "y", message={"role": "assistant", "content": None}),
    ]
    found = read(HI, *broken, model("a", "z", text("yes")))
    assert found.messages == [asked("hi"), said("assistant", text("yes"))]
    assert [problem.line for problem in found.problems] == [2, 3, 4]
    assert found.problems[0].why == "a user line without content"


def test_of_a_replayed_line_the_readable_one_counts() -> None:
    lines = [line("user", "v", "u", message="error"), user("v", "u", "mended"), model("a", "v", text("yes"))]
    assert read(HI, *lines).messages[1] == asked("mended")


def test_of_two_readable_replays_the_first_counts() -> None:
    lines = [user("v", "u", "as it was"), model("a", "v", text("yes")), user("v", "a", "hung elsewhere")]
    assert read(HI, *lines).messages == [asked("hi"), asked("as it was"), said("assistant", text("yes"))]


def test_a_result_on_the_live_branch_goes_before_one_on_a_branch_that_was_left() -> None:
    lines = [
        model("a", "u", call("1")),
        user("r", "a", [result("1", "left")]),
        user("s", "a", [result("1", "live")]),
        model("b", "s", text("ok")),
    ]
    assert read(HI, *lines).messages[2] == said("user", result("1", "live"))


def test_a_bad_line_in_the_middle_costs_only_itself() -> None:
    lines = [HI, model("a", "u", text("lost")), user("v", "a", "more"), model("b", "v", text("yes"))]
    data = [json.dumps(each) for each in lines]
    data[1] = data[1][:60]
    found = parse("\n".join(data).encode())
    assert found.messages == [asked("hi"), asked("more"), said("assistant", text("yes"))]
    assert [problem.line for problem in found.problems] == [2]


def test_lines_that_are_no_objects_are_named() -> None:
    found = parse(b"\n".join([json.dumps(HI).encode(), b'"massive error"', b"42", b"[1]"]))
    assert [(each.line, each.why) for each in found.problems] == [(number, "no JSON object") for number in (2, 3, 4)]


def test_a_file_whose_links_lead_nowhere_is_read_in_file_order() -> None:
    lines = [HI, model("a", None, call("1")), user("r", "gone", [result("1")]), model("b", None, text("ok"))]
    assert read(*lines).messages == [
        asked("hi"),
        said("assistant", call("1")),
        said("user", result("1")),
        said("assistant", text("ok")),
    ]


def test_a_stream_of_messages_without_ids_is_read_in_file_order() -> None:
    def event(kind: str, content: object, parent: str | None = None) -> JSON:
        message = {"role": kind, "content": content}
        return {"type": kind, "message": message, "parent_tool_use_id": parent, "session_id": "s"}

    found = read(
        {"type": "system", "subtype": "init", "session_id": "s"},
        event("assistant", [call("1")]),
        event("user", "sub task", "1"),
        event("user", [result("1")]),
        {"type": "result", "subtype": "success", "session_id": "s"},
    )
    assert found.messages == [said("assistant", call("1")), said("user", result("1"))]


def test_a_session_without_messages_is_refused() -> None:
    with pytest.raises(InputError, match="this Claude Code session holds no messages"):
        read(*NO_MESSAGES)


KEYS = st.sampled_from("abcdefgh")
BLOCKS = st.lists(st.builds(call, KEYS) | st.builds(result, KEYS) | st.builds(text, KEYS), max_size=3)


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
            lines.append(user(key, parent, draw(BLOCKS), **flags))
        else:
            lines.append(model(key, parent, *draw(BLOCKS), of=draw(KEYS), **flags))
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
