"""Puts the names of an invented machine in place of this one's.

The scenario speaks of ``/home/dev/tidemark``; the tools run in a scratch folder. ``inward`` rewrites a command for
the scratch folder, ``outward`` rewrites what came back.

Invariant: no path, host name or user name of the recording machine is left in a text that went through ``outward``.
"""

from __future__ import annotations

import getpass
import re
import socket
import subprocess
from pathlib import Path

HOME = "/home/dev"
PROJECT = "/home/dev/tidemark"


class Scrub:
    """The two rewritings, for one scratch folder."""

    def __init__(self, base: Path, python: str) -> None:
        self._base = str(base)
        words = {name for name in (getpass.getuser(), socket.gethostname()) if name not in {"root", "dev", "devbox"}}
        self._rules = [
            (re.compile(re.escape(self._base)), ""),
            (re.compile(re.escape(_library_of(python))), "/usr/lib/python3.11"),
            (re.compile(r"^([-dl][-rwxst]{9}[.+]? +\d+ )\S+ +\S+", re.MULTILINE), r"\1dev dev"),
            *((re.compile(rf"\b{re.escape(word)}\b"), "devbox") for word in sorted(words)),
        ]

    def inward(self, text: str) -> str:
        """Rewrite the invented home folder to the real one."""
        return text.replace(HOME, self._base + HOME)

    def outward(self, text: str) -> str:
        """Rewrite real paths and names to the invented ones."""
        for pattern, replacement in self._rules:
            text = pattern.sub(replacement, text)
        return text


def _library_of(python: str) -> str:
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
