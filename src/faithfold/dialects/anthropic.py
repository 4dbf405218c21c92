"""Anthropic Messages.

The system prompt is a field of the request, so it is no message; newer clients also send instructions as messages
of role `system`. Tool results are blocks of user messages. Neighbouring messages of a role are one turn to the
provider, and all results of a turn's calls must lead the user turn after it. `cache_control` moves from request
to request and signatures are metadata: neither is part of a message's identity.

Source: spec 00-model; Anthropic's Messages API; faults B001, B009, B012, B018, B024, B038.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from faithfold.core.dialect import Dialect, Message
from faithfold.core.faults import PAIRED, WELL_FORMED, Fault, Seen, call_ids_unique, roles, user_first
from faithfold.core.identity import canonical_json, residue, with_residue
from faithfold.core.images import pixel_size
from faithfold.core.parts import Call, Document, Image, Opaque, Part, Reading, Result, Speaker, Thinking
from faithfold.core.values import as_list, as_object, as_text, utf8
from faithfold.dialects.content import (
    Block,
    Form,
    content_forms,
    image,
    joined_text,
    opaque_form,
    others_in,
    parts_of,
    payload_digest,
    readable,
    shown,
    text_form,
    text_part,
)

_SPEAKERS: Mapping[str, Speaker] = {"assistant": "model", "user": "user", "system": "instruction"}
_HOSTED_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
_TEXT = frozenset({"text"})


def read(message: Block) -> Reading:
    """Reads a message."""
    role = as_text(message.get("role"))
    parts = tuple(parts_of(message.get("content"), _block))
    return Reading(_SPEAKERS.get(role, "other"), role, parts, pinned=Opaque("compaction") in parts)


def _block(kind: str, block: Block) -> Part:
    match kind:
        case "text":
            return text_part(kind, block.get("text"))
        case "thinking" | "redacted_thinking":
            return Thinking(as_text(block.get("thinking")))
        case "image":
            return image(block)
        case "document" | "container_upload":
            return Document()
        case _:
            return _tool_block(kind, block)


def _tool_block(kind: str, block: Block) -> Part:
    if kind == "tool_use" or kind in _HOSTED_CALLS:
        hosted = kind in _HOSTED_CALLS
        family = "hosted" if hosted else "tool_use"
        return Call(
            shown(block, "id", ""), shown(block, "name", "?"), canonical_json(block.get("input", {})), family, hosted
        )
    if kind == "tool_result":
        content = block.get("content", "")
        others = others_in(content, _block)
        return Result(shown(block, "tool_use_id", ""), joined_text(content, _TEXT), "tool_use", others=others)
    if kind.endswith("_tool_result"):
        return Result(shown(block, "tool_use_id", ""), readable(block.get("content")), "hosted", hosted=True)
    return Opaque(kind)


def note(text: str) -> Message:
    """The user message that carries a text of ours."""
    return {"role": "user", "content": utf8(text)}


# ---------------------------------------------------------------- identity


def canonical(message: Block) -> object:
    """The canonical form: role and blocks, and what else the message carries."""
    blocks, odd = content_forms(message.get("content"), _canonical_block)
    return with_residue([message.get("role", ""), blocks], residue(message, {"role", "content"}) | odd)


def _canonical_block(block: Block) -> Form:
    match block.get("type", ""):
        case "text":
            return text_form(block)
        case "tool_use":
            form: list[object] = [
                "tool_use",
                block.get("id", ""),
                block.get("name", ""),
                canonical_json(block.get("input", {})),
            ]
            return form, residue(block, {"type", "id", "name", "input", "cache_control"})
        case "tool_result":
            return _canonical_result(block)
        case "thinking":
            rest = residue(block, {"type", "thinking", "signature", "cache_control"})
            return ["thinking", block.get("thinking", "")], rest
        case "redacted_thinking":
            return ["redacted_thinking", block.get("data", "")], residue(block, {"type", "data", "cache_control"})
        case "image" | "document" as kind:
            return _canonical_medium(kind, block)
        case _:
            return opaque_form(block)


def _canonical_result(block: Block) -> Form:
    content = block.get("content", "")
    form = ["tool_result", block.get("tool_use_id", ""), joined_text(content, _TEXT), bool(block.get("is_error"))]
    rest = residue(block, {"type", "tool_use_id", "content", "is_error", "cache_control"})
    left = {f"{place}": odd for place, inner in enumerate(as_list(content)) if (odd := _unread(inner))}
    return form, rest | left


def _unread(inner: object) -> object:
    """What the text of a tool result doesn't show of one of its blocks."""
    if isinstance(inner, str):
        return None
    fields = as_object(inner)
    if fields.get("type") == "text" and isinstance(fields.get("text", ""), str):
        return residue(fields, {"type", "text", "cache_control"})
    return residue(fields, {"cache_control"}) or [inner]


