"""A folder for its owner alone, that holds the files of the newest exchanges.

Invariant: the folder has mode 0700 and our files in it 0600, whatever the umask; those from before are healed. What
isn't ours in there is neither changed nor removed, and a folder that others use is not taken over.

Source: spec 40-proxy, Safety; faults B123, B126.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from faithfold.core.errors import SettingsError

_FOLDER = 0o700
_FILE = 0o600
_OTHERS = 0o077
_OURS = re.compile(r"\d{13,}-\d{6,}-[a-z0-9-]+\.(?:json|body)")


class PrivateFolder:
    """Files named `TIME-NUMBER-WHAT.json` or `.body`; those that share time and number belong to one exchange.

    Args:
        path: of the folder; made where there is none.
        keep: the files of so many exchanges are kept, the newest.

    Raises:
        SettingsError: it can't be made or made private, or holds other things and is open to others.
    """

    def __init__(self, path: Path, keep: int) -> None:
        """Makes it, and makes it private."""
        self._path = path
        self._keep = keep
        self._files: dict[str, list[str]] = {}  # by exchange, the oldest first
        try:
            _make_private(path)
            for name in sorted(_heal(path)):
                self._count_in(name)
        except OSError as error:
            raise SettingsError(f"debug_dir {path} can't be used: {error.strerror or error}") from None

    def write(self, name: str, content: bytes) -> None:
        """Writes a new file, whole or not at all, and removes those of exchanges that are too many.

        Raises:
            OSError: it can't be written.
        """
        path = self._path / name
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE)  # follows no link
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, _FILE)
                file.write(content)
        except OSError:
            with suppress(OSError):
                path.unlink()
            raise
        self._count_in(name)

    def _count_in(self, name: str) -> None:
        exchange = "-".join(name.split("-", 2)[:2])
        self._files.setdefault(exchange, []).append(name)
        while len(self._files) > self._keep:
            for old in self._files.pop(next(iter(self._files))):
                (self._path / old).unlink(missing_ok=True)


def _make_private(path: Path) -> None:
    """Makes the folder, or makes it private; one that is there, open to others and not ours alone stays as it is."""
    try:
        path.mkdir(_FOLDER, parents=True)
    except FileExistsError:
        mode = path.stat().st_mode
        foreign = bool(mode & _OTHERS) and not all(_OURS.fullmatch(each.name) for each in path.iterdir())
        if foreign or mode & stat.S_ISVTX:
            why = "is open to others and holds other files, or is shared"
            raise SettingsError(f"debug_dir {path} {why}; expected a folder that is for dumps alone") from None
    path.chmod(_FOLDER)


def _heal(path: Path) -> list[str]:
    """Makes our files private; their names. Links are none of ours."""
    with os.scandir(path) as entries:
        names = [each.name for each in entries if _OURS.fullmatch(each.name) and each.is_file(follow_symlinks=False)]
    for name in names:
        (path / name).chmod(_FILE)
    return names
