"""Anthropic Messages.

The system prompt is a field of the request, so it is no message; newer clients also send instructions as messages
of role `system`. Tool results are blocks of user messages. Neighbouring messages of a role are one turn to the
provider, and all results of a turn's calls must lead the user turn after it. `cache_control` moves from request
to request and signatures are metadata: neither is part of a message's identity.

Source: spec 00-model; Anthropic's Messages API; faults B001, B009, B012, B018, B024, B038.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from faithfold.core.dialect import Dialect, Message, utf8
from faithfold.core.faults import (
    Fault,
    calls_answered,
    not_empty,
    objects,
    results_called,
    results_once,
    roles,
    someone_speaks,
    user_first,
)
from faithfold.core.identity import canonical_json, residue, with_residue
from faithfold.core.images import pixel_size
from faithfold.core.pairing import Pairing
from faithfold.core.parts import UNREADABLE, Call, Document, Image, Opaque, Part, Reading, Result, Speaker, Thinking
from faithfold.core.values import as_list, as_object, as_text, is_object
from faithfold.dialects.content import (
    Block,
    Form,
    content_forms,
    image,
    joined_text,
    media_in,
    opaque_form,
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


def read(message: object) -> Reading:
    """Reads a message, whatever it is."""
    if not is_object(message):
        return UNREADABLE
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
        media = media_in(content, _block)
        return Result(shown(block, "tool_use_id", ""), joined_text(content, _TEXT), "tool_use", media=media)
    if kind.endswith("_tool_result"):
        return Result(shown(block, "tool_use_id", ""), readable(block.get("content")), "hosted", hosted=True)
    return Opaque(kind)


def note(text: str) -> Message:
    """The user message that carries a text of ours."""
    return {"role": "user", "content": utf8(text)}


# ---------------------------------------------------------------- identity


def canonical(message: object) -> object:
    """The canonical form: role and blocks, and what else the message carries."""
    if not is_object(message):
        return ["no object", canonical_json(message)]
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


def _content_given(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """No message is empty, but for an instruction and the last one of the model; no text is blank."""
    del pairing
    for index, reading in enumerate(readings):
        last_of_model = reading.speaker == "model" and index == len(readings) - 1
        if reading.speaker in ("instruction", "other") or last_of_model:
            continue
        if not reading.parts:
            yield Fault("empty-content", index, f"message {index} is empty")
        elif any(not text.strip() for text in reading.texts):
            yield Fault("blank-text", index, f"message {index} has a blank text block")


def _results_lead(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """In the user turn after a model's turn, tool results come before all else."""
    del pairing
    spoken = False
    for index, reading in enumerate(readings):
        if reading.speaker == "model":
            spoken = False
        if reading.speaker != "user":
            continue
        for part in reading.parts:
            is_result = isinstance(part, Result)
            if is_result and spoken:
                yield Fault("result-after-content", index, f"message {index} has a tool result after other content")
            spoken = spoken or not is_result


def _instructions_placed(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """A system message stands before a model message, or last."""
    del pairing
    for index, (reading, following) in enumerate(pairwise(readings)):
        if reading.speaker == "instruction" and following.speaker == "user":
            yield Fault("instruction-before-user", index, f"system message {index} stands before a user message")


def _images_fit(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """No side of a picture is too long; the more pictures, the shorter it must be."""
    del pairing
    images = [(index, image.payload) for index, reading in enumerate(readings) for image in _images(reading)]
    longest = _MAX_SIDE if len(images) <= _FEW_IMAGES else _MAX_SIDE_OF_MANY
    for index, payload in images:
        if max(pixel_size(payload) or (0,)) > longest:
            yield Fault("image-too-large", index, f"message {index} has a picture with a side over {longest} pixels")


def _images(reading: Reading) -> Iterator[Image]:
    for part in reading.parts:
        pieces = part.media if isinstance(part, Result) else (part,)
        yield from (piece for piece in pieces if isinstance(piece, Image))


_FEW_IMAGES = 20
_MAX_SIDE = 8_000
_MAX_SIDE_OF_MANY = 2_000

DIALECT = Dialect(
    name="anthropic",
    read=read,
    canonical=canonical,
    note=note,
    checks=(
        not_empty,
        objects,
        roles,
        user_first,
        someone_speaks,
        calls_answered,
        results_called,
        results_once,
        _results_lead,
        _content_given,
        _instructions_placed,
        _images_fit,
    ),
    reach="turn",
    user_after_instruction=False,
)
