"""The Read, Write and Edit tools.

Invariant: a file is written or edited only when it was read or written before, as in the real tools.
"""

from __future__ import annotations

import difflib
import os
from datetime import datetime
from pathlib import Path

from recorder.outcome import Outcome, failure

LINE_LIMIT = 2000
Json = dict[str, object]


class Files:
    """File tools for one scratch folder; paths are those of the invented machine."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._known: set[str] = set()

    def read(self, path: str, offset: int = 1, limit: int = LINE_LIMIT) -> Outcome:
        """Read up to ``limit`` lines from line ``offset`` (1-based), each with its number."""
        real = self._real(path)
        if not real.is_file():
            return failure("EISDIR: illegal operation on a directory" if real.is_dir() else "File does not exist.")
        self._known.add(path)
        lines = real.read_text(encoding="utf-8").split("\n")
        part = lines[offset - 1 : offset - 1 + limit]
        text = "\n".join(f"{number:6d}→{line}" for number, line in enumerate(part, offset))
        file: Json = {
            "filePath": path, "content": "\n".join(part), "numLines": len(part), "startLine": offset,
            "totalLines": len(lines),
        }  # fmt: skip
        return Outcome(text, {"type": "text", "file": file})

    def write(self, path: str, content: str, now: datetime) -> Outcome:
        """Create or replace a file."""
        real = self._real(path)
        old = real.read_text(encoding="utf-8") if real.exists() else None
        if old is not None and path not in self._known:
            return failure("File has not been read yet. Read it first before writing to it.")
        self._store(path, content, now)
        verb = "created successfully at" if old is None else "updated successfully at"
        detail: Json = {
            "type": "create" if old is None else "update", "filePath": path, "content": content,
            "structuredPatch": [] if old is None else hunks(old, content), "originalFile": old,
        }  # fmt: skip
        return Outcome(f"File {verb}: {path}", detail)

    def edit(self, path: str, old: str, new: str, now: datetime, *, everywhere: bool = False) -> Outcome:
        """Replace ``old``, which has to occur exactly once unless ``everywhere``."""
        if path not in self._known:
            return failure("File has not been read yet. Read it first before writing to it.")
        before = self._real(path).read_text(encoding="utf-8")
        found = before.count(old)
        if not found:
            return failure(f"String to replace not found in file.\nString: {old}")
        if found > 1 and not everywhere:
            return failure(f"Found {found} matches of the string to replace, but replace_all is false.\nString: {old}")
        after = before.replace(old, new)
        self._store(path, after, now)
        detail: Json = {
            "filePath": path, "oldString": old, "newString": new, "originalFile": None,
            "structuredPatch": hunks(before, after), "userModified": False, "replaceAll": everywhere,
        }  # fmt: skip
        return Outcome(f"The file {path} has been updated successfully.", detail)

    def _real(self, path: str) -> Path:
        return Path(f"{self._base}{path}")

    def _store(self, path: str, content: str, now: datetime) -> None:
        real = self._real(path)
        real.parent.mkdir(parents=True, exist_ok=True)
        real.write_text(content, encoding="utf-8")
        os.utime(real, (now.timestamp(), now.timestamp()))
        self._known.add(path)


def hunks(old: str, new: str) -> list[Json]:
    """The differing parts with three lines around them, in the form of ``structuredPatch``."""
    before, after = old.split("\n"), new.split("\n")
    groups = difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3)
    return [_hunk(before, after, group) for group in groups]


def _hunk(before: list[str], after: list[str], group: list[tuple[str, int, int, int, int]]) -> Json:
    lines: list[str] = []
    for tag, old_from, old_to, new_from, new_to in group:
        if tag == "equal":
            lines += [" " + line for line in before[old_from:old_to]]
            continue
        lines += ["-" + line for line in before[old_from:old_to]]
        lines += ["+" + line for line in after[new_from:new_to]]
    first, last = group[0], group[-1]
    return {
        "oldStart": first[1] + 1, "oldLines": last[2] - first[1],
        "newStart": first[3] + 1, "newLines": last[4] - first[3], "lines": lines,
    }  # fmt: skip
