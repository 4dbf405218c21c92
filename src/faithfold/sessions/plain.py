"""Request bodies and message lists: bare, or wrapped as logs, fixtures and trajectories wrap them.

A file may hold many conversations, and a log holds each conversation many times over, one request longer than the one
before: requests of which one begins with all of another are one conversation, and its longest stands for it. Of
several conversations the longest is taken unless the caller picks one. Messages and bodies are given as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from faithfold.core.errors import InputError
from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.lines import Entry
from faithfold.sessions.shapes import dialect_of_body, dialect_of_messages, dialect_of_path, is_message
from faithfold.sessions.transcript import Transcript

_WRAPPERS = ("request", "request_params", "body", "history", "traj")
_MAX_DEPTH = 6  # a body in a request in a list of lists is four deep; what nests deeper is no wrapper
_SURELY_SHARED = 4  # a system prompt, a greeting and its answer may well be the same in every conversation
_BODY_KEYS = frozenset(("messages", "input", "system", "instructions", "tools", "max_tokens", "stream", "temperature"))
_LOG_KEYS = frozenset(("response", "choices", "info", "timestamp", "trajectory_format", "task_id"))


@dataclass(frozen=True, slots=True)
class Found:
    """One conversation of a file: its messages, the body that held them if one did, the model, the path it went to."""

    messages: list[object]
    body: dict[str, object] | None = None
    model: str = ""
    path: str = ""


def read(entries: Sequence[Entry], dialect: str | None, pick: int | None) -> Transcript | None:
    """The picked conversation, else the longest (the first of equals); None when the file holds none.

    Raises InputError when `pick` is not one of them.
    """
    groups = group(find([entry.value for entry in entries]))
    if not groups:
        return None
    if pick is not None and not 1 <= pick <= len(groups):
        raise InputError(f"there is no conversation {pick}: the file holds {len(groups)}, pick 1 to {len(groups)}")
    longest = max(range(len(groups)), key=lambda index: len(groups[index].messages))
    picked = longest if pick is None else pick - 1
    found = groups[picked]
    told = dialect or dialect_of(found)
    return Transcript(found.messages, told, found.body, (), "plain", found.model, len(groups), picked + 1)


def dialect_of(found: Found) -> str:
    """The dialect by path, by the body's keys, by the messages, by the model's name, and else "openai"."""
    told = dialect_of_path(found.path) or dialect_of_body(as_object(found.body)) or dialect_of_messages(found.messages)
    return told or ("anthropic" if found.model.startswith("claude") else "openai")


def find(values: Sequence[object]) -> list[Found]:
    """The conversations of a file in order. When its own lines are messages, they are one conversation together."""
    lines = [value for value in values if is_message(value)]
    if lines:
        return [Found(lines)]
    return [found for value in values for found in _unwrap(value, "", _MAX_DEPTH)]


def group(found: Sequence[Found]) -> list[Found]:
    """One for each conversation: the longest of its requests, and of equals the last."""
    groups: list[tuple[Found, list[object]]] = []
    for each in found:
        steady = [_steady(message) for message in each.messages]
        place = next((i for i, (_, known) in enumerate(groups) if _is_same(known, steady)), None)
        if place is None:
            groups.append((each, steady))
        elif len(steady) >= len(groups[place][1]):
            groups[place] = (each, steady)
    return [each for each, _ in groups]


def _unwrap(value: object, path: str, depth: int) -> Iterator[Found]:
    items = as_list(value)
    if any(map(is_message, items)):
        yield Found(list(items), path=path)
    elif depth:
        for item in items:
            yield from _unwrap(item, path, depth - 1)
        yield from _unwrap_object(as_object(value), path, depth - 1)


def _unwrap_object(value: Mapping[str, object], path: str, depth: int) -> Iterator[Found]:
    path = as_text(value.get("path")) or as_text(value.get("url")) or path
    messages = _messages(value)
    if any(map(is_message, messages)):
        yield Found(messages, dict(value) if _is_body(value) else None, as_text(value.get("model")), path)
        return
    for key in filter(value.__contains__, _WRAPPERS):
        inner = list(_unwrap(value[key], path, depth))
        if inner:
            yield from inner
            return


def _messages(value: Mapping[str, object]) -> list[object]:
    """What a body holds under `messages` or `input`; a Responses `input` may be one bare string."""
    text = value.get("input")
    if isinstance(text, str) and text and "model" in value and "messages" not in value:
        return [{"role": "user", "content": text}]
    return list(as_list(value.get("messages")) or as_list(text))


def _is_body(value: Mapping[str, object]) -> bool:
    """Whether an object with messages is a request body, not a log or a trajectory that only holds messages too."""
    named = "model" in value or "anthropic_version" in value or value.keys() <= _BODY_KEYS
    return named and _LOG_KEYS.isdisjoint(value)


def _is_same(known: Sequence[object], other: Sequence[object]) -> bool:
    """Whether two requests are of one conversation.

    One begins with all of the other, or with all but its last exchange, which was then tried again (but not with so
    few messages that all conversations of a kind may begin with them).
    """
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(known, other, strict=False)))
    shorter = min(len(known), len(other))
    return shared == shorter or (shared >= _SURELY_SHARED and shared >= shorter - 2)


def _steady(message: object) -> object:
    """A message without what clients change between two requests: cache marks, and a string against one text block."""
    fields = _unmarked(as_object(message))
    content = fields.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
    if blocks:
        fields["content"] = [_unmarked(as_object(block)) or block for block in blocks]
    return fields or message


def _unmarked(fields: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key != "cache_control"}
