"""OpenAI Chat Completions: every kind of message and block, and what the provider refuses."""

from __future__ import annotations

import pytest

from faithfold.core.parts import UNREADABLE, Call, Document, Image, Opaque, Result, Text, Thinking
from faithfold.dialects import DIALECTS
from tests.pieces import Row, Wire, call, calls, check_row, codes, custom, folded, model, says, text, tool, user

NAME = "openai"
URL = "data:image/png;base64,AAAA"
PICTURE: Wire = {"type": "image_url", "image_url": {"url": URL}}
CUSTOM = custom(1)
LEGACY: Wire = {"role": "assistant", "content": None, "function_call": {"name": "run", "arguments": '{"a":1}'}}
ANSWER: Wire = {"role": "function", "name": "run", "content": "done"}
NOTHING: Wire = {}
RUN = Call("call_1", "run", '{"a":1}', "tool_calls")


MESSAGES = [
    Row("text", user("fix it"), (Text("fix it"),), ["user: fix it"]),
    Row("texts are one", user(text("a"), text("b"), "c"), (Text("a"), Text("b"), Text("c")), ["user: a\nb\nc"]),
    Row("image", user(text("see"), PICTURE), (Text("see"), Image(URL)), ["user: see"]),
    Row("image URL as a string", user({**PICTURE, "image_url": URL}), (Image(URL),), []),
    Row("audio in", user({"type": "input_audio", "input_audio": {"data": "A"}}), (Opaque("input_audio"),), []),
    Row("file", user({"type": "file", "file": {"file_id": "f"}}), (Document(),), []),
    Row("system", {"role": "system", "content": "be kind"}, (Text("be kind"),), ["system: be kind"]),
    Row("developer", {"role": "developer", "content": [text("a")]}, (Text("a"),), ["developer: a"]),
    Row("assistant text", says("done"), (Text("done"),), ["assistant: done"]),
    Row("refusal", model(refusal="I can't"), (Text("I can't"),), ["assistant: I can't"]),
    Row("refusal block", model([{"type": "refusal", "refusal": "no"}]), (Text("no"),), ["assistant: no"]),
    Row("null refusal", model("done", refusal=None), (Text("done"),), ["assistant: done"]),
    Row("audio out", model(audio={"id": "audio_1"}), (Opaque("audio"),), []),
    Row("a call", calls(1), (RUN,), ['[run] {"a":1}']),
    Row("parallel calls", calls(1, 1), (RUN, RUN), ['[run] {"a":1}\n[run] {"a":1}']),
    Row(
        "arguments that are an object",
        model(tool_calls=[call(1, {"b": 1, "a": 2})]),
        (Call("call_1", "run", '{"a":2,"b":1}', "tool_calls"),),
        ['[run] {"a":2,"b":1}'],
    ),
    Row(
        "a custom call",
        model(tool_calls=[CUSTOM]),
        (Call("call_1", "apply_patch", "*** Begin Patch", "tool_calls"),),
        ["[apply_patch] *** Begin Patch"],
    ),
    Row("a call of nothing", model(tool_calls=[NOTHING]), (Call("", "?", "", "tool_calls"),), ["[?] "]),
    Row("a call that is no object", model(tool_calls=["x"]), (Opaque("no object"),), []),
    Row("a legacy call", LEGACY, (Call("run", "run", '{"a":1}', "function_call"),), ['[run] {"a":1}']),
    Row("a legacy result", ANSWER, (Result("run", "done", "function_call"),), ["result: done"]),
    Row("a result", tool(1, " ok "), (Result("call_1", " ok ", "tool_calls"),), ["result: ok"]),
    Row(
        "a result of blocks",
        tool(1, [text("a"), "b", PICTURE]),
        (Result("call_1", "a\nb", "tool_calls", others=(Image(URL),)),),
        ["result: a\nb"],
    ),
    Row("a long result", tool(1, "x" * 501), (Result("call_1", "x" * 501, "tool_calls"),), []),
    Row("an empty result", tool(1, None), (Result("call_1", "", "tool_calls"),), []),
    Row(
        "readable reasoning",
        model("hi", reasoning_content="hm"),
        (Thinking("hm"), Text("hi")),
        ["thinking: hm\nassistant: hi"],
    ),
    Row(
        "reasoning by its other name",
        model("hi", reasoning="hm"),
        (Thinking("hm"), Text("hi")),
        ["thinking: hm\nassistant: hi"],
    ),
    Row("sealed reasoning", model("hi", reasoning_details=[{"data": "z"}]), (Text("hi"),), ["assistant: hi"]),
    Row("reasoning that is no text", model("hi", reasoning={"a": 1}), (Text("hi"),), ["assistant: hi"]),
    Row(
        "thinking block",
        model([{"type": "thinking", "thinking": "hm"}, text("hi")]),
        (Thinking("hm"), Text("hi")),
        ["thinking: hm\nassistant: hi"],
    ),
    Row(
        "thinking block of blocks",
        model([{"type": "thinking", "thinking": [text("hm")]}]),
        (Thinking("hm"),),
        ["thinking: hm"],
    ),
    Row("null content", user(text(None)), (Opaque("text"),), []),
    Row("a number for content", {"role": "user", "content": 7}, (Text("7"),), ["user: 7"]),
    Row("nothing", model(), (), []),
    Row("unknown block", user({"type": "hologram"}), (Opaque("hologram"),), []),
    Row("a type that is a list", user({"type": ["text"], "text": "x"}), (Opaque(""),), []),
    Row("unknown role", {"role": "exit", "content": "x"}, (Text("x"),), []),
    Row("no object", 7, UNREADABLE.parts, []),
]


