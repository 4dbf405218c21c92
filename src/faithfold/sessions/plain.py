"""Request bodies and message lists: bare, or wrapped as logs, fixtures and trajectories wrap them.

A file may hold many conversations, and a log holds each conversation many times over, one request longer than the one
before: requests of which one begins with all of another are one conversation, and its longest stands for it. Of
several conversations the longest is taken unless the caller picks one. Messages and bodies are given as they stand.

Lines that are messages are one conversation together; then every line must be one, and each that is not is named. In a
log each line stands for itself: one without a request (an answer, an event) is nothing bad.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faithfold.core.errors import InputError
from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.prefixes import PrefixIndex
from faithfold.sessions.shapes import dialect_of_body, dialect_of_messages, dialect_of_path, is_message
from faithfold.sessions.transcript import Problem, Transcript

_WRAPPERS = ("request", "request_params", "body", "history", "traj")
_MAX_DEPTH = 6  # a body in a request in a list of lists is four deep; what nests deeper is no wrapper
_BODY_KEYS = frozenset(("messages", "input", "system", "instructions", "tools", "max_tokens", "stream", "temperature"))
_LOG_KEYS = frozenset(("response", "choices", "info", "timestamp", "trajectory_format", "task_id"))


@dataclass(frozen=True, slots=True)
class Found:
    """One conversation of a file: its messages, the body that held them if one did, the model, the path it went to."""

    messages: list[object]
    body: dict[str, object] | None = None
    model: str = ""
    path: str = ""


def read(entries: Sequence[FileEntry], dialect: str | None, pick: int | None) -> Transcript | None:
    """The picked conversation, else the longest (the first of equals); None when the file holds none.

    Raises InputError when `pick` is not one of them.
    """
    found, problems = find(entries)
    groups = group(found)
    if not groups:
        return None
    if pick is not None and not 1 <= pick <= len(groups):
        raise InputError(f"there is no conversation {pick}: the file holds {len(groups)}, pick 1 to {len(groups)}")
    longest = max(range(len(groups)), key=lambda index: len(groups[index].messages))
    picked = longest if pick is None else pick - 1
    taken = groups[picked]
    told = dialect or dialect_of(taken)
    return Transcript(taken.messages, told, taken.body, problems, "plain", taken.model, len(groups), picked + 1)


def dialect_of(found: Found) -> str:
    """The dialect by path, by the body's keys, by the messages, by the model's name, and else "openai"."""
    told = dialect_of_path(found.path) or dialect_of_body(as_object(found.body)) or dialect_of_messages(found.messages)
    return told or ("anthropic" if found.model.startswith("claude") else "openai")


def find(entries: Sequence[FileEntry]) -> tuple[list[Found], tuple[Problem, ...]]:
    """The conversations of a file in order, and the lines that should have held a message but did not."""
    lines = [entry.value for entry in entries if is_message(entry.value)]
    found: list[Found] = []
    problems: list[Problem] = []
    for entry in entries:
        is_line = is_message(entry.value)
        inner = [] if is_line else list(_unwrap(entry.value, "", _MAX_DEPTH))
        found.extend([Found(lines)] if lines and entry.value is lines[0] else inner)
        if not is_line and not inner and (lines or _should_hold_messages(entry.value)):
            problems.append(Problem(entry.line, "no message"))
    return found, tuple(problems)


def _should_hold_messages(value: object) -> bool:
    """Whether a value is a list, or has one in the place of its messages."""
    return not as_object(value) or bool(as_list(as_object(value).get("messages")))


def group(found: Sequence[Found]) -> list[Found]:
    """One for each conversation: the longest of its requests, and of equals the last.

    A request belongs to a conversation when one of them begins with all of the other, or with all but its last
    exchange, which was then tried again (but not with so few messages that all of a kind may begin with them).
    """
    groups: list[Found] = []
    index = PrefixIndex()
    for each in found:
        prefixes = index.prefixes(each.messages)
        place = index.find(prefixes)
        if place is None:
            index.put(prefixes, len(groups))
            groups.append(each)
        elif len(each.messages) >= len(groups[place].messages):
            index.put(prefixes, place)
            groups[place] = each
    return groups


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


def in_place_of_messages(value: object) -> list[object]:
    """What an object, or a body wrapped in it, has where a body has its messages."""
    objects = [as_object(value), *(as_object(as_object(value).get(key)) for key in _WRAPPERS)]
    return [each[key] for each in objects for key in ("messages", "input") if key in each]


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
