"""Which format a file is in: told by its content, by one table of the agents whose sessions are read.

A file is an agent's session when any of its lines is recognised, so that a session whose first line is lost is still
known. What no agent's row recognises is a body or a list of messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from faithfold.core.values import as_object
from faithfold.sessions import claude_code, codex, pi
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.transcript import Parsed


@dataclass(frozen=True, slots=True)
class Format:
    """An agent's session format: its names, the dialect of its messages, and its two functions."""

    agent: str
    name: str
    dialect: str
    recognises: Callable[[Mapping[str, object]], bool]
    read: Callable[[Sequence[FileEntry], bool], Parsed]


FORMATS = (
    Format("claude", "Claude Code session", "anthropic", claude_code.recognises, claude_code.read),
    Format("codex", "Codex session", "openai-responses", codex.recognises, codex.read),
    Format("pi", "Pi session", "pi", pi.recognises, pi.read),
)


def sniff(entries: Sequence[FileEntry]) -> Format | None:
    """The agent's format that the entries are in, None when they are no agent's session."""
    lines = [as_object(entry.value) for entry in entries]
    return next((each for each in FORMATS if any(map(each.recognises, lines))), None)
