"""Codex rollouts: JSON lines `{timestamp, type, payload}`; the model's history is what `response_item` lines hold.

Items are given as they stand in the file. A `compacted` line replaces all before it, a rollback takes the newest turns
back; everything else in the file mirrors the history or describes the run. Old rollouts hold the items on the lines
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faithfold.core.kinds import ITEM_TYPES
from faithfold.core.values import as_list, as_object, as_text
from faithfold.core.voices import CODEX_CONTEXT
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.transcript import Parsed, Problem

_LINE_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"))
_HEADER_KEYS = frozenset(("instructions", "git"))


def recognises(value: Mapping[str, object]) -> bool:
    """Whether an object is a line of a Codex rollout; of an old flat one only its header or state lines are."""
    if as_text(value.get("type")) in _LINE_TYPES:
        return "payload" in value
    is_header = "type" not in value and {"id", "timestamp"} <= value.keys() and not _HEADER_KEYS.isdisjoint(value)
    return is_header or "record_type" in value


def read(entries: Sequence[FileEntry], everything: bool) -> Parsed:
    """The input items of the live context.

    With `everything` the originals before each compaction, without what replaced them.
    """
    history: list[object] = []
    model = ""
    for entry in entries:
        line = as_object(entry.value)
        payload = as_object(line.get("payload"))
        model = (as_text(payload.get("model")) if line.get("type") == "turn_context" else "") or model
        if line.get("type") == "compacted" and not everything:
            history = _compacted(history, payload)
        elif line.get("type") == "event_msg":
            history = _rolled_back(history, payload)
        else:
            history.extend(_items(line))
    problems = (Problem(entry.line, why) for entry in entries if (why := _why_bad(as_object(entry.value))))
    return Parsed(history, tuple(problems), model)


def _why_bad(line: Mapping[str, object]) -> str:
    """What is wrong with a line, "" when nothing is."""
    payload = as_object(line.get("payload"))
    if line.get("type") == "response_item" and not _is_item(payload):
        return "a response_item line without an item"
    is_replaced = line.get("type") == "compacted"
    if is_replaced and not all(map(_is_item, as_list(payload.get("replacement_history")))):
        return "a compacted line with something that is no item"
    return ""


def _items(line: Mapping[str, object]) -> list[object]:
    """The item that a line adds to the history: its payload, or in an old rollout the line itself."""
    if line.get("type") == "response_item":
        return _sent([line.get("payload")])
    is_flat = "payload" not in line and as_text(line.get("type")) in (*ITEM_TYPES, "")
    return _sent([line]) if is_flat else []


def _sent(items: Sequence[object]) -> list[object]:
    """The items that go to the model. A snapshot of the work tree is kept for undo only."""
    return [item for item in items if _is_item(item) and as_object(item).get("type") != "ghost_snapshot"]


def _is_item(value: object) -> bool:
    """Whether a value is an item: it has a type, or is a message, which needs none."""
    fields = as_object(value)
    return bool(as_text(fields.get("type"))) or bool(as_text(fields.get("role")) and "content" in fields)


def _compacted(history: list[object], payload: Mapping[str, object]) -> list[object]:
    """The history after a compaction: what the line says replaces it, else what was told and the summary.

    A line that says neither tells nothing about what the model saw then, so all stays.
    """
    summary = as_text(payload.get("message"))
    if isinstance(payload.get("replacement_history"), list):
        return _sent(as_list(payload.get("replacement_history")))
    if not summary:
        return history
    kept = [item for item in history if _role(item) in ("user", "developer", "system")]
    content = [{"type": "input_text", "text": summary}]
    return [*kept, {"type": "message", "role": "user", "content": content}]


def _rolled_back(history: list[object], payload: Mapping[str, object]) -> list[object]:
    """The history without the newest turns that a rollback takes back; what precedes the first turn always stays."""
    turns = payload.get("num_turns")
    if payload.get("type") != "thread_rolled_back" or not isinstance(turns, int) or turns < 1:
        return history
    starts = [index for index, item in enumerate(history) if _is_turn_start(item)]
    return history[: starts[max(0, len(starts) - turns)]] if starts else history


def _is_turn_start(item: object) -> bool:
    content = as_object(item).get("content")
    text = as_text(content) or "".join(as_text(as_object(block).get("text")) for block in as_list(content)[:1])
    return _role(item) == "user" and not text.startswith(CODEX_CONTEXT)


def _role(item: object) -> str:
    fields = as_object(item)
    return as_text(fields.get("role")) if fields.get("type", "message") == "message" else ""