def _canonical_medium(kind: object, block: Block) -> Form:
    """An inline medium's type stands in its first bytes, so `media_type` says nothing that the data doesn't."""
    source = as_object(block.get("source"))
    payload = source.get("data") or source.get("url") or ""
    form = [kind, source.get("type", ""), payload_digest(payload)]
    rest = residue(block, {"type", "source", "cache_control"}) | residue(source, {"type", "data", "url", "media_type"})
    if not source and block.get("source"):
        rest["source"] = block.get("source")
    return form, rest


# ---------------------------------------------------------------- what the provider refuses


def _content_given(seen: Seen) -> Iterator[Fault]:
    """No message is empty, but for an instruction and the last one of the model; no text is blank; blocks are whole."""
    for index, reading in enumerate(seen.readings):
        if reading.speaker in ("instruction", "other"):
            continue
        last_of_model = reading.speaker == "model" and index == len(seen.readings) - 1
        if not reading.parts and not last_of_model:
            yield Fault("empty-content", index, f"message {index} is empty")
        elif any(not text.strip() for text in reading.texts):
            yield Fault("blank-text", index, f"message {index} has a blank text block")
        if any(isinstance(part, Opaque) and part.kind in _BROKEN for part in reading.parts):
            yield Fault("broken-content", index, f"message {index} has content that is no block, or lacks its text")


_BROKEN = frozenset({"no object", "content", "text", ""})


def _results_lead(seen: Seen) -> Iterator[Fault]:
    """In the user turn after a model's turn, tool results come before all else."""
    spoken = False
    for index, reading in enumerate(seen.readings):
        if reading.speaker == "model":
            spoken = False
        if reading.speaker != "user":
            continue
        for part in reading.parts:
            is_result = isinstance(part, Result)
            if is_result and spoken:
                yield Fault("result-after-content", index, f"message {index} has a tool result after other content")
            spoken = spoken or not is_result


def _instructions_placed(seen: Seen) -> Iterator[Fault]:
    """A system message stands before a model message, or last."""
    for index, (reading, following) in enumerate(pairwise(seen.readings)):
        if reading.speaker == "instruction" and following.speaker == "user":
            yield Fault("instruction-before-user", index, f"system message {index} stands before a user message")


def _images_fit(seen: Seen) -> Iterator[Fault]:
    """No side of a picture is too long; the more pictures, the shorter it must be."""
    images = [(index, image.payload) for index, reading in enumerate(seen.readings) for image in _images(reading)]
    longest = _MAX_SIDE if len(images) <= _FEW_IMAGES else _MAX_SIDE_OF_MANY
    for index, payload in images:
        if max(pixel_size(payload) or (0,)) > longest:
            yield Fault("image-too-large", index, f"message {index} has a picture with a side over {longest} pixels")


def _images(reading: Reading) -> Iterator[Image]:
    for part in reading.parts:
        pieces = part.others if isinstance(part, Result) else (part,)
        yield from (piece for piece in pieces if isinstance(piece, Image))


_FEW_IMAGES = 20
_MAX_SIDE = 8_000
_MAX_SIDE_OF_MANY = 2_000

DIALECT = Dialect(
    name="anthropic",
    reader=read,
    form=canonical,
    note=note,
    checks=(
        *WELL_FORMED,
        *PAIRED,
        roles,
        user_first,
        call_ids_unique,
        _results_lead,
        _content_given,
        _instructions_placed,
        _images_fit,
    ),
    reach="turn",
    user_after_instruction=False,
)
