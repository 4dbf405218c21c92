"""Agents' session files: their lines, and reading them; what is said in them is built by `pieces`."""

from __future__ import annotations

import json

from faithfold.sessions import Transcript, parse

JSON = dict[str, object]


def file_of(*lines: object) -> bytes:
    """A JSON value a line."""
    return "\n".join(map(json.dumps, lines)).encode()


def read(*lines: object, everything: bool = False, dialect: str | None = None, pick: int | None = None) -> Transcript:
    """The transcript of a file of these lines."""
    return parse(file_of(*lines), everything=everything, dialect=dialect, pick=pick)


def claude_line(kind: str, key: str, parent: str | None, **fields: object) -> JSON:
    shared = {"sessionId": "s", "isSidechain": False, "userType": "external", "version": "2.1.0", "cwd": "/repo"}
    return {"parentUuid": parent, **shared, "type": kind, "uuid": key, **fields}


def user_line(key: str, parent: str | None, content: object, **fields: object) -> JSON:
    """A line of Claude Code's that holds what the user's side sent."""
    return claude_line("user", key, parent, message={"role": "user", "content": content}, **fields)


def model_line(key: str, parent: str | None, *blocks: object, of: str = "", **fields: object) -> JSON:
    """A line of Claude Code's that holds what the model said, or a part of the message `of` that id."""
    message: JSON = {"id": of or f"msg_{key}", "role": "assistant", "model": "opus", "content": [*blocks], "usage": {}}
    return claude_line("assistant", key, parent, message=message, **fields)


def codex_line(kind: str, payload: object, **more: object) -> JSON:
    return {"timestamp": "2026-01-01T00:00:00Z", **more, "type": kind, "payload": payload}


def pi_line(kind: str, key: str, parent: str | None, **fields: object) -> JSON:
    return {"type": kind, "id": key, "parentId": parent, "timestamp": "t", **fields}
