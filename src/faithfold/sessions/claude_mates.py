"""Which lines of a Claude Code session are one message of the API.

A message stands on as many lines as it has blocks. They share the id of the message and that of the request, and then
they are mates wherever they stand: a human may have typed something meanwhile. The id of the message alone proves
nothing, as some gateways give the same one to every message. Without a request's id, lines are mates only where the
parents of one lead to the other through mates, their results, and lines that never went to the API; what a human said,
or another message, ends a message. On the branch itself the line before counts as the parent, as a compaction may have
moved a message.

Invariant: each line of the model is in exactly one message. Every line is looked at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faithfold.core.values import as_text
from faithfold.sessions.claude_lines import Line, Lines
from faithfold.sessions.tree import Tree

_First = Mapping[str, Line | None]


def mates(lines: Lines, tree: Tree, chain: Sequence[Line]) -> dict[str, list[Line]]:
    """By its key, for each line of the model: all lines of its message, in file order.

    Args:
        lines: all lines of the conversation, in file order.
        tree: their tree.
        chain: the lines of the branch, in its order.
    """
    first: dict[str, Line | None] = {}  # of the message that is not yet ended after a line, its first line
    _follow(chain, None, first)
    for key in lines:
        trail = _trail(key, tree, first)
        if trail:
            _follow([lines[each] for each in reversed(trail)], first.get(tree.above(trail[-1])), first)
    messages: dict[tuple[str, str], list[Line]] = {}
    out: dict[str, list[Line]] = {}
    for line in filter(lambda each: each.is_by_model, lines.values()):
        start = first[line.key] or line
        name = _name(line) if line.entry.get("requestId") else ("", start.key)
        out[line.key] = messages.setdefault(name, [])
        out[line.key].append(line)
    return out


def _trail(key: str, tree: Tree, first: _First) -> list[str]:
    """The lines from `key` upwards whose message isn't known yet. A loop ends it."""
    trail: dict[str, None] = {}
    while key and key not in first and key not in trail:
        trail[key] = None
        key = tree.above(key)
    return list(trail)


def _follow(path: Sequence[Line], start: Line | None, first: dict[str, Line | None]) -> None:
    """Notes for each line of a path which message is not yet ended after it, by its first line."""
    for line in path:
        if line.is_by_model:
            start = start if start and _name(start) == _name(line) else line
        elif _ends_a_message(line):
            start = None
        first[line.key] = start


def _name(line: Line) -> tuple[str, str]:
    """What the lines of one message share; a line without a message id shares nothing."""
    name = as_text(line.message.get("id"))
    return (name, as_text(line.entry.get("requestId"))) if name else ("", line.key)


def _ends_a_message(line: Line) -> bool:
    """Whether the next line of the model is of another message: after a human's words, and after a compaction."""
    return line.is_boundary or line.is_summary or (bool(line.said) and not line.is_injected)
