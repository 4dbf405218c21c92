"""Pi's own messages, as its session files and its extensions hold them.

Roles are `user`, `assistant`, `toolResult`, `bashExecution`, and those that Pi shows to the model as the user's
(custom messages and summaries). A result is found by its call's id. What only Pi's own screen or bill needs
(time, usage, details, the model that answered) is no part of a message's identity.

Source: spec 60-hosts, The formats; spec 00-model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from faithfold.core.dialect import Dialect, Message
from faithfold.core.faults import PAIRED, WELL_FORMED, roles, user_first
from faithfold.core.identity import residue
from faithfold.core.parts import Call, Opaque, Part, Reading, Result, Speaker, Thinking
from faithfold.core.values import as_text, is_list, is_object, utf8
from faithfold.dialects.content import Block, arguments_text, image, joined_text, others_in, parts_of, shown, text_part

_SPEAKERS: Mapping[str, Speaker] = {
    "assistant": "model",
    "user": "user",
    "toolResult": "tool",
    "bashExecution": "user",
    "custom": "user",
    "hookMessage": "user",
    "branchSummary": "user",
    "compactionSummary": "user",
}
_TEXT = frozenset({"text"})
_VOLATILE = frozenset({"timestamp", "usage", "details", "responseId", "api", "provider", "model"})
_VOLATILE_IN_BLOCKS = frozenset({"thinkingSignature", "textSignature", "thoughtSignature", "partialJson"})


def read(message: Block) -> Reading:
    """Reads a message."""
    role = as_text(message.get("role"))
    return Reading(_SPEAKERS.get(role, "other"), role, tuple(_parts(role, message)))


def _parts(role: str, fields: Block) -> Iterator[Part]:
    content = fields.get("content")
    match role:
        case "toolResult":
            others = others_in(content, _block)
            yield Result(shown(fields, "toolCallId", ""), joined_text(content, _TEXT), "toolCall", others=others)
        case "bashExecution":
            yield Call("", "bash", as_text(fields.get("command")), "bashExecution", hosted=True)
            yield Result("", as_text(fields.get("output")), "bashExecution", hosted=True)
        case "branchSummary" | "compactionSummary":
            yield text_part(role, fields.get("summary"))
        case _:
            yield from parts_of(content, _block)


def _block(kind: str, block: Block) -> Part:
    match kind:
        case "text":
            return text_part(kind, block.get("text"))
        case "thinking":
            return Thinking(as_text(block.get("thinking")))
        case "toolCall":
            arguments = arguments_text(block.get("arguments", {}))
            return Call(shown(block, "id", ""), shown(block, "name", "?"), arguments, "toolCall")
        case "image":
            return image(block)
        case _:
            return Opaque(kind)


def note(text: str) -> Message:
    """The user message that carries a text of ours."""
    return {"role": "user", "content": [{"type": "text", "text": utf8(text)}]}


def canonical(message: Block) -> object:
    """The canonical form: the message less what is volatile; a text counts as a list of one text block."""
    content = message.get("content")
    blocks: object = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if is_list(blocks):
        blocks = [_canonical_block(block) for block in blocks]
    return ["pi", blocks, residue(message, {"content", *_VOLATILE})]


def _canonical_block(block: object) -> object:
    if not is_object(block):
        return block
    return {name: value for name, value in block.items() if name not in _VOLATILE_IN_BLOCKS}


DIALECT = Dialect(
    name="pi",
    reader=read,
    form=canonical,
    note=note,
    checks=(*WELL_FORMED, *PAIRED, roles, user_first),
    reach="anywhere",
)
