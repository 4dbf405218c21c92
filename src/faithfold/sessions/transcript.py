"""What reading a session gives: the messages in their wire form, and what was wrong with the file.

A damaged file never hides its damage: each line that could not be used is a `Problem`, and every other line is used.
"""

from __future__ import annotations

from dataclasses import dataclass

from faithfold.core.errors import InputError

EXPECTED = "a Claude Code, Codex or Pi session, a request body, or a message list, as JSON or JSON lines"


class NoMessagesError(InputError):
    """The input can be read, and nothing in it is a message of a known form."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that was left out or mended: its number, from 1, and why."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a format's reader makes of an agent's session: the fields of `Transcript` that only the reader knows."""

    messages: list[object]
    problems: tuple[Problem, ...] = ()
    model: str = ""
    injected: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation out of a file (spec page 60, "Session files").

    messages       wire messages (for "openai-responses" input items), as the dialect's API takes them
    dialect        "anthropic", "openai", "openai-responses", "pi", or the one that the caller named
    body           the request body that the messages came from, or None when the file held no body
    problems       the lines that could not be used, in file order
    agent          "claude", "codex", "pi", or "plain" for bodies and message lists
    model          the last model named, "" when none is
    conversations  how many conversations the file held
    picked         which of them this is, from 1
    injected       indices of the messages whose text an agent's harness wrote, though they are the user's by their role
                   (Claude Code's `isMeta` lines, and the summaries of its compactions): the model saw them, no human
                   said them, so none begins a turn (spec page 90, "Terms and model")
    """

    messages: list[object]
    dialect: str
    body: dict[str, object] | None
    problems: tuple[Problem, ...]
    agent: str
    model: str
    conversations: int = 1
    picked: int = 1
    injected: frozenset[int] = frozenset()
