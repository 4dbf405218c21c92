"""The Grep and Glob tools: a plain walk over the project, without git's and Python's own folders."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path

from recorder.outcome import Outcome
from recorder.scrub import PROJECT

HIDDEN = frozenset({".git", "__pycache__"})


class Searching:
    """Search tools for one scratch folder."""

    def __init__(self, base: Path) -> None:
        self._root = Path(f"{base}{PROJECT}")

    def grep(self, pattern: str, path: str, mode: str) -> Outcome:
        """Search the files below ``path`` (relative to the project); ``mode`` is ``content`` or a list of files."""
        expression = re.compile(pattern)
        hits = [hit for file in self._files(path) for hit in _hits(expression, file, self._root)]
        names = list(dict.fromkeys(name for name, _ in hits))
        if mode == "content":
            text = "\n".join(line for _, line in hits)
            detail: dict[str, object] = {
                "mode": mode,
                "numFiles": 0,
                "filenames": list[str](),
                "content": text,
                "numLines": len(hits),
            }
            return Outcome(text or "No matches found", detail)
        listing = f"Found {len(names)} file{'s' * (len(names) != 1)}\n" + "\n".join(names)
        return Outcome(
            listing if names else "No files found", {"mode": mode, "filenames": names, "numFiles": len(names)}
        )

    def glob(self, pattern: str) -> Outcome:
        """List the files whose path matches ``pattern``."""
        paths = [str(file.relative_to(self._root)) for file in self._files(".")]
        names = [f"{PROJECT}/{path}" for path in paths if fnmatch.fnmatch(path, pattern.replace("**/", "*"))]
        detail = {"filenames": names, "durationMs": 11, "numFiles": len(names), "truncated": False}
        return Outcome("\n".join(names) or "No files found", detail)

    def _files(self, path: str) -> Iterator[Path]:
        start = self._root / path
        found = [start] if start.is_file() else sorted(start.rglob("*"))
        return (file for file in found if file.is_file() and not HIDDEN.intersection(file.parts))


def _hits(expression: re.Pattern[str], file: Path, root: Path) -> Iterator[tuple[str, str]]:
    name = str(file.relative_to(root))
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if expression.search(line):
            yield name, f"{name}:{number}:{line}"
