"""Overflow: the words in which providers and gateways say that a context is too long, and what only sounds like it."""

from __future__ import annotations

import json

import pytest

from faithfold.dialects.overflow import ERROR_LIMIT, is_lifecycle, is_overflow, overflow_event, window_in
from tests.lookalikes import LOOKALIKES
from tests.overflows import OVERFLOWS, Row, chat

PROMPT = "prompt is too long: 213462 tokens > 200000 maximum"
_FULL = {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}
_LOG = "the log says: prompt is too long"

CODES = [
    "context_length_exceeded",
    "context_window_exceeded",
    "model_context_window_exceeded",
    "exceed_context_size_error",
    "model_max_prompt_tokens_exceeded",
    "tokens_limit_reached",
    "prompt_too_long",
    "ContextWindowExceededError",
]
REASONS = [
    *(
        "rate limit",
        "rate_limit_exceeded",
        "Too Many Requests",
        "ThrottlingException",
        "tokens per minute",
        "RPM",
        "tpd",
    ),
    *(
        "per-day",
        "overloaded",
        "RESOURCE_EXHAUSTED",
        "限流",
        "频率",
        "quota",
        "billing",
        "payment",
        "credit balance",
        "额度",
    ),
    *("insufficient_quota", "insufficient credits", "insufficient funds", "insufficient balance", "余额不足"),
    *(
        "string_above_max_length",
        "too many images",
        "too many tools",
        "image exceeds",
        "images are too",
        "image dimensions",
    ),
    *(
        "the maximum allowed number of output tokens",
        "supports at most 8,192 completion tokens",
        "timed out",
        "time out",
    ),
]

# What an event holds, and whether it is an overflow.
INSIDE: list[tuple[str, object, bool]] = [
    ("Anthropic", json.loads(OVERFLOWS[0].body), True),
    ("Anthropic, rate", {"type": "error", "error": {"type": "rate_limit_error", "message": "too many tokens"}}, False),
    ("Anthropic, full", {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}}, True),
    ("Anthropic, content", {"type": "content_block_delta", "delta": {"type": "text_delta", "text": _LOG}}, False),
    ("Anthropic, tool", {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "x"}}, False),
    ("Responses, failed", {"type": "response.failed", "response": {"error": _FULL}}, True),
    (
        "Responses, server error",
        {"type": "response.failed", "response": {"error": {**_FULL, "code": "server_error"}}},
        True,
    ),
    (
        "Responses, other",
        {"type": "response.failed", "response": {"error": {"code": "x"}, "instructions": _LOG}},
        False,
    ),
    ("Responses, nothing said", {"type": "response.failed", "response": {"error": None, "instructions": _LOG}}, False),
    ("Responses, error", {"type": "error", "sequence_number": 2, "error": _FULL}, True),
    ("Responses, flat error", {"type": "error", **_FULL, "param": None}, True),
    ("Responses, content", {"type": "response.output_text.delta", "delta": _LOG}, False),
    ("Chat", {"error": _FULL}, True),
    ("Chat, rate", {"error": {"code": "rate_limit_exceeded", "message": "Request too large for gpt-4o"}}, False),
    ("Chat, with choices", {"error": _FULL, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]}, True),
    ("Chat, full", {"choices": [{"delta": {}, "finish_reason": "model_context_window_exceeded"}]}, True),
    ("Chat, content", {"choices": [{"delta": {"content": _LOG}}]}, False),
    ("Chat, reasoning", {"choices": [{"delta": {"role": "assistant", "reasoning_content": _LOG}}]}, False),
    ("Chat, end", {"choices": [{"delta": {}, "finish_reason": "stop"}]}, False),
    ("Chat, odd", {"choices": [{"delta": _LOG}]}, False),
    ("vLLM", {"object": "error", "message": "The input (9 tokens) is longer than the model's context length"}, True),
    ("TGI", json.loads(next(row.body for row in OVERFLOWS if row.who == "TGI")), True),
    ("a gateway", {"error_type": "validation_error", "error_message": json.dumps({"error": _FULL})}, True),
    ("no object", ["prompt is too long"], False),
    ("an odd type", {"type": ["error"], "object": {}}, False),
]

