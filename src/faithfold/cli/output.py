"""Writing a result to a file: whole or not at all, and never over what is not ours to change.

Invariant: a reader of the file sees the old content or the new one, also when writing fails halfway. The input, and
any file of an agent, is never written.

Source: spec 60-hosts, Session files (read-only); spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from faithfold.cli.source import shown_path
from faithfold.core.errors import InputError
from faithfold.sessions.files import PLACES, STANDARD_INPUT, users_home
from faithfold.sessions.lines import read_entries
from faithfold.sessions.sniff import sniff
from faithfold.settings import agent_homes


def refuse_to_write(out: str, source: str) -> None:
    """Makes sure that `out` may be written.

    Raises:
        InputError: it is the input `source` (through links too), is an agent's own, or holds a session.
    """
    path = Path(out)
    try:
        if _is_input(path, source):
            raise InputError(f"{shown_path(out)} is the input; expected another file for -o")
        if path.exists() and not path.is_file():
            raise InputError(f"{shown_path(out)} is no regular file; expected the name of a file for -o")
        if _is_agents(_resolved(path)):
            raise InputError(f"{shown_path(out)} is an agent's own file; expected a file elsewhere for -o")
    except (OSError, ValueError) as error:
        raise _failed(out, error) from None


def write(out: str, data: bytes) -> None:
    """Writes `data` to the file `out`: into a new file beside it, which then takes its place.

    A new file is readable by its owner alone, as a conversation may hold secrets; one that exists keeps its mode. A
    link stays, and what it leads to is written.

    Raises:
        InputError: it can't be written; then `out` is as it was.
    """
    try:
        path = _resolved(Path(out))
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    except (OSError, ValueError) as error:
        raise _failed(out, error) from None
    try:
        _fill(handle, data)
        if path.exists():
            Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except OSError as error:
        raise _failed(out, error) from None
    finally:
        Path(name).unlink(missing_ok=True)


def _fill(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _resolved(path: Path) -> Path:
    """The path without links, or an OSError where they lead in a circle."""
    try:
        return path.resolve()
    except RuntimeError:  # how Python before 3.13 says it
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


def _is_input(path: Path, source: str) -> bool:
    """Whether both are one file; standard input may have been led from it."""
    if not path.exists():
        return False
    if source != STANDARD_INPUT:
        return Path(source).exists() and path.samefile(source)
    try:
        return os.path.samestat(path.stat(), os.fstat(0))
    except OSError:
        return False


def _is_agents(path: Path) -> bool:
    """Whether a path, resolved, is an agent's own by where it is, or there is a session at it."""
    if any(path.is_relative_to(_resolved(own)) for own in _agents_own()):
        return True
    return path.is_file() and sniff(read_entries(path.read_bytes())[0]) is not None


def _agents_own() -> Iterator[Path]:
    """The folders and files that agents keep: where the user moved them to, and in their usual places, if any."""
    yield from map(Path, agent_homes().values())
    with suppress(InputError):
        home = users_home()
        yield from (home / name for place in PLACES.values() for name in (place.home, place.beside) if name)


def _failed(out: str, error: Exception) -> InputError:
    why = (error.strerror if isinstance(error, OSError) else None) or error
    return InputError(f"{shown_path(out)} can't be written: {why}; expected a file in a folder that can be written")
