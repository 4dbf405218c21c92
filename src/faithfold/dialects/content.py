"""What the wire formats have in common: content that is a string or a list of blocks, and ids of any type.

All readers are total. A block that is no object and no string is opaque, so one odd block costs at most itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from faithfold.core.identity import canonical_json, digest_text, residue
from faithfold.core.media import image_payload
from faithfold.core.parts import Document, Image, Opaque, Part, Text
from faithfold.core.values import as_list, as_object, as_text, is_list, is_object

Block = Mapping[str, object]
Form = tuple[list[object], object]
"""The canonical form of a block, and what the block carries besides."""

_READABLE = (
    "title",
    "url",
    "text",
    "stdout",
    "stderr",
    "logs",
    "error_code",
    "message",
    "tool_references",
    "tool_name",
    "content",
    "output",
)


def parts_of(content: object, read_block: Callable[[str, Block], Part]) -> Iterator[Part]:
    """The parts of a message's content: a string, a list of blocks and bare strings, or something else.

    Args:
        content: the field as the client sent it.
        read_block: reads a block that is an object, given its type.
    """
    if isinstance(content, str):
        yield Text(content)
    elif is_list(content):
        for block in content:
            yield _part(block, read_block)
    elif content is not None:
        yield Opaque("content")


def _part(block: object, read_block: Callable[[str, Block], Part]) -> Part:
    if isinstance(block, str):
        return Text(block)
    if not is_object(block):
        return Opaque("no object")
    return read_block(as_text(block.get("type")), block)


def image(block: Block) -> Image:
    """An image block, in any of the wire formats."""
    return Image(image_payload(block))


def others_in(content: object, read_block: Callable[[str, Block], Part]) -> tuple[Image | Document | Opaque, ...]:
    """What the content of a tool result holds besides text."""
    blocks = content if is_list(content) else ()
    return tuple(part for part in parts_of(blocks, read_block) if isinstance(part, (Image, Document, Opaque)))


def text_or_list(content: object) -> object:
    """Content as it is; what is neither text nor a list nor null, as text."""
    return content if content is None or isinstance(content, str) or is_list(content) else str(content)


def text_part(kind: str, text: object) -> Part:
    """A text block, or an opaque one if its text is none."""
    return Text(text) if isinstance(text, str) else Opaque(kind)


def joined_text(content: object, kinds: frozenset[str]) -> str:
    """The text of a tool result's content: a string, or the text blocks of the given kinds, joined by newlines."""
    if isinstance(content, str):
        return content
    if is_list(content):
        return "\n".join(_texts(content, kinds))
    return "" if content is None else str(content)


def _texts(blocks: Sequence[object], kinds: frozenset[str]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif as_text(as_object(block).get("type")) in kinds:
            yield as_text(as_object(block).get("text"))


def readable(value: object) -> str:
    """The texts anywhere in the result of a hosted tool, joined by newlines; ids and encrypted fields left out."""
    return "\n".join(text for text in _leaves(value) if text.strip())


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_object(value):
        for name in _READABLE:
            yield from _leaves(value.get(name))
    else:
        for inner in as_list(value):
            yield from _leaves(inner)


def arguments_text(arguments: object) -> str:
    """The arguments of a call: as the client wrote them where they are text, else as canonical JSON."""
    return arguments if isinstance(arguments, str) else canonical_json(arguments)


def shown(fields: Block, name: str, default: str) -> str:
    """A field as text, whatever its type; `default` where it is missing."""
    return str(fields.get(name, default))


# ---------------------------------------------------------------- identity


def forms(values: object, form_of: Callable[[Block], Form], where: str) -> tuple[list[object], dict[str, object]]:
    """The canonical forms of the objects in a list, and by place what the forms don't show.

    Args:
        values: the field as the client sent it; what is no list is shown in the rest, whole.
        form_of: the form of one block.
        where: the name of the field.
    """
    if not is_list(values):
        return [], {where: values} if values else {}
    found: list[object] = []
    rest: dict[str, object] = {}
    for place, value in enumerate(values):
        left: object = [value]
        if is_object(value):
            form, left = form_of(value)
            found.append(form)
        if left:
            rest[f"{where} {place}"] = left
    return found, rest


def content_forms(content: object, form_of: Callable[[Block], Form]) -> tuple[list[object], dict[str, object]]:
    """As `forms`, for a message's content: a string is the same as one text block."""
    if isinstance(content, str):
        return [["text", content]], {}
    return forms(content, form_of, "content")


def opaque_form(block: Block, volatile: Sequence[str] = ("cache_control",)) -> Form:
    """The form of a block that the dialect has no form for: all of it but what is volatile."""
    return ["other", canonical_json({name: value for name, value in block.items() if name not in volatile})], None


def text_form(block: Block) -> Form:
    """The form of a text block."""
    return ["text", block.get("text", "")], residue(block, {"type", "text", "cache_control"})


def payload_digest(payload: object) -> str:
    """The sha256 of a medium's base64, URL or id, as 64 hex digits."""
    return digest_text(arguments_text(payload))
