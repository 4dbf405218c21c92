"""Telling the dialect of a path, a body and a list of messages."""

from __future__ import annotations

import pytest

from faithfold.sessions.shapes import dialect_of_body, dialect_of_messages, dialect_of_path, is_message
from tests.session_files import JSON


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/messages", "anthropic"),
        ("https://api.anthropic.com/v1/messages?beta=true", "anthropic"),
        ("/v1/messages/count_tokens", "anthropic"),
        ("/proxy/v1/chat/completions", "openai"),
        ("https://api.openai.com/v1/responses/", "openai-responses"),
        ("/v1/responses/compact", "openai-responses"),
        ("/v1beta/models/gemini:streamGenerateContent", ""),
        ("/home/user/messages/notes.json", ""),
        ("", ""),
    ],
)
def test_the_dialect_of_a_path(path: str, dialect: str) -> None:
    assert dialect_of_path(path) == dialect


BODIES: list[tuple[JSON, str]] = [
    ({"input": []}, "openai-responses"),
    ({"messages": [], "system": "be brief"}, "anthropic"),
    ({"messages": [], "stop_sequences": ["x"]}, "anthropic"),
    ({"messages": [], "tools": [{"name": "t", "input_schema": {}}]}, "anthropic"),
    ({"messages": [], "tools": [{"type": "function", "function": {}}]}, "openai"),
    ({"messages": [], "max_completion_tokens": 9}, "openai"),
    ({"messages": [], "max_tokens": 9, "tools": "none"}, ""),
]


@pytest.mark.parametrize(("body", "dialect"), BODIES)
def test_the_dialect_of_a_body(body: JSON, dialect: str) -> None:
    assert dialect_of_body(body) == dialect


def block(**fields: object) -> JSON:
    return {"role": "user", "content": [fields]}


PLAIN: JSON = {"role": "user", "content": "hi"}

MESSAGES: list[tuple[list[object], str]] = [
    ([PLAIN], ""),
    ([PLAIN, block(type="text", text="x")], ""),
    ([], ""),
    ([None, 5, "x"], ""),
    ([PLAIN, block(type="tool_use", id="1")], "anthropic"),
    ([block(type="thinking", thinking="x", signature="s")], "anthropic"),
    ([block(type="image", source={})], "anthropic"),
    ([block(type="web_search_tool_result")], "anthropic"),
    ([{"type": "message", "stop_reason": "end_turn", **block(type="tool_use", id="1")}], "anthropic"),
    ([{"type": "message", "stop_reason": "end_turn", **block(type="text", text="x")}], ""),
    ([{"role": "assistant", "content": None, "tool_calls": []}], "openai"),
    ([{"role": "assistant", "tool_calls": [], "content": [{"type": "thinking"}]}], "openai"),
    ([{"role": "tool", "tool_call_id": "1", "content": "x"}], "openai"),
    ([block(type="image_url", image_url={})], "openai"),
    ([{"type": "message", **PLAIN}], "openai-responses"),
    ([{"type": "function_call", "call_id": "1"}], "openai-responses"),
    ([block(type="input_text", text="x")], "openai-responses"),
    ([{"role": "toolResult", "content": []}], "pi"),
    ([block(type="toolCall", id="1")], "pi"),
    ([block(type="thinking", thinking="x", thinkingSignature="s")], "pi"),
    ([block(type="image", data="x", mimeType="image/png")], "pi"),
    ([{"role": "tool", "content": "x"}, block(type="tool_use", id="1")], "openai"),
    ([{"role": [], "type": {}, "content": [{"type": []}]}], ""),
]


@pytest.mark.parametrize(("messages", "dialect"), MESSAGES)
def test_the_first_message_that_only_one_dialect_has_decides(messages: list[object], dialect: str) -> None:
    assert dialect_of_messages(messages) == dialect


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (PLAIN, True),
        ({"role": "assistant", "tool_calls": []}, True),
        ({"type": "reasoning", "summary": []}, True),
        ({"type": "message"}, False),
        ({"type": "human", "content": "x"}, False),
        ({"role": "user", "parts": []}, False),
        ({"role": None}, False),
        ("user", False),
        (None, False),
    ],
)
def test_what_a_message_is(value: object, expected: bool) -> None:
    assert is_message(value) is expected
