"""Bodies and message lists, bare and wrapped, one conversation and many."""

from __future__ import annotations

import json

import pytest

from faithfold.core.errors import InputError
from faithfold.sessions import Problem, parse
from tests.session_files import JSON, read


def talk(*texts: str) -> list[JSON]:
    """Messages of a user and a model in turn."""
    return [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)]


HI = talk("hi", "yes", "go")
BODY: JSON = {"model": "gpt-x", "messages": HI, "max_completion_tokens": 9}
ITEMS: list[JSON] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "1", "output": "x"},
]
PROGRAM: list[JSON] = [
    {"type": "program", "id": "p", "call_id": "1", "code": "ls"},
    {"type": "program_output", "call_id": "1", "output": "x"},
]
RESPONSES: JSON = {"model": "gpt-x", "input": ITEMS, "store": False}
CLAUDE: JSON = {"model": "claude-x", "messages": HI, "max_tokens": 9}

# The input's lines, and what is read: the messages, their dialect, and the body.
SHAPES: dict[str, tuple[list[object], list[JSON], str, JSON | None]] = {
    "a list": ([HI], HI, "openai", None),
    "a message a line": ([*HI], HI, "openai", None),
    "an item a line": ([*ITEMS], ITEMS, "openai-responses", None),
    "a program and its output": ([*PROGRAM], PROGRAM, "openai-responses", None),
    "one message": ([HI[0]], HI[:1], "openai", None),
    "a body": ([BODY], HI, "openai", BODY),
    "a Responses body": ([RESPONSES], ITEMS, "openai-responses", RESPONSES),
    "a Responses body with a text": (
        [{"model": "m", "input": "hi"}],
        [{"role": "user", "content": "hi"}],
        "openai-responses",
        {"model": "m", "input": "hi"},
    ),
    "a body told by its model's name": ([CLAUDE], HI, "anthropic", CLAUDE),
    "a body without a model": (
        [{"anthropic_version": "v", "messages": HI}],
        HI,
        "anthropic",
        {"anthropic_version": "v", "messages": HI},
    ),
    "messages alone": ([{"messages": HI}], HI, "openai", {"messages": HI}),
    "items alone": ([{"input": ITEMS}], ITEMS, "openai-responses", {"input": ITEMS}),
    "a request in a fixture": ([{"n": 1, "request": BODY, "response": {"id": "x"}}], HI, "openai", BODY),
    "a request with its address": ([{"url": "https://x/v1/messages", "request": CLAUDE}], HI, "anthropic", CLAUDE),
    "a capture": (
        [{"client": "c", "n": 1, "method": "POST", "path": "/x/v1/messages", "headers": {}, "body": {"messages": HI}}],
        HI,
        "anthropic",
        {"messages": HI},
    ),
    "a proxy's request line": ([{"type": "request", "request_params": BODY}], HI, "openai", BODY),
    "a trajectory with a history": ([{"trajectory": [], "history": HI, "info": {}}], HI, "openai", None),
    "a trajectory with messages": ([{"info": {}, "messages": HI, "trajectory_format": "1"}], HI, "openai", None),
    "a list of trajectories": ([[{"task_id": 1, "traj": HI}]], HI, "openai", None),
    "a log of request and response": ([{"messages": HI, "response": {}, "timestamp": 1}], HI, "openai", None),
    "a list of lists": ([[HI]], HI, "openai", None),
    "odd elements stay in their place": ([[*HI, None, 5]], [*HI, None, 5], "openai", None),  # type: ignore[list-item]
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_a_file_holds(name: str) -> None:
    lines, messages, dialect, body = SHAPES[name]
    found = read(*lines)
    assert (found.messages, found.dialect, found.body) == (messages, dialect, body)
    assert (found.agent, found.conversations, found.picked, found.problems) == ("plain", 1, 1, ())


def test_a_pretty_printed_body_is_read() -> None:
    assert parse(json.dumps(BODY, indent=2).encode()).body == BODY


def test_a_dialect_that_is_given_is_taken() -> None:
    assert read(HI, dialect="anthropic").dialect == "anthropic"
    assert read(BODY, dialect="pi").dialect == "pi"
    assert read(BODY, dialect="one of the caller's own").dialect == "one of the caller's own"


def test_the_model_is_the_one_of_the_request() -> None:
    assert read(BODY).model == "gpt-x"
    assert read(HI).model == ""
    assert read({**BODY, "timestamp": 1}).model == "gpt-x"


def request(*texts: str) -> JSON:
    return {"model": "gpt-x", "messages": talk(*texts)}


# The lines of a file, the numbers of the bad ones, and how many conversations the others hold.
WITH_BAD_LINES: dict[str, tuple[list[object], list[int], int]] = {
    "a message list with a key mistyped": ([HI[0], {"contentx": 1}, *HI[1:]], [2], 1),
    "a list and an empty object among messages": ([*HI, [1], {}], [4, 5], 1),
    "an answer among messages": ([*HI, {"object": "response", "output": []}], [4], 1),
    "bodies and a body of things that are no messages": ([BODY, {"messages": [{"contentx": 1}]}], [2], 1),
    "bodies and a list of things that are no messages": ([BODY, ["x"]], [2], 1),
    "a log: answers and events are nothing bad": ([BODY, {"object": "response", "output": []}, {"event": "x"}], [], 1),
    "a body, then messages of another conversation": ([BODY, *talk("other")], [], 2),
    "messages, then a body of the same conversation": ([*HI[:2], BODY], [], 1),
}


@pytest.mark.parametrize("name", WITH_BAD_LINES)
def test_a_line_that_should_be_a_message_is_named(name: str) -> None:
    lines, bad, conversations = WITH_BAD_LINES[name]
    found = read(*lines)
    assert found.problems == tuple(Problem(number, "no message") for number in bad)
    assert (found.messages, found.conversations) == (HI, conversations)


def test_a_body_beside_message_lines_can_be_picked_in_file_order() -> None:
    lines = ({"event": "start"}, BODY, *talk("other", "one"))
    assert read(*lines, pick=1).body == BODY
    assert read(*lines, pick=2).messages == talk("other", "one")
    assert read(*lines).problems == (Problem(1, "no message"),)


def test_growing_requests_are_one_conversation_and_the_last_stands_for_it() -> None:
    found = read(request("a"), request("a", "b", "c"), {"type": "response"}, request("a", "b", "c", "d", "e"))
    assert (len(found.messages), found.conversations, found.picked) == (5, 1, 1)
    assert found.body == request("a", "b", "c", "d", "e")


def test_a_later_shorter_request_does_not_hide_the_longest() -> None:
    found = read(request("a", "b", "c"), request("a"))
    assert (len(found.messages), found.conversations) == (3, 1)


def test_of_equal_requests_the_last_counts() -> None:
    first, last = {**request("a"), "n": 1}, {**request("a"), "n": 2}
    assert read(first, last).body == last


def test_a_moving_cache_mark_does_not_break_the_growth() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    marked: JSON = {"role": "user", "content": [{"type": "text", "text": "a", **mark}]}
    found = read({"messages": [marked]}, {"messages": [*talk("a", "b"), {**marked, **mark}]})
    assert (len(found.messages), found.conversations) == (3, 1)
    assert found.messages[2] == {**marked, **mark}


def test_an_exchange_that_was_tried_again_is_the_same_conversation() -> None:
    shared = ("a", "b", "c", "d")
    assert (
        read(request(*shared, "e", "f"), request(*shared, "e2", "f2"), request(*shared, "e2", "f2", "g")).conversations
        == 1
    )
    assert read(request("a", "b", "c"), request("a", "b", "d")).conversations == 2


def test_a_conversation_is_known_by_its_longest_request_alone() -> None:
    """A request that only begins like an earlier, shorter one is of another conversation."""
    assert read(request("a"), request("a", "b", "c"), request("a", "x", "y")).conversations == 2


def test_of_several_conversations_the_longest_is_taken_and_the_first_of_equals() -> None:
    found = read(request("a"), request("b", "1", "2"), request("c", "3", "4"))
    assert (found.body, found.conversations, found.picked) == (request("b", "1", "2"), 3, 2)


def test_one_of_several_can_be_picked() -> None:
    lines = (request("a"), request("b", "1", "2"))
    assert read(*lines, pick=1).messages == talk("a")
    assert read(*lines, pick=2).picked == 2
    for pick in (0, 3, -1):
        with pytest.raises(InputError, match=f"there is no conversation {pick}: the file holds 2"):
            read(*lines, pick=pick)


def test_what_nests_deeper_than_any_wrapper_is_not_searched() -> None:
    value: object = HI
    for _ in range(20):
        value = {"request": value}
    with pytest.raises(InputError, match="no format that faithfold knows"):
        read(value)