# What an event holds, and whether it comes before any content.
EVENTS: list[tuple[object, bool]] = [
    ({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 9}}}, True),
    ({"type": "ping"}, True),
    ({"type": "response.created", "response": {"error": None, "instructions": _LOG}}, True),
    ({"type": "response.in_progress", "response": {}}, True),
    ({"type": "response.queued", "response": {}}, True),
    ({"choices": [{"delta": {"role": "assistant", "content": "", "refusal": None}, "finish_reason": None}]}, True),
    ({"choices": [{"delta": {"role": "assistant", "tool_calls": []}}]}, True),
    ({"choices": [{"delta": None}]}, True),
    ({"choices": [], "prompt_filter_results": []}, True),
    ({"choices": None}, True),
    ({"type": "response.output_item.added", "item": {}}, False),
    ({"type": "content_block_start", "content_block": {"type": "text", "text": ""}}, False),
    ({"type": "message_stop"}, False),
    ({}, False),
]


@pytest.mark.parametrize("row", OVERFLOWS, ids=[row.who for row in OVERFLOWS])
def test_every_provider_s_overflow_is_recognised(row: Row) -> None:
    """Faults B054 and B056."""
    assert is_overflow(row.status, row.body)
    assert window_in(row.body) == row.window


@pytest.mark.parametrize("row", LOOKALIKES, ids=[row.who for row in LOOKALIKES])
def test_what_only_sounds_like_an_overflow_is_none(row: Row) -> None:
    assert not is_overflow(row.status, row.body)
    assert window_in(row.body) is None


@pytest.mark.parametrize("status", [200, 401, 402, 403, 404, 408, 429, 502, 503, 504, 529])
def test_only_some_statuses_stand_for_an_overflow(status: int) -> None:
    assert not is_overflow(status, chat(PROMPT, code="context_length_exceeded"))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_code_alone_is_enough(status: int, code: str) -> None:
    assert is_overflow(status, chat("no", code=code))
    assert is_overflow(status, chat("no", kind=code))


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("said", ["prompt is too long", "request too large", "token limit exceeded"])
def test_another_reason_rules_an_overflow_out(said: str, reason: str) -> None:
    assert is_overflow(400, chat(said))
    assert not is_overflow(400, chat(f"{said}: {reason} "))
    assert not is_overflow(413, chat(reason + " "))


