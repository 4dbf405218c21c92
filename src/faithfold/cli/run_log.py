"""The log of a run: a file of its own, so that nothing is written over what the agent shows.

Invariant: only the user can read it, and only the newest are kept.

Source: spec 40-proxy, Safety; spec 90-decisions, Proxy (`run`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

KEPT = 20
"""Of so many runs the logs are kept."""

_FOLDER = 0o700
_FILE = 0o600


@contextmanager
def run_log() -> Generator[tuple[TextIO, Path]]:
    """A new log, and where it is.

    Raises:
        OSError: it can't be written.
    """
    path = _folder() / f"run-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}.log"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, _FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        for old in sorted(path.parent.glob("run-*.log"))[:-KEPT]:
            old.unlink(missing_ok=True)
        yield file, path


def _folder() -> Path:
    """The folder for logs, in the user's state folder."""
    from platformdirs import user_state_path

    try:
        folder = user_state_path("faithfold", appauthor=False) / "log"
    except RuntimeError:
        raise OSError("the user has no home") from None
    folder.mkdir(_FOLDER, parents=True, exist_ok=True)
    return folder
