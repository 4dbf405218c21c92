"""OpenAI Responses, for clients that resend the whole `input`.

History is a list of items. A model's answer is several of them: reasoning, then messages and calls; their results
follow as items of their own, paired by `call_id` and by family (a `custom_tool_call` is answered by a
`custom_tool_call_output`), however late. The table `_CALLS` says for each kind of call where its name and
arguments stand. A provider's own compaction, and tools defined by an item, are pinned: never folded.

Item ids and status are lifecycle metadata, but for items that are found by their id.

Source: spec 00-model; OpenAI's Responses API; faults B005, B008, B009, B027, B029, B111.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faithfold.core.dialect import Dialect, Message, utf8
from faithfold.core.faults import (
    Fault,
    calls_answered,
    not_empty,
    objects,
    results_called,
    results_once,
    someone_speaks,
)
from faithfold.core.identity import canonical_json, residue, with_residue
from faithfold.core.pairing import Pairing
from faithfold.core.parts import UNREADABLE, Call, Document, Opaque, Part, Reading, Reference, Result, Speaker, Thinking
from faithfold.core.values import as_list, as_object, as_text, is_object
from faithfold.dialects.content import (
    Block,
    Form,
    arguments_text,
    content_forms,
    image,
    joined_text,
    media_in,
    opaque_form,
    parts_of,
    readable,
    shown,
    text_form,
    text_or_list,
    text_part,
)

_TEXT = frozenset({"input_text", "output_text", "text"})
_PINNED = frozenset(
    {"compaction", "compaction_summary", "context_compaction", "compaction_trigger", "additional_tools"}
)

# Kind of call: the field with its arguments, and the field with an outcome that the item itself carries.
# Calls with an outcome field run at the provider (or wait for a person): the client owes them no result.
_CALLS: Mapping[str, tuple[str, str]] = {
    "function_call": ("arguments", ""),
    "custom_tool_call": ("input", ""),
    "local_shell_call": ("action", ""),
    "shell_call": ("action", ""),
    "apply_patch_call": ("operation", ""),
    "computer_call": ("action", ""),
    "tool_search_call": ("arguments", ""),
    "program": ("code", "result"),
    "web_search_call": ("action", "results"),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("revised_prompt", "result"),
    "mcp_call": ("arguments", "output"),
    "mcp_approval_request": ("arguments", "approved"),
}
_FAMILIES: Mapping[str, str] = {"tool_search_output": "tool_search_call", "program_output": "program"}


def read(message: object) -> Reading:
    """Reads an item, whatever it is."""
    if not is_object(message):
        return UNREADABLE
    item = message
    kind = _kind(item)
    if kind in ("message", "agent_message"):
        return _message(kind, item)
    if kind in _PINNED:
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
    elif kind in _CALLS or kind.endswith("_call"):
        yield from _call(kind, item)


def _reasoning(blocks: object) -> Iterator[str]:
    return (as_text(as_object(block).get("text")) for block in as_list(blocks) if is_object(block))


def _call(kind: str, item: Block) -> Iterator[Part]:
    arguments, outcome = _CALLS.get(kind, ("arguments", "output"))
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
    family = _FAMILIES.get(kind, kind.removesuffix("_output"))
    hosted = item.get("execution") == "server" or bool(_CALLS.get(family, ("", "output"))[1])
    output = item.get("output")
    seen = [output] if is_object(output) else output
    yield Result(_call_id(item), _output_text(kind, output), family, hosted, media_in(seen, _block))


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


def canonical(message: object) -> object:
    """The canonical form of an item: by its kind, and what else it carries."""
    if not is_object(message):
        return ["no object", canonical_json(message)]
    item = message
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


def _reasoning_leads(readings: Sequence[Reading], pairing: Pairing) -> Iterator[Fault]:
    """A reasoning item is followed by the item that it belongs to."""
    del pairing
    for index, reading in enumerate(readings):
        thinks = any(isinstance(part, Thinking) for part in reading.parts)
        if thinks and (index + 1 == len(readings) or readings[index + 1].speaker != "model"):
            yield Fault("lone-reasoning", index, f"reasoning item {index} stands without the item that it belongs to")


DIALECT = Dialect(
    name="openai-responses",
    messages_key="input",
    read=read,
    canonical=canonical,
    note=note,
    checks=(
        not_empty,
        objects,
        someone_speaks,
        calls_answered,
        results_called,
        results_once,
        _reasoning_leads,
    ),
    reach="anywhere",
    runs=True,
    joined=True,
)