@pytest.mark.parametrize("body", [b"", b"<html><h1>413 Request Entity Too Large</h1></html>", b"\xff\xfe\x00"])
def test_a_413_needs_no_words(body: bytes) -> None:
    assert is_overflow(413, body)


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{", b"bad request", b"\xff\xfe\x00", b'"' * 9_000, b"\\u" * 9])
def test_a_400_without_words_is_none(body: bytes) -> None:
    assert not is_overflow(400, body)


def test_a_code_stands_over_what_else_is_said() -> None:
    """A gateway that fell back may speak of both; what was refused for its length is said by the code."""
    body = chat("rate limit reached, fell back, and failed there", code="context_length_exceeded")
    assert is_overflow(400, body)


def test_an_error_is_read_through_any_number_of_wrappings() -> None:
    body = chat(PROMPT)
    for _ in range(5):
        body = json.dumps({"error": {"message": body.decode(), "code": "400"}}).encode()
    assert is_overflow(400, body)
    assert window_in(body) == 200_000


@pytest.mark.parametrize(
    "body",
    [
        PROMPT.encode(),
        json.dumps([{"error": {"message": PROMPT}}]).encode(),
        json.dumps(PROMPT.replace("prompt", "Prompt\n ")).encode(),
        f"litellm.BadRequestError: AnthropicException - b'{json.dumps({'message': PROMPT})}'".encode(),
        b"\xef\xbb\xbf" + PROMPT.encode() + b"\xf0\x9f",
        b"\x00\xff" + PROMPT.encode()[:40],
        PROMPT.encode() + b'{"' * 10_000_000,
        b"\\u0070rompt is too long",
    ],
    ids=["text", "list", "string", "repr", "broken at the end", "cut off", "large", "escaped"],
)
def test_the_form_of_an_error_does_not_matter(body: bytes) -> None:
    assert is_overflow(400, body)


def test_only_the_beginning_of_an_error_is_read() -> None:
    assert is_overflow(400, b" " * (ERROR_LIMIT - 100) + PROMPT.encode())
    assert not is_overflow(400, b" " * ERROR_LIMIT + PROMPT.encode())


@pytest.mark.parametrize("quote", ['"', "'", '\\"'])
@pytest.mark.parametrize("field", ["input", "messages"])
def test_what_an_error_quotes_of_the_request_is_not_read(field: str, quote: str) -> None:
    """Servers that check a request against a schema answer with the part that they refuse: the conversation."""
    quoted = f"{quote}{field}{quote}: [{quote}the log says: {PROMPT}{quote}]"
    assert not is_overflow(422, f'{{"detail": [{{"msg": "Field required", {quoted}}}]}}'.encode())
    assert is_overflow(400, f'{{"message": "{PROMPT}", {quoted}}}'.encode())


def test_hostile_errors_are_read_in_time_that_grows_with_their_length() -> None:
    for piece in (b"exceed ", b"exceeds the ", b"too large for ", b"input token ", b"1,", b"\\", b"n_keep n_keep "):
        assert not is_overflow(400, piece * (ERROR_LIMIT // len(piece)))


@pytest.mark.parametrize(
    ("said", "window"),
    [
        ("prompt is too long: 12 tokens > 999 maximum", None),
        ("prompt is too long: 12 tokens > 1000 maximum", 1_000),
        ("prompt is too long: 12 tokens > 1,048,576 maximum", 1_048_576),
        ("prompt is too long, and the context window is 8192 tokens", 8_192),
        ("prompt is too long, so send less than 8192", None),
        ("the model's context window is 8192 tokens; rate limit reached", None),
    ],
)
def test_the_window_that_is_named(said: str, window: int | None) -> None:
    assert window_in(chat(said)) == window


@pytest.mark.parametrize(("name", "data", "overflow"), INSIDE, ids=[row[0] for row in INSIDE])
def test_an_overflow_inside_a_stream(name: str, data: object, overflow: bool) -> None:
    """Fault B055."""
    assert overflow_event(json.dumps(data).encode()) == overflow, name
    assert not is_lifecycle(json.dumps(data).encode())


@pytest.mark.parametrize(("data", "lifecycle"), EVENTS, ids=[str(row[0])[:60] for row in EVENTS])
def test_what_comes_before_any_content(data: object, lifecycle: bool) -> None:
    assert is_lifecycle(json.dumps(data).encode()) == lifecycle
    assert not overflow_event(json.dumps(data).encode())


@pytest.mark.parametrize("data", [b"[DONE]", b"{", b"prompt is too long", b"\xff", b'{"type":', b"[" * 100_000])
def test_data_that_is_no_json_is_content(data: bytes) -> None:
    assert not overflow_event(data)
    assert not is_lifecycle(data)


@pytest.mark.parametrize("data", [b"", b" \n"])
def test_a_comment_is_no_content(data: bytes) -> None:
    assert is_lifecycle(data)
    assert not overflow_event(data)


def test_an_error_of_any_depth_is_read_or_left() -> None:
    for depth in (1, 100, *range(900, 1_100), 100_000):
        data = b'{"error": ' + b"[" * depth + json.dumps(PROMPT).encode() + b"]" * depth + b"}"
        assert overflow_event(data) == (depth < 900) or 900 <= depth < 1_100
