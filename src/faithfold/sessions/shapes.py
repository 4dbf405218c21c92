"""What a wire message looks like in each dialect, and how to tell which dialect a message or a body is in.

A bare list of `{role, content}` fits every dialect; it is told by what only one dialect has (spec page 90, "Session
files and the command line"): a block that only Anthropic knows, `tool_calls` or the role `tool`, typed items, or Pi's
own roles and blocks. The first message that has one decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faithfold.core.kinds import ANTHROPIC_BLOCKS, ITEM_TYPES, OPENAI_BLOCKS, PI_ROLES, RESPONSES_BLOCKS
from faithfold.core.values import as_list, as_object, as_text

_ANTHROPIC_KEYS = frozenset(("system", "anthropic_version", "anthropic_beta", "stop_sequences"))
_OPENAI_KEYS = frozenset(
    (
        "max_completion_tokens",
        "stream_options",
        "response_format",
        "functions",
        "frequency_penalty",
        "presence_penalty",
        "logprobs",
        "reasoning_effort",
        "parallel_tool_calls",
    )
)
_ROUTES = (
    ("/v1/messages", "anthropic"),
    ("/v1/messages/count_tokens", "anthropic"),
    ("/chat/completions", "openai"),
    ("/responses", "openai-responses"),
    ("/responses/compact", "openai-responses"),
)


def is_message(value: object) -> bool:
    """Whether a value is a message or an input item of one of the dialects. Gemini's have `parts`, no content."""
    fields = as_object(value)
    if as_text(fields.get("role")):
        return "parts" not in fields
    kind = as_text(fields.get("type"))
    return kind in ITEM_TYPES and kind != "message"


def dialect_of_path(path: str) -> str:
    """The dialect of an API path or address, "" when it names none."""
    route = path.partition("?")[0].rstrip("/")
    return next((dialect for ending, dialect in _ROUTES if route.endswith(ending)), "")


def dialect_of_body(body: Mapping[str, object]) -> str:
    """The dialect of a request body by its own keys and tools, "" when they leave it open."""
    if "input" in body and "messages" not in body:
        return "openai-responses"
    tools = [as_object(tool) for tool in as_list(body.get("tools"))]
    if not _ANTHROPIC_KEYS.isdisjoint(body) or any("input_schema" in tool for tool in tools):
        return "anthropic"
    if not _OPENAI_KEYS.isdisjoint(body) or any("function" in tool for tool in tools):
        return "openai"
    return ""


def dialect_of_messages(messages: Sequence[object]) -> str:
    """The dialect of the first message that only one dialect has, "" when there is none."""
    return next((dialect for message in messages if (dialect := _dialect_of_message(as_object(message)))), "")


def _dialect_of_message(message: Mapping[str, object]) -> str:
    blocks = list(_blocks(message))
    kinds = {as_text(block.get("type")) for block in blocks}
    if as_text(message.get("role")) in PI_ROLES or "toolCall" in kinds or any(map(_is_pi_block, blocks)):
        return "pi"
    if "tool_calls" in message or message.get("role") in ("tool", "function"):
        return "openai"
    if not ANTHROPIC_BLOCKS.isdisjoint(kinds) or any(map(_is_anthropic_block, blocks)):
        return "anthropic"
    if not OPENAI_BLOCKS.isdisjoint(kinds):
        return "openai"
    is_typed = as_text(message.get("type")) in ITEM_TYPES and "stop_reason" not in message
    return "openai-responses" if is_typed or not RESPONSES_BLOCKS.isdisjoint(kinds) else ""


def _blocks(message: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    return map(as_object, as_list(message.get("content")))


def _is_pi_block(block: Mapping[str, object]) -> bool:
    return "thinkingSignature" in block or "textSignature" in block or {"data", "mimeType"} <= block.keys()


def _is_anthropic_block(block: Mapping[str, object]) -> bool:
    kind = as_text(block.get("type"))
    return kind.endswith("_tool_result") or (kind == "image" and "source" in block)
