"""OpenAI Responses, for clients that resend the whole `input`.

History is a list of items. A model's answer is several of them: reasoning, then messages and calls; their results
follow as items of their own, paired by `call_id` and by family (a `custom_tool_call` is answered by a
`custom_tool_call_output`), however late. The table `CALLS` says for each kind of call where its
arguments stand. A provider's own compaction, and tools defined by an item, are pinned: never folded.

Item ids and status are lifecycle metadata, but for items that are found by their id.

Source: spec 00-model; OpenAI's Responses API; faults B005, B008, B009, B027, B029, B111.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from faithfold.core.dialect import Dialect, Message
from faithfold.core.faults import PAIRED, WELL_FORMED, Fault, Seen
from faithfold.core.identity import canonical_json, residue, with_residue
from faithfold.core.kinds import CALLS, MESSAGES, OUTPUTS, PINNED, CallFields
from faithfold.core.parts import Call, Document, Image, Opaque, Part, Reading, Reference, Result, Speaker, Thinking
from faithfold.core.values import as_list, as_object, as_text, is_object, utf8
from faithfold.dialects.content import (
    Block,
    Form,
    arguments_text,
    content_forms,
    image,
    joined_text,
    opaque_form,
    others_in,
    parts_of,
    readable,
    shown,
    text_form,
    text_or_list,
    text_part,
)

_TEXT = frozenset({"input_text", "output_text", "text"})
_INSTRUCTING = frozenset({"system", "developer", "agent_message"})
_UNKNOWN_CALL = CallFields("arguments", "output")  # nobody knows whether it is owed a result, so none is


def read(item: Block) -> Reading:
    """Reads an item."""
    kind = _kind(item)
    if kind in MESSAGES:
        return _message(kind, item)
    if kind in PINNED:
        speaker: Speaker = "instruction" if kind == "additional_tools" else "other"
        return Reading(speaker, as_text(item.get("role")), (Opaque(kind),), pinned=True)
    if kind.endswith("_output") or kind == "mcp_approval_response":
        return Reading("tool", "", tuple(_output(kind, item)))
    parts = tuple(_model_item(kind, item))
    return Reading("model" if parts else "other", "", parts or (Opaque(kind),))


def _kind(item: Block) -> str:
    """The item's type; a bare {role, content} is a message."""
    return as_text(item.get("type")) or ("message" if "role" in item else "other")


def _message(kind: str, item: Block) -> Reading:
    """A message of the user, of the model, or of somebody else: an instruction, or another agent."""
    role = as_text(item.get("role")) or kind.removeprefix("message")
    speakers: Mapping[str, Speaker] = {"assistant": "model", "user": "user"}
    parts = parts_of(text_or_list(item.get("content")), _block)
    return Reading(speakers.get(role, "instruction"), role, tuple(parts))


def _block(kind: str, block: Block) -> Part:
    match kind:
        case "input_text" | "output_text" | "text":
            return text_part(kind, block.get("text"))
        case "refusal":
            return text_part(kind, block.get("refusal"))
        case "input_image" | "computer_screenshot":
            return image(block)
        case "input_file":
            return Document()
        case _:
            return Opaque(kind)


def _model_item(kind: str, item: Block) -> Iterator[Part]:
    """The parts of an item that the model made; none for a kind that isn't known."""
    if kind == "reasoning":
        yield Thinking("\n".join([*_reasoning(item.get("summary")), *_reasoning(item.get("content"))]))
    elif kind == "item_reference":
        yield Reference(shown(item, "id", ""))
    elif kind == "mcp_list_tools":
        yield Opaque(kind)
    elif kind in CALLS or kind.endswith("_call"):
        yield from _call(kind, item)


def _reasoning(blocks: object) -> Iterator[str]:
    return (as_text(as_object(block).get("text")) for block in as_list(blocks) if is_object(block))


def _call(kind: str, item: Block) -> Iterator[Part]:
    arguments, outcome = CALLS.get(kind, _UNKNOWN_CALL)
    hosted = bool(outcome) or item.get("execution") == "server"
    said = arguments_text(item.get(arguments, item.get(f"{arguments}s", "")))
    identity = _call_id(item)
    yield Call(identity, str(item.get("name") or kind), said, kind, hosted)
    if kind == "image_generation_call":
        yield image(item)
    elif outcome and (text := readable(item.get(outcome)) or readable(item.get("error"))):
        yield Result(identity, text, kind, hosted=True)


def _call_id(item: Block) -> str:
    return shown(item, "call_id", "") if item.get("call_id") is not None else shown(item, "id", "")


