"""Running the command line in this process, as in a home of its own, and small conversations to run it on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from click.testing import CliRunner, Result

from faithfold.cli.group import commands
from faithfold.core.values import as_list, as_object, as_text, is_list, is_object

Message = dict[str, object]


class Home:
    """A user's home folder at `path`; nothing of the real user's shows in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *arguments: str | Path, stdin: bytes | str = b"", env: Mapping[str, str] | None = None) -> Result:
        """Runs `faithfold` with these arguments; an exception that reaches the user fails the test."""
        runner = CliRunner(env=self.environment(env))
        result = runner.invoke(commands, [str(argument) for argument in arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    def environment(self, env: Mapping[str, str] | None = None) -> dict[str, str | None]:
        """Variables of this home; None unsets one."""
        ours = {name: None for name in os.environ if name.startswith("FAITHFOLD_")}
        home, config = str(self.path), str(self.path / "config")
        terminal = {"NO_COLOR": None, "TERM": None, "COLUMNS": "80"}
        return {**ours, **terminal, "HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": config, **(env or {})}

    def variables(self, env: Mapping[str, str] | None = None) -> dict[str, str]:
        """All variables of a process in this home."""
        every = {**os.environ, **self.environment(env)}
        return {name: value for name, value in every.items() if value is not None}

    def write(self, name: str, content: object) -> Path:
        """A file in the home: bytes and text as they are, all else as JSON."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes | str) else json.dumps(content)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def files(self) -> set[str]:
        """All files, by their names below the home."""
        return {str(path.relative_to(self.path)) for path in self.path.rglob("*") if path.is_file()}


def task(steps: int = 6, result: str = "x" * 2_000) -> list[Message]:
    """A conversation in Chat messages: a request, then so many steps with a call and its result."""
    messages: list[Message] = [{"role": "user", "content": "Fix the bug."}]
    for number in range(steps):
        function = {"name": "read", "arguments": json.dumps({"path": f"{number}.py"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    return messages


def claude_session(steps: int = 6) -> str:
    """A Claude Code session of so many steps, as JSON lines."""
    contents: list[tuple[str, object]] = [("user", "Fix the bug.")]
    for number in range(steps):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"path": f"{number}.py"}}
        contents.append(("assistant", [call]))
        contents.append(("user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 2_000}]))
    lines = [
        {
            "type": role,
            "uuid": f"u{place}",
            "parentUuid": f"u{place - 1}" if place else None,
            "sessionId": "s",
            "message": {"role": role, "content": content},
        }
        for place, (role, content) in enumerate(contents)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def parsed(text: str | bytes) -> Mapping[str, object]:
    """The JSON object that a text is."""
    value: object = json.loads(text)
    assert is_object(value)
    return value


def listed(text: str | bytes) -> Sequence[object]:
    """The JSON list that a text is."""
    value: object = json.loads(text)
    assert is_list(value)
    return value


def text_at(value: object, *keys: str | int) -> str:
    """The text at a path into JSON."""
    for key in keys:
        value = as_object(value)[key] if isinstance(key, str) else as_list(value)[key]
    return as_text(value)
