"""Turns a tool section of the scenario into the tool's input, and runs the tool on it.

Invariant: ``call`` reads the section only, ``run`` reads the call only: what is recorded as input is what was run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from recorder.files import LINE_LIMIT, Files
from recorder.outcome import Outcome
from recorder.screenplay import DIVIDER, Section
from recorder.scrub import PROJECT, Scrub
from recorder.searching import Searching
from recorder.shell import Shell

TODO_STATES = {"x": "completed", ">": "in_progress", "-": "pending"}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool's name, its recorded input, and the work itself."""

    name: str
    input: dict[str, object]
    run: Callable[[datetime], Outcome]


class Toolbox:
    """All tools, working on one scratch folder."""

    def __init__(self, base: Path, scrub: Scrub) -> None:
        self._shell = Shell(base, scrub)
        self._files = Files(base)
        self._searching = Searching(base)
        self._todos: list[dict[str, object]] = []

    def call(self, section: Section) -> Call:
        """The call a tool section asks for."""
        makers = {
            "bash": self._bash, "read": self._read, "write": self._write, "edit": self._edit,
            "grep": self._grep, "glob": self._glob, "todo": self._todo,
        }  # fmt: skip
        return makers[section.kind](section)

    def _bash(self, section: Section) -> Call:
        shown: dict[str, object] = {"command": section.body, "description": section.argument}
        return Call("Bash", shown, lambda now: self._shell.run(section.body, now))

    def _read(self, section: Section) -> Call:
        name, *numbers = section.argument.split()
        path = f"{PROJECT}/{name}"
        shown: dict[str, object] = {"file_path": path}
        if not numbers:
            return Call("Read", shown, lambda _: self._files.read(path))
        offset, limit = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else LINE_LIMIT
        return Call(
            "Read", {**shown, "offset": offset, "limit": limit}, lambda _: self._files.read(path, offset, limit)
        )

    def _write(self, section: Section) -> Call:
        path, content = f"{PROJECT}/{section.argument}", section.body + "\n"
        return Call("Write", {"file_path": path, "content": content}, lambda now: self._files.write(path, content, now))

    def _edit(self, section: Section) -> Call:
        name, _, extent = section.argument.partition(" ")
        path, everywhere = f"{PROJECT}/{name}", extent == "all"
        old, _, new = section.body.partition(DIVIDER)
        shown: dict[str, object] = {"file_path": path, "old_string": old, "new_string": new, "replace_all": everywhere}
        return Call("Edit", shown, lambda now: self._files.edit(path, old, new, now, everywhere=everywhere))

    def _grep(self, section: Section) -> Call:
        pattern, path, mode = (part.strip() for part in section.argument.split(" :: "))
        shown: dict[str, object] = {"pattern": pattern, "path": path, "output_mode": mode}
        if mode == "content":
            shown["-n"] = True
        return Call("Grep", shown, lambda _: self._searching.grep(pattern, path, mode))

    def _glob(self, section: Section) -> Call:
        return Call("Glob", {"pattern": section.argument}, lambda _: self._searching.glob(section.argument))

    def _todo(self, section: Section) -> Call:
        todos: list[dict[str, object]] = [
            {"content": line[2:], "status": TODO_STATES[line[0]], "activeForm": "Working on: " + line[2:]}
            for line in section.body.splitlines()
        ]
        return Call("TodoWrite", {"todos": todos}, lambda _: self._swap_todos(todos))

    def _swap_todos(self, todos: list[dict[str, object]]) -> Outcome:
        detail = {"oldTodos": self._todos, "newTodos": todos}
        self._todos = todos
        return Outcome("Todos have been modified successfully.", detail)
