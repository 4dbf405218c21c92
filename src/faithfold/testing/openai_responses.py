"""The Responses API of OpenAI, from the provider's side: answers, streams, and what a response leaves behind.

`output` is the one place where the items of an answer are made: streams, whole answers and the memory of
`previous_response_id` show the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from faithfold.core.values import as_list, as_object, as_text
from faithfold.testing import openai
from faithfold.testing.answers import Call, Refusal, Reply
from faithfold.testing.asked import Asked, Tool, items
from faithfold.testing.openai_items import item_events
from faithfold.testing.wire import CREATED, Event, Fields, Refused, Wire, Words, arguments_text, sizes

KEY = "input"
_PREVIOUS = "previous_response_id"

_OVERFLOW = Words(
    400,
    "invalid_request_error",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "context_length_exceeded",
    KEY,
)
_SEALED = "gAAAAABfake" + "A" * 64


def refused(asked: Asked, refusal: Refusal) -> Refused:
    """A refusal, written."""
    return openai.refused(asked, refusal, _OVERFLOW)


def output(asked: Asked, reply: Reply) -> list[Fields]:
    """The items of an answer; a compaction that the client asks for is exactly one."""
    if asked.compacts:
        return [{"id": asked.id("cmp_"), "type": "compaction", "encrypted_content": _SEALED}]
    made = [_reasoning(asked, reply)] if reply.thinking else []
    if reply.text:
        made.append(_message(asked, reply))
    return made + [_call(asked, index, call) for index, call in enumerate(reply.calls)]


def _message(asked: Asked, reply: Reply) -> Fields:
    content: Fields = {"type": "output_text", "annotations": (), "logprobs": (), "text": reply.text}
    about: Fields = {"type": "message", "status": "completed", "role": "assistant"}
    return {"id": asked.id("msg_"), **about, "content": [content]}


def _reasoning(asked: Asked, reply: Reply) -> Fields:
    summary = [{"type": "summary_text", "text": reply.thinking}]
    sealed = _SEALED if "reasoning.encrypted_content" in as_list(asked.body.get("include")) else None
    return {"id": asked.id("rs_"), "type": "reasoning", "summary": summary, "encrypted_content": sealed}


def _call(asked: Asked, index: int, call: Call) -> Fields:
    custom = isinstance(call.arguments, str)
    made: Fields = {
        "id": asked.id("ctc_" if custom else "fc_", index),
        "type": "custom_tool_call" if custom else "function_call",
        "status": "completed",
        "call_id": asked.id("call_", index),
        "name": call.name,
        "input" if custom else "arguments": arguments_text(call),
    }
    return {**made, "namespace": call.namespace} if call.namespace else made


def response(asked: Asked, reply: Reply, status: str, **fields: object) -> Fields:
    """A response object, as it is at `status`."""
    body = asked.body
    echoed = ("instructions", "max_output_tokens", "previous_response_id", "reasoning", "user", "prompt_cache_key")
    defaults: Fields = {"parallel_tool_calls": True, "store": True, "tool_choice": "auto", "tools": [], "metadata": {}}
    return {
        "id": asked.id("resp_"),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": asked.model,
        "output": output(asked, reply) if status == "completed" else [],
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": _usage(asked, reply) if status == "completed" else None,
        **{name: body.get(name) for name in echoed},
        **{name: body.get(name, default) for name, default in defaults.items()},
        **fields,
    }


def _usage(asked: Asked, reply: Reply) -> Fields:
    tokens_in, tokens_out = sizes(asked, reply)
    return {
        "input_tokens": tokens_in,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens_in + tokens_out,
    }


def _whole(asked: Asked, reply: Reply) -> Fields:
    return response(asked, reply, "completed")


def events(asked: Asked, reply: Reply) -> Iterator[Event]:
    """The events of a stream, numbered; the same over HTTP and a WebSocket."""
    for number, (kind, fields) in enumerate(_told(asked, reply)):
        yield kind, {"type": kind, "sequence_number": number, **fields}


def _told(asked: Asked, reply: Reply) -> Iterator[tuple[str, Fields]]:
    for kind in ("created", "in_progress"):
        yield f"response.{kind}", {"response": response(asked, reply, "in_progress")}
    for index, item in enumerate(output(asked, reply)):
        yield from item_events(index, item)
    if reply.breaks is None:
        yield "response.completed", {"response": response(asked, reply, "completed")}
        return
    error = refused(asked, reply.breaks).error
    yield "error", {"error": error}
    failure = {"code": error["code"] or "server_error", "message": error["message"]}
    yield "response.failed", {"response": response(asked, reply, "failed", error=failure)}


def continued(body: Mapping[str, object], known: Mapping[str, Sequence[object]]) -> Mapping[str, object] | None:
    """A request with the history that its `previous_response_id` names; None where that is not known."""
    previous = as_text(body.get(_PREVIOUS))
    if not previous:
        return body
    if previous not in known:
        return None
    rest = {name: value for name, value in body.items() if name != _PREVIOUS}
    return {**rest, KEY: [*known[previous], *items(body, KEY)]}


def left_behind(asked: Asked, reply: Reply) -> Mapping[str, Sequence[object]]:
    """The history that a request can go on from by naming the id of this response."""
    return {asked.id("resp_"): [*asked.messages, *output(asked, reply)]}


def _tools(body: Mapping[str, object]) -> Iterator[Tool]:
    yield from _listed(as_list(body.get("tools")))
    for item in map(as_object, items(body, KEY)):
        if item.get("type") == "additional_tools":
            yield from _listed(as_list(item.get("tools")))


def _listed(tools: Iterable[object], namespace: str = "") -> Iterator[Tool]:
    for tool in map(as_object, tools):
        name, kind = as_text(tool.get("name")), tool.get("type")
        if kind == "namespace":
            yield from _listed(as_list(tool.get("tools")), name)
        elif kind in ("function", "custom"):
            yield Tool(name, kind == "custom", namespace)


WIRE = Wire(
    "openai-responses",
    whole=_whole,
    events=events,
    refused=refused,
    tools=_tools,
    ping=openai.PING,
    headers=openai.HEADERS,
)
