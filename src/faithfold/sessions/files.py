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


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent keeps its sessions (spec page 60).

    Attributes:
        home: the agent's own folder, under the user's home.
        folder: of the sessions, in there.
        pattern: of the sessions' files, in there.
        not_prefix: beginning of file names that are none: Claude Code keeps sub-agents' sessions beside their callers'.
    """

    home: str
    folder: str
    pattern: str
    not_prefix: str = ""

    def sessions(self, home: str | None = None) -> Path:
        """The folder of the sessions; `home` is the agent's own folder where it is elsewhere."""
        return (Path(home) if home else Path.home() / self.home) / self.folder


PLACES: Mapping[str, Place] = {
    "claude": Place(".claude", "projects", "*/*.jsonl", "agent-"),
    "codex": Place(".codex", "sessions", "**/rollout-*.jsonl"),
    "pi": Place(".pi/agent", "sessions", "**/*.jsonl"),
}


def read(path: str, *, dialect: str | None = None, everything: bool = False, pick: int | None = None) -> Transcript:
    """The conversation in a file, or in standard input when `path` is "-".

    Options and errors as for `parse`; raises InputError also when the file can't be read.
    """
    return parse(_bytes(path), dialect=dialect, everything=everything, pick=pick)


def latest(agent: str | None = None, homes: Mapping[str, str] | None = None) -> str:
    """The path of the newest session on this machine.

    Args:
        agent: "claude", "codex" or "pi", or None for any of them.
        homes: by agent, its own folder where that is not in its usual place.

    Raises:
        InputError: there is none, or no such agent.
    """
    if agent is not None and agent not in PLACES:
        raise InputError(f"there is no agent {agent!r}; it is one of {', '.join(PLACES)}")
    folders = {name: PLACES[name].sessions((homes or {}).get(name)) for name in ([agent] if agent else PLACES)}
    found = [each for name, folder in folders.items() for each in _sessions(PLACES[name], folder)]
    if not found:
        raise InputError(f"there is no session under {' or '.join(map(str, folders.values()))}; name a file instead")
    return max(found)[1]


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
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path!r} is no path: {error}") from None
