"""The Messages API of Anthropic, from the provider's side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from faithfold.core.values import as_list, as_object, as_text
from faithfold.testing.answers import Refusal, Reply, Trouble
from faithfold.testing.asked import Asked, Tool
from faithfold.testing.wire import Event, Fields, Refused, Wire, Words, sizes, slices, worded, words_of, written

REQUEST_ID = "req_011fake"

_LIMITS = (
    ("anthropic-ratelimit-requests-limit", "50"),
    ("anthropic-ratelimit-requests-remaining", "0"),
    ("anthropic-ratelimit-requests-reset", "2026-01-01T00:00:01Z"),
)
_WORDS: Mapping[Trouble, Words] = {
    "overflow": Words(400, "invalid_request_error", "prompt is too long: {tokens} tokens > {window} maximum"),
    "too large": Words(413, "request_too_large", "Request exceeds the maximum allowed number of bytes."),
    "invalid": Words(400, "invalid_request_error", "messages: Field required"),
    "unknown response": Words(400, "invalid_request_error", "previous_response_id: Extra inputs are not permitted"),
    "rate limit": Words(
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 50 requests per minute.",
        headers=(("retry-after", "1"), *_LIMITS),
    ),
    "quota": Words(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "server error": Words(500, "api_error", "Internal server error"),
    "overloaded": Words(529, "overloaded_error", "Overloaded", headers=(("x-should-retry", "true"),)),
}


def _refused(asked: Asked, refusal: Refusal) -> Refused:
    words = worded(_WORDS, asked, refusal)
    error: Fields = {"type": words.kind, "message": words.message}
    return Refused(words.status, words.headers, {"type": "error", "error": error, "request_id": REQUEST_ID}, error)


def _blocks(asked: Asked, reply: Reply) -> list[Fields]:
    blocks: list[Fields] = []
    if reply.thinking:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": "EqQBCgIYAhIM" + "A" * 64 + "=="})
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for index, call in enumerate(reply.calls):
        identity = asked.id("toolu_", index)
        given = call.arguments if not isinstance(call.arguments, str) else {"input": call.arguments}
        blocks.append({"type": "tool_use", "id": identity, "name": call.name, "input": given})
    return blocks


def _message(asked: Asked, reply: Reply) -> Fields:
    """A message as it begins: nothing said yet."""
    return {
        "id": asked.id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**_usage(asked, reply), "output_tokens": 1},
    }


def _usage(asked: Asked, reply: Reply) -> Fields:
    tokens_in, tokens_out = sizes(asked, reply)
    return {
        "input_tokens": tokens_in,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": tokens_out,
        "service_tier": "standard",
    }


def _stop(reply: Reply) -> Fields:
    return {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}


def _whole(asked: Asked, reply: Reply) -> Fields:
    done: Fields = {"content": _blocks(asked, reply), **_stop(reply), "usage": _usage(asked, reply)}
    return {**_message(asked, reply), **done}


def _event(kind: str, **fields: object) -> Event:
    return kind, {"type": kind, **fields}


def _events(asked: Asked, reply: Reply) -> Iterator[Event]:
    yield _event("message_start", message=_message(asked, reply))
    yield _event("ping")
    for index, block in enumerate(_blocks(asked, reply)):
        start, deltas = _opened(block)
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    if reply.breaks is not None:
        yield "error", _refused(asked, reply.breaks).body
        return
    yield _event("message_delta", delta=_stop(reply), usage=_usage(asked, reply))
    yield _event("message_stop")


def _opened(block: Fields) -> tuple[Fields, Iterator[Fields]]:
    """A block as it begins, and the deltas that fill it."""
    match block:
        case {"type": "thinking", "thinking": str(text), "signature": signature}:
            return {**block, "thinking": "", "signature": ""}, _thought(text, signature)
        case {"type": "text", "text": str(text)}:
            return {**block, "text": ""}, ({"type": "text_delta", "text": word} for word in words_of(text))
        case _:
            parts = slices(written(block["input"]).decode())
            return {**block, "input": {}}, ({"type": "input_json_delta", "partial_json": part} for part in parts)


def _thought(text: str, signature: object) -> Iterator[Fields]:
    yield from ({"type": "thinking_delta", "thinking": word} for word in words_of(text))
    yield {"type": "signature_delta", "signature": signature}


def _tools(body: Mapping[str, object]) -> Iterator[Tool]:
    for tool in map(as_object, as_list(body.get("tools"))):
        if name := as_text(tool.get("name")):
            yield Tool(name)


WIRE = Wire(
    "anthropic",
    whole=_whole,
    events=_events,
    refused=_refused,
    tools=_tools,
    ping=b'event: ping\ndata: {"type":"ping"}\n\n',
    headers=(("request-id", REQUEST_ID), ("anthropic-organization-id", "org-fake")),
)
