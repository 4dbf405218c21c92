"""The edge of the package: reading a session from disk or standard input, and finding the newest one of an agent.

Nothing is ever written, and nothing else in this package touches the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from faithfold.core.errors import InputError
from faithfold.sessions.parse import parse
from faithfold.sessions.transcript import Transcript

# Where each agent keeps its sessions, under the home folder (spec page 60), and names there that are none: Claude Code
# keeps the sessions of sub-agents beside those of their callers.
_PLACES = {
    "claude": (".claude/projects", "*/*.jsonl", "agent-"),
    "codex": (".codex/sessions", "**/rollout-*.jsonl", ""),
    "pi": (".pi/agent/sessions", "**/*.jsonl", ""),
}


def read(path: str, *, dialect: str | None = None, everything: bool = False, pick: int | None = None) -> Transcript:
    """The conversation in a file, or in standard input when `path` is "-".

    Options and errors as for `parse`; raises InputError also when the file can't be read.
    """
    return parse(_bytes(path), dialect=dialect, everything=everything, pick=pick)


def latest(agent: str | None = None) -> str:
    """The path of the newest session on this machine of "claude", "codex" or "pi", or of any of them when None.

    Raises InputError when there is none, or no such agent.
    """
    if agent is not None and agent not in _PLACES:
        raise InputError(f"there is no agent {agent!r}; it is one of {', '.join(_PLACES)}")
    agents = [agent] if agent else list(_PLACES)
    found = [each for name in agents for each in _sessions(name)]
    if not found:
        places = " or ".join(f"~/{_PLACES[name][0]}" for name in agents)
        raise InputError(f"there is no session under {places}; name a file instead")
    return max(found)[1]


def _sessions(agent: str) -> Iterator[tuple[int, str]]:
    """When each session of an agent was last written (ns), and its path. One that vanishes meanwhile is none."""
    folder, pattern, not_prefix = _PLACES[agent]
    for path in (Path.home() / folder).glob(pattern):
        try:
            changed = path.stat().st_mtime_ns
        except OSError:
            continue
        if path.is_file() and not (not_prefix and path.name.startswith(not_prefix)):
            yield changed, str(path)


def _bytes(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path!r} is no path: {error}") from None
