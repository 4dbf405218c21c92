"""The edge of the package: reading a session from disk or standard input, and finding the newest one of an agent.

Nothing is ever written, and nothing else in this package touches the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from faithfold.core.errors import InputError
from faithfold.sessions.parse import parse
from faithfold.sessions.transcript import Transcript

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent keeps its sessions (spec page 60).

    Attributes:
        home: the agent's own folder, under the user's home.
        folder: of the sessions, in there.
        pattern: of the sessions' files, in there.
        not_prefix: beginning of file names that are none: Claude Code keeps sub-agents' sessions beside their callers'.
        beside: a file of the agent's that is not in its folder but in the user's home.
    """

    home: str
    folder: str
    pattern: str
    not_prefix: str = ""
    beside: str = ""

    def root(self, home: str | None = None) -> Path:
        """The agent's own folder; `home` is that folder where it is elsewhere.

        Raises:
            InputError: it is in its usual place, and there is no user's home.
        """
        return Path(home) if home else users_home() / self.home

    def sessions(self, home: str | None = None) -> Path:
        """The folder of the sessions, in the agent's own folder; errors as for `root`."""
        return self.root(home) / self.folder


PLACES: Mapping[str, Place] = {
    "claude": Place(".claude", "projects", "*/*.jsonl", "agent-", ".claude.json"),
    "codex": Place(".codex", "sessions", "**/rollout-*.jsonl"),
    "pi": Place(".pi/agent", "sessions", "**/*.jsonl"),
}


def read(path: str, *, dialect: str | None = None, everything: bool = False, pick: int | None = None) -> Transcript:
    """The conversation in a file, or in standard input when `path` is "-".

    Options and errors as for `parse`, with the file named first; raises InputError also when the file can't be read.
    """
    data = _bytes(path)
    try:
        return parse(data, dialect=dialect, everything=everything, pick=pick)
    except InputError as error:
        raise type(error)(f"{_named(path)}: {error}") from None


def users_home() -> Path:
    """The user's home.

    Raises:
        InputError: there is none.
    """
    try:
        return Path.home()
    except RuntimeError:
        raise InputError("there is no home folder to look for sessions in; set HOME, or name a file") from None


def latest(agent: str | None = None, homes: Mapping[str, str] | None = None) -> str:
    """The path of the newest session on this machine; arguments and errors as for `newest_first`."""
    return newest_first(agent, homes)[0]


def newest_first(agent: str | None = None, homes: Mapping[str, str] | None = None) -> list[str]:
    """The paths of the sessions on this machine, at least one.

    Args:
        agent: "claude", "codex" or "pi", or None for any of them.
        homes: by agent, its own folder where that is not in its usual place.

    Raises:
        InputError: there is none, or no such agent, or no home to look for them in.
    """
    if agent is not None and agent not in PLACES:
        raise InputError(f"there is no agent {agent!r}; it is one of {', '.join(PLACES)}")
    folders = {name: PLACES[name].sessions((homes or {}).get(name)) for name in ([agent] if agent else PLACES)}
    found = [each for name, folder in folders.items() for each in _sessions(PLACES[name], folder)]
    if not found:
        raise InputError(f"there is no session under {' or '.join(map(str, folders.values()))}; name a file instead")
    return [path for _, path in sorted(found, reverse=True)]


def _sessions(place: Place, folder: Path) -> Iterator[tuple[int, str]]:
    """When each session of an agent was last written (ns), and its path. One that vanishes meanwhile is none."""
    for path in folder.glob(place.pattern):
        try:
            changed = path.stat().st_mtime_ns
        except OSError:
            continue
        if path.is_file() and not (place.not_prefix and path.name.startswith(place.not_prefix)):
            yield changed, str(path)


def _bytes(path: str) -> bytes:
    if not path:
        raise InputError("the file's name is empty; expected a path, or - for standard input")
    if path == STANDARD_INPUT and not sys.stdin:
        raise InputError("standard input is closed; expected a conversation in it, or the name of a file")
    try:
        return sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{_named(path)} can't be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path!r} is no path: {error}") from None


def _named(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path