@pytest.mark.parametrize("row", MESSAGES, ids=[row.name for row in MESSAGES])
def test_every_message(row: Row) -> None:
    check_row(NAME, row)


def test_a_message_of_the_model_is_one_part() -> None:
    message = {**calls(1), "content": [text("I run"), text("it")], "reasoning_content": "hm"}
    assert folded(NAME, message).parts == ['thinking: hm\nassistant: I run\nit\n[run] {"a":1}']


# What the provider refuses

Case = tuple[str, list[object], list[object], str]
CASES: list[Case] = [
    # name, legal, faulty, code
    ("neither content nor calls", [user("x"), says("y")], [user("x"), model()], "empty-content"),
    ("empty text", [user("x"), says("y")], [user("x"), says("")], "empty-content"),
    ("reasoning alone", [user("x"), model("y", reasoning="hm")], [user("x"), model(reasoning="hm")], "empty-content"),
    ("a result too late", [calls(1), tool(1), user("x")], [user("x"), calls(1), user("y"), tool(1)], "unanswered-call"),
    (
        "a custom call",
        [model(tool_calls=[CUSTOM]), tool(1)],
        [model(tool_calls=[CUSTOM]), user("x")],
        "unanswered-call",
    ),
    ("a legacy call", [user("x"), LEGACY, ANSWER], [user("x"), LEGACY, user("y")], "unanswered-call"),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_fault_and_its_legal_twin(case: Case) -> None:
    _, legal, faulty, code = case
    assert codes(NAME, legal) == []
    assert code in codes(NAME, faulty)


@pytest.mark.parametrize("message", [model(refusal="no"), model(audio={"id": "a"}), calls(1), model([PICTURE])])
def test_a_refusal_audio_and_calls_are_content(message: Wire) -> None:
    assert "empty-content" not in codes(NAME, [user("x"), message])


def test_the_first_message_may_be_anyone_s() -> None:
    assert codes(NAME, [says("hello"), user("x")]) == []


def test_the_note_is_a_user_message() -> None:
    assert DIALECTS[NAME].note("so far") == user("so far")
