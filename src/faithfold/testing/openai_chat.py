"""The Chat Completions API of OpenAI and of all that speak it, from the provider's side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from faithfold.core.values import as_list, as_object, as_text
from faithfold.testing import openai
from faithfold.testing.answers import Call, Refusal, Reply
from faithfold.testing.asked import Asked, Tool
from faithfold.testing.wire import CREATED, Event, Fields, Refused, Wire, Words, arguments_text, sizes, slices, words_of

_OVERFLOW = Words(
    400,
    "invalid_request_error",
    "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. "
    "Please reduce the length of the messages.",
    "context_length_exceeded",
    "messages",
)


def _refused(asked: Asked, refusal: Refusal) -> Refused:
    return openai.refused(asked, refusal, _OVERFLOW)


def _usage(asked: Asked, reply: Reply) -> Fields:
    tokens_in, tokens_out = sizes(asked, reply)
    return {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _call(identity: str, call: Call, text: str) -> Fields:
    """A call whose arguments are `text` so far."""
    if isinstance(call.arguments, str):
        return {"id": identity, "type": "custom", "custom": {"name": call.name, "input": text}}
    return {"id": identity, "type": "function", "function": {"name": call.name, "arguments": text}}


def _message(asked: Asked, reply: Reply) -> Fields:
    calls = [_call(asked.id("call_", i), call, arguments_text(call)) for i, call in enumerate(reply.calls)]
    message: Fields = {"role": "assistant", "content": reply.text or None, "refusal": None}
    thought: Fields = {"reasoning_content": reply.thinking} if reply.thinking else {}
    return {**message, **thought, **({"tool_calls": calls} if calls else {})}


def _stop(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def _whole(asked: Asked, reply: Reply) -> Fields:
    message = _message(asked, reply)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _stop(reply)}
    return {**_head(asked, "chat.completion"), "choices": [choice], "usage": _usage(asked, reply)}


def _head(asked: Asked, kind: str) -> Fields:
    return {
        "id": asked.id("chatcmpl-"),
        "object": kind,
        "created": CREATED,
        "model": asked.model,
        "service_tier": "default",
        "system_fingerprint": "fp_fake",
    }


def _events(asked: Asked, reply: Reply) -> Iterator[Event]:
    head = _head(asked, "chat.completion.chunk")
    counted = as_object(asked.body.get("stream_options")).get("include_usage") is True
    unused: Fields = {"usage": None} if counted else {}
    for delta in _deltas(asked, reply):
        yield "", {**head, "choices": [_choice(delta)], **unused}
    if reply.breaks is not None:
        yield "", _refused(asked, reply.breaks).body
        return
    yield "", {**head, "choices": [_choice({}, _stop(reply))], **unused}
    if counted:
        yield "", {**head, "choices": [], "usage": _usage(asked, reply)}
    yield "", "[DONE]"


def _choice(delta: Fields, stop: str | None = None) -> Fields:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": stop}


def _deltas(asked: Asked, reply: Reply) -> Iterator[Fields]:
    yield {"role": "assistant", "content": "", "refusal": None}
    yield from ({"reasoning_content": word} for word in words_of(reply.thinking))
    yield from ({"content": word} for word in words_of(reply.text))
    for index, call in enumerate(reply.calls):
        yield {"tool_calls": [{"index": index, **_call(asked.id("call_", index), call, "")}]}
        for part in slices(arguments_text(call)):
            yield {"tool_calls": [{"index": index, **_more(call, part)}]}


def _more(call: Call, part: str) -> Fields:
    return {"custom": {"input": part}} if isinstance(call.arguments, str) else {"function": {"arguments": part}}


def _tools(body: Mapping[str, object]) -> Iterator[Tool]:
    """Each tool is defined inside a field that has the name of its kind."""
    for tool in map(as_object, as_list(body.get("tools"))):
        custom = tool.get("type") == "custom"
        if name := as_text(as_object(tool.get("custom" if custom else "function")).get("name")):
            yield Tool(name, custom)


WIRE = Wire(
    "openai",
    whole=_whole,
    events=_events,
    refused=_refused,
    tools=_tools,
    ping=openai.PING,
    headers=openai.HEADERS,
)