def _output(kind: str, item: Block) -> Iterator[Part]:
    if kind == "mcp_approval_response":
        answer = "approved" if item.get("approve") is True else "refused"
        text = "\n".join(filter(None, (answer, as_text(item.get("reason")))))
        yield Result(shown(item, "approval_request_id", ""), text, "mcp_approval_request", hosted=True)
        return
    family = OUTPUTS.get(kind, kind.removesuffix("_output"))
    hosted = item.get("execution") == "server" or bool(CALLS.get(family, _UNKNOWN_CALL).outcome)
    output = item.get("output")
    yield Result(_call_id(item), _output_text(kind, output), family, hosted, _others(kind, output))


def _others(kind: str, output: object) -> tuple[Image | Document | Opaque, ...]:
    """What a result holds besides its text; of an output that is read as a whole, its pictures and files."""
    found = others_in([output] if is_object(output) else output, _block)
    in_blocks = kind in ("function_call_output", "custom_tool_call_output") and not is_object(output)
    return found if in_blocks else tuple(part for part in found if not isinstance(part, Opaque))


def _output_text(kind: str, output: object) -> str:
    if isinstance(output, str):
        return output
    text = joined_text(output, _TEXT)
    if kind == "function_call_output":
        return text or canonical_json(output)
    return text if kind == "custom_tool_call_output" else readable(output)


def note(text: str) -> Message:
    """The user message that carries a text of ours."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": utf8(text)}]}


# ---------------------------------------------------------------- identity

_VOLATILE = ("id", "status", "internal_chat_message_metadata_passthrough")
_FOUND_BY_ID = frozenset({"item_reference", "mcp_approval_request"})


def canonical(item: Block) -> object:
    """The canonical form of an item: by its kind, and what else it carries."""
    kind = _kind(item)
    if kind in _FOUND_BY_ID:
        return ["found by id", item.get("id"), *opaque_form(item, _VOLATILE)[0]]
    if kind == "message":
        return _canonical_message(item)
    if kind.endswith("_call"):
        said = arguments_text(item.get("arguments", ""))
        return _form([kind, item.get("call_id", ""), item.get("name", ""), said], item, "call_id", "name", "arguments")
    match kind:
        case "reasoning":
            sealed, summary = item.get("encrypted_content") or "", canonical_json(item.get("summary") or [])
            return _form(["reasoning", sealed, summary], item, "encrypted_content", "summary")
        case "function_call_output":
            output = arguments_text(item.get("output"))
            return _form([kind, item.get("call_id", ""), output], item, "call_id", "output")
        case _:
            return opaque_form(item, _VOLATILE)[0]


def _canonical_message(item: Block) -> object:
    blocks, odd = content_forms(item.get("content"), _canonical_block)
    rest = residue(item, {"type", "role", "content", *_VOLATILE}) | odd
    return with_residue(["message", item.get("role", ""), blocks], rest)


def _canonical_block(block: Block) -> Form:
    return text_form(block) if block.get("type", "") in ("input_text", "output_text", "text") else opaque_form(block)


def _form(form: list[object], item: Block, *read_fields: str) -> object:
    return with_residue(form, residue(item, {"type", *read_fields, *_VOLATILE}))


# ---------------------------------------------------------------- what the provider refuses


def _roles_known(seen: Seen) -> Iterator[Fault]:
    """A message is the user's, the model's, the system's, the developer's, or another agent's."""
    for index, reading in enumerate(seen.readings):
        if reading.speaker == "instruction" and not reading.pinned and reading.role not in _INSTRUCTING:
            yield Fault("unknown-role", index, f"message {index} has the unknown role {reading.role!r}")


def _reasoning_leads(seen: Seen) -> Iterator[Fault]:
    """A reasoning item is followed by the item that it belongs to."""
    for index, reading in enumerate(seen.readings):
        thinks = any(isinstance(part, Thinking) for part in reading.parts)
        if thinks and (index + 1 == len(seen.readings) or seen.readings[index + 1].speaker != "model"):
            yield Fault("lone-reasoning", index, f"reasoning item {index} stands without the item that it belongs to")


DIALECT = Dialect(
    name="openai-responses",
    messages_key="input",
    reader=read,
    form=canonical,
    note=note,
    checks=(*WELL_FORMED, *PAIRED, _roles_known, _reasoning_leads),
    reach="anywhere",
    runs=True,
    joined=True,
    notes_from=frozenset({"user", "instruction"}),
)
