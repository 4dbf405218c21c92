"""OpenAI Chat Completions, and the servers that speak it.

Tool results are messages of role `tool` right after the assistant message with their calls. System and developer
messages stand in the list. OpenAI-compatible servers add readable reasoning (`reasoning_content`, `reasoning`).
The blocks of a message are one text here. Older shapes are read too: `function_call` and role `function`.

Source: spec 00-model; OpenAI's Chat Completions API; faults B009, B019, B028, B030, B111.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from faithfold.core.dialect import Dialect, Message
from faithfold.core.faults import PAIRED, WELL_FORMED, Fault, Seen, call_ids_unique_in_message, roles
from faithfold.core.identity import residue, with_residue
from faithfold.core.parts import (
    Call,
    Document,
    Opaque,
    Part,
    Reading,
    Result,
    Speaker,
    Text,
    Thinking,
)
from faithfold.core.values import as_list, as_object, as_text, is_object, utf8
from faithfold.dialects.content import (
    Block,
    Form,
    arguments_text,
    content_forms,
    forms,
    image,
    joined_text,
    opaque_form,
    others_in,
    parts_of,
    payload_digest,
    shown,
    text_form,
    text_or_list,
    text_part,
)

_SPEAKERS: Mapping[str, Speaker] = {
    "assistant": "model",
    "user": "user",
    "tool": "tool",
    "function": "tool",
    "system": "instruction",
    "developer": "instruction",
}
_TEXT = frozenset({"text"})


def read(message: Block) -> Reading:
    """Reads a message."""
    role = as_text(message.get("role"))
    speaker = _SPEAKERS.get(role, "other")
    if speaker == "tool":
        return Reading(speaker, role, tuple(_tool_parts(role, message)))
    parts = parts_of(text_or_list(message.get("content")), _block)
    return Reading(speaker, role, tuple(_model_parts(message, parts)) if speaker == "model" else tuple(parts))


def _model_parts(fields: Block, content: Iterator[Part]) -> Iterator[Part]:
    """Reasoning first, then what was said, then the calls."""
    reasoning = fields.get("reasoning_content") or fields.get("reasoning")
    if isinstance(reasoning, str):
        yield Thinking(reasoning)
    yield from content
    if refusal := as_text(fields.get("refusal")):
        yield Text(refusal)
    if fields.get("audio"):
        yield Opaque("audio")
    for call in as_list(fields.get("tool_calls")):
        yield _call(call)
    if function := as_object(fields.get("function_call")):
        name = shown(function, "name", "?")
        yield Call(name, name, arguments_text(function.get("arguments", "")), "function_call")


def _call(call: object) -> Part:
    if not is_object(call):
        return Opaque("no object")
    custom = as_object(call.get("custom"))
    function = custom or as_object(call.get("function"))
    arguments = function.get("input" if custom else "arguments", "")
    return Call(shown(call, "id", ""), shown(function, "name", "?"), arguments_text(arguments), "tool_calls")


def _tool_parts(role: str, fields: Block) -> Iterator[Part]:
    content = fields.get("content")
    legacy = role == "function"
    family, name = ("function_call", "name") if legacy else ("tool_calls", "tool_call_id")
    yield Result(shown(fields, name, ""), joined_text(content, _TEXT), family, others=others_in(content, _block))


def _block(kind: str, block: Block) -> Part:
    match kind:
        case "text":
            return text_part(kind, block.get("text"))
        case "refusal":
            return text_part(kind, block.get("refusal"))
        case "thinking":
            thinking = block.get("thinking")
            return Thinking(joined_text(thinking, _TEXT))
        case "image_url":
            return image(block)
        case "file":
            return Document()
        case _:
            return Opaque(kind)


def note(text: str) -> Message:
    """The user message that carries a text of ours."""
    return {"role": "user", "content": utf8(text)}


# ---------------------------------------------------------------- identity


def canonical(message: Block) -> object:
    """The canonical form: role, content, calls, and what else the message carries."""
    blocks, odd = content_forms(message.get("content"), _canonical_block)
    calls, odd_calls = forms(message.get("tool_calls"), _canonical_call, "tool_calls")
    form = [message.get("role", ""), blocks, calls, message.get("tool_call_id", ""), message.get("name", "")]
    return with_residue(form, residue(message, _READ) | odd | odd_calls)


_READ = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "cache_control"})


def _canonical_block(block: Block) -> Form:
    match block.get("type", ""):
        case "text":
            return text_form(block)
        case "image_url":
            image = as_object(block.get("image_url"))
            url = image.get("url", "") if image else as_text(block.get("image_url"))
            rest = residue(block, {"type", "image_url", "cache_control"}) | residue(image, {"url"})
            return ["image", payload_digest(url)], rest
        case _:
            return opaque_form(block)


def _canonical_call(call: Block) -> Form:
    function = as_object(call.get("function"))
    rest = residue(call, {"id", "function"}) | residue(function, {"name", "arguments"})
    if rest.get("type") == "function":
        del rest["type"]
    return [call.get("id", ""), function.get("name", ""), function.get("arguments", "")], rest


# ---------------------------------------------------------------- what the provider refuses


def _says_something(seen: Seen) -> Iterator[Fault]:
    """A user message has content; one of the model has content or calls."""
    for index, reading in enumerate(seen.readings):
        says = any(not isinstance(part, Thinking) and part != Text("") for part in reading.parts)
        if reading.speaker == "model" and not says:
            yield Fault("empty-content", index, f"assistant message {index} has neither content nor calls")
        elif reading.speaker == "user" and not reading.parts:
            yield Fault("empty-content", index, f"user message {index} has no content")


DIALECT = Dialect(
    name="openai",
    reader=read,
    form=canonical,
    note=note,
    checks=(*WELL_FORMED, *PAIRED, roles, call_ids_unique_in_message, _says_something),
    reach="next",
    joined=True,
)
