"""Ready-made scripts. A script is a function from what was asked to an answer; it keeps no state of its own.

It runs in the server's thread, for one request after the other, so it must be quick.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from faithfold.testing.answers import Answer, Call, Reply
from faithfold.testing.asked import Asked, Tool

Script = Callable[[Asked], Answer]
Caller = Callable[[Asked], "Call | Sequence[Call] | None"]
"""Chooses the calls of a round; None where the request offers no tool that fits."""


def says(text: str) -> Callable[[Asked], Reply]:
    """Answers this text, whatever is asked."""
    return lambda _: Reply(text)


def sequence(*answers: Answer | Script) -> Script:
    """Gives the first request the first answer, the second the second; the last one serves all that follow."""

    def script(asked: Asked) -> Answer:
        answer = answers[min(asked.number, len(answers)) - 1]
        return answer(asked) if callable(answer) else answer

    return script


def tool_loop(call: Call | Caller, steps: int, then: str | Reply = "done") -> Callable[[Asked], Reply]:
    """Calls a tool in each round until `steps` rounds are answered, then says `then`.

    Rounds are counted by `Asked.rounds`, so a history that was compacted goes on where it was. Requests that offer
    no tools (a scaffold's own side calls) are answered with `then`.

    Args:
        call: the call, or a function of what was asked that gives the call, or several, or None for `then`.
        steps: how many rounds there are.
        then: the last answer.
    """
    last = Reply(then) if isinstance(then, str) else then

    def script(asked: Asked) -> Reply:
        if asked.rounds >= steps or not asked.tools:
            return last
        chosen = call if isinstance(call, Call) else call(asked)
        if chosen is None:
            return last
        calls = [chosen] if isinstance(chosen, Call) else chosen
        return Reply(f"Round {asked.rounds + 1}.", calls=calls)

    return script


def shell(command: str | Callable[[int], str]) -> Caller:
    """Runs a shell command by whatever shell tool an agent offers, for `tool_loop`.

    Known are the tools of Claude Code, Codex, Pi, OpenCode and others that name them alike.

    Args:
        command: the command, or a function of the number of rounds before.
    """

    def caller(asked: Asked) -> Call | None:
        line = command if isinstance(command, str) else command(asked.rounds)
        found = next((tool for tool in asked.tools if tool.name in _SHELLS), None)
        return None if found is None else Call(found.name, _arguments(found, line), found.namespace)

    return caller


def _arguments(tool: Tool, line: str) -> Mapping[str, object] | str:
    if tool.custom:
        return f"const result = await tools.exec_command({{cmd: {json.dumps(line)}}}); text(result.output);"
    return _SHELLS[tool.name](line)


_SHELLS: Mapping[str, Callable[[str], Mapping[str, object]]] = {
    "Bash": lambda line: {"command": line, "description": "run a command"},
    "bash": lambda line: {"command": line, "description": "run a command"},
    "exec_command": lambda line: {"cmd": line},
    "exec": lambda line: {"cmd": line},
    "shell": lambda line: {"command": ["bash", "-lc", line]},
    "shell_command": lambda line: {"command": line},
    "run_shell_command": lambda line: {"command": line},
}
