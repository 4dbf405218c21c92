"""The real conversations beside the project: recorded requests by client, and transcripts by file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from faithfold import sessions
from faithfold.core.errors import InputError
from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.shapes import dialect_of_path
from tests.places import captures, shared_data

MOST_PICKED = 12  # of the conversations in one file: a file of eighty has eighty alike


class Spoken(NamedTuple):
    """A conversation, and the name of what held it."""

    name: str
    dialect: str
    messages: list[object]


def sources() -> list[str]:
    """Names of clients (`captures:NAME`) and of files of transcripts; none where there is no such material."""
    clients = {f"captures:{path.name.rsplit('-', 2)[0]}" for path in _captures("*.json")}
    data = shared_data()
    files = [] if data is None else [path for path in data.rglob("*") if path.is_file() and path.suffix != ".md"]
    return [*sorted(clients), *sorted(path.relative_to(data or path).as_posix() for path in files)]


@cache
def conversations(source: str) -> list[Spoken]:
    """The conversations of one source."""
    kind, _, client = source.partition(":")
    return list(_requests(client) if kind == "captures" else _transcripts(source))


@cache
def messages(source: str) -> list[tuple[str, object]]:
    """The different messages of one source, each with its dialect."""
    found = {
        (spoken.dialect, json.dumps(message)): message
        for spoken in conversations(source)
        for message in spoken.messages
    }
    return [(dialect, message) for (dialect, _), message in found.items()]


def _captures(pattern: str) -> list[Path]:
    folder = captures()
    return [] if folder is None else sorted(folder.glob(pattern))


def _requests(client: str) -> Iterator[Spoken]:
    for path in _captures(f"{client}-*.json"):
        if path.name.rsplit("-", 2)[0] != client:
            continue
        capture = as_object(json.loads(path.read_text("utf-8")))
        body = as_object(capture.get("body"))
        dialect = dialect_of_path(as_text(capture.get("path")))
        told = list(as_list(body.get("input" if dialect == "openai-responses" else "messages")))
        if dialect and told:
            yield Spoken(path.name, dialect, told)


def _transcripts(name: str) -> Iterator[Spoken]:
    path = str((shared_data() or Path()) / name)
    try:
        count = sessions.read(path).conversations
    except InputError:
        return
    for pick in range(1, min(count, MOST_PICKED) + 1):
        read = sessions.read(path, pick=pick if count > 1 else None)
        yield Spoken(f"{name} {pick}", read.dialect, read.messages)
