"""One line of a Claude Code session, and what it says: its blocks, its results, whether it is the model's.

A line is read as it stands; how lines belong together is for others. Every reader is total: a line may hold anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faithfold.core.values import as_list, as_object, as_text

SPEAKERS = ("user", "assistant")
_BY_CLIENT = "<synthetic>"  # notices that the client wrote in the model's name; they never went to the API


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number, its key in the tree, its parent's key ("" for none), and what it holds."""

    number: int
    key: str
    parent: str
    entry: Mapping[str, object]

    @property
    def kind(self) -> str:
        """The line's type, "" when it names none."""
        return as_text(self.entry.get("type"))

    @property
    def message(self) -> Mapping[str, object]:
        """The API message that the line holds, or a part of it; empty for other lines."""
        return as_object(self.entry.get("message"))

    @property
    def is_readable(self) -> bool:
        """Whether a message line has a content to read."""
        return self.kind not in SPEAKERS or isinstance(self.message.get("content"), (str, list))

    @property
    def is_boundary(self) -> bool:
        """Whether a compaction took place here."""
        return self.kind == "system" and self.entry.get("subtype") == "compact_boundary"

    @property
    def is_summary(self) -> bool:
        """Whether the line is the summary that a compaction put in place of what was before it."""
        return self.entry.get("isCompactSummary") is True

    @property
    def is_sidechain(self) -> bool:
        """Whether the line belongs to a sub-agent."""
        return self.entry.get("isSidechain") is True or bool(self.entry.get("parent_tool_use_id"))

    @property
    def is_by_client(self) -> bool:
        """Whether the client wrote this in the model's name, as a notice to the user."""
        return self.kind == "assistant" and self.message.get("model") == _BY_CLIENT

    @property
    def is_by_model(self) -> bool:
        """Whether the line is the model's, or a part of what it said."""
        return self.kind == "assistant" and self.is_readable and not self.is_by_client

    @property
    def is_injected(self) -> bool:
        """Whether a harness wrote the line's text, though it is sent as the user's."""
        return self.entry.get("isMeta") is True or self.is_summary

    @property
    def blocks(self) -> Sequence[object]:
        """The content as blocks. A bare text counts as a text block, and what is no block at all is left out."""
        content = self.message.get("content")
        items = [content] if isinstance(content, str) else as_list(content)
        return [_text_block(item) if isinstance(item, str) else item for item in items if item and _is_block(item)]

    @property
    def results(self) -> Sequence[object]:
        """The tool results among the blocks."""
        return [block for block in self.blocks if result_of(block) is not None]

    @property
    def said(self) -> object:
        """What the line adds as a user message of its own, if anything. A result is no part of it."""
        if self.kind == "attachment":
            return _queued(as_object(self.entry.get("attachment")))
        if self.kind != "user":
            return None
        content = self.message.get("content")
        return content if isinstance(content, str) else [block for block in self.blocks if result_of(block) is None]

    @property
    def calls(self) -> Iterator[str]:
        """The ids of the tool calls among the blocks."""
        return filter(None, map(call_of, self.blocks))


Lines = dict[str, Line]


def call_of(block: object) -> str:
    """The id of a tool call, "" for any other block."""
    fields = as_object(block)
    return as_text(fields.get("id")) if fields.get("type") == "tool_use" else ""


def result_of(block: object) -> str | None:
    """The id of the call that a tool result answers ("" when it names none), None for any other block."""
    fields = as_object(block)
    return as_text(fields.get("tool_use_id")) if fields.get("type") == "tool_result" else None


def _text_block(text: str) -> object:
    return {"type": "text", "text": text}


def _is_block(item: object) -> bool:
    return isinstance(item, (str, dict))


def _queued(attachment: Mapping[str, object]) -> object:
    """What the user typed while the agent was at work: it reached the model, and only an attachment line has it."""
    prompt = attachment.get("prompt") if attachment.get("type") == "queued_command" else None
    return as_text(prompt) or as_list(prompt)
