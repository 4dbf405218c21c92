"""The Bash tool: runs a command in the scratch project and returns what it printed.

Invariant: a command sees a fixed environment (time zone, hash seed, git names and dates), none of the caller's.
"""

from __future__ import annotations

import os
import subprocess
import time
from datetime import datetime
from pathlib import Path

from recorder.outcome import Outcome
from recorder.scrub import PROJECT, Scrub

OUTPUT_LIMIT = 30_000
# Without it bash would replace itself by the last command, whose peak memory would then count the recorder's.
KEEP_SHELL = "\nexit $?"
PATH = "/usr/local/bin:/usr/bin:/bin"


class Shell:
    """Runs commands in ``base + PROJECT``."""

    def __init__(self, base: Path, scrub: Scrub) -> None:
        self._scrub = scrub
        self._folder = Path(f"{base}{PROJECT}")
        home = self._folder.parent
        (home / ".cache").mkdir(parents=True)
        self._environment = {
            "PATH": PATH, "HOME": str(home), "TMPDIR": str(home / ".cache"), "USER": "dev", "LOGNAME": "dev",
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "TIME_STYLE": "long-iso",
            "PYTHONHASHSEED": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat", "PAGER": "cat", "COLUMNS": "100",
            "GIT_AUTHOR_NAME": "Dev", "GIT_AUTHOR_EMAIL": "dev@example.com",
            "GIT_COMMITTER_NAME": "Dev", "GIT_COMMITTER_EMAIL": "dev@example.com",
        }  # fmt: skip

    def run(self, command: str, now: datetime) -> Outcome:
        """Run a bash command; ``now`` is the date that git and new files get."""
        date = f"{int(now.timestamp())} +0000"
        begun = time.time()
        done = subprocess.run(
            ["bash", "-c", self._scrub.inward(command) + KEEP_SHELL],
            check=False,
            cwd=self._folder,
            env={**self._environment, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        date_files(self._folder.parent, begun, now)
        return self._outcome(done.returncode, done.stdout, done.stderr)

    def _outcome(self, status: int, stdout: str, stderr: str) -> Outcome:
        shown = [_shorten(self._scrub.outward(text).strip("\n")) for text in (stdout, stderr)]
        text = "\n".join(part for part in shown if part)
        if status:
            text = f"Exit code {status}\n{text}"
            return Outcome(text, f"Error: {text}", is_error=True)
        return Outcome(text, {"stdout": shown[0], "stderr": shown[1], "interrupted": False, "isImage": False})


def date_files(home: Path, begun: float, now: datetime) -> None:
    """Give every file the command touched the scenario's date, so that listings show no date of the recording."""
    for path in (home, *home.rglob("*")):
        if path.lstat().st_mtime >= begun - 1:
            os.utime(path, (now.timestamp(), now.timestamp()), follow_symlinks=False)


def _shorten(text: str) -> str:
    if len(text) <= OUTPUT_LIMIT:
        return text
    half = OUTPUT_LIMIT // 2
    left_out = text[half:-half].count("\n")
    return f"{text[:half]}\n\n... [{left_out} lines truncated] ...\n\n{text[-half:]}"
