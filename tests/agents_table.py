"""The agents that go through the proxy, each with the size over which it compacts by itself.

That size lies between the proxy's threshold and what a whole run of `STEPS` takes. So an agent that is told the usage
of what was sent never compacts, and one that is told the usage of what it has does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from faithfold.core.values import as_object
from faithfold.testing import Asked, Call, Reply, shell, tool_loop
from tests.clients import Run, run_claude_code, run_codex, run_opencode, run_pi

TASK = "Read hello.txt, and count what is in it."
STEPS = 12

READ = shell(lambda rounds: f"cat hello.txt; seq -s ' ' {1000 + rounds} 4999")
"""About 6,000 tokens."""
LOOK = shell("ls -a")


@dataclass(frozen=True)
class Agent:
    """An agent.

    Attributes:
        go: takes it to an address, with a task and a home.
        told: the tokens that went in, by what it says of the usage that it was told.
        threshold: of the proxy, in tokens; what agents send before the first step differs.
        full: a usage at which it compacts by itself, in tokens.
        repeats: whether it sends the bytes of what it sent before again.
        socket: whether it asks by WebSocket.
    """

    go: Callable[[str, str, Path], Run]
    told: Callable[[Run], int]
    threshold: int
    full: int
    repeats: bool = True
    socket: bool = False


def both(asked: Asked) -> list[Call]:
    """A short call beside the long one, in each third round."""
    calls = [READ(asked), LOOK(asked) if asked.rounds % 3 == 1 else None]
    return [call for call in calls if isinstance(call, Call)]


def working(steps: int, then: str) -> Callable[[Asked], Reply]:
    """A model that thinks, and calls tools for so many rounds."""
    loop = tool_loop(both, steps, then)

    def script(asked: Asked) -> Reply:
        return replace(loop(asked), thinking=f"This is thought {asked.rounds}.") if asked.tools else loop(asked)

    return script


# ---------------------------------------------------------------- what they were told


def _claude_code_told(run: Run) -> int:
    """The last event sums up, by model."""
    usages = [as_object(usage) for usage in as_object(as_object(run.events[-1]).get("modelUsage")).values()]
    return _sum(usages, "inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")


def _codex_told(run: Run) -> int:
    """The event at the end of a turn sums up."""
    return _sum([as_object(event.get("usage")) for event in _events(run, "turn.completed")], "input_tokens")


def _pi_told(run: Run) -> int:
    ended = [as_object(event.get("message")) for event in _events(run, "message_end")]
    return _sum([as_object(message.get("usage")) for message in ended], "input", "cacheRead", "cacheWrite")


def _opencode_told(run: Run) -> int:
    parts = [as_object(event.get("part")) for event in _events(run, "step_finish")]
    return _sum([as_object(part.get("tokens")) for part in parts], "input")


def _events(run: Run, kind: str) -> list[Mapping[str, object]]:
    return [event for event in map(as_object, run.events) if event.get("type") == kind]


def _sum(usages: list[Mapping[str, object]], *names: str) -> int:
    told = [usage.get(name) for usage in usages for name in names]
    return sum(tokens for tokens in told if isinstance(tokens, int))


# ---------------------------------------------------------------- the table


def _codex(threshold: int, full: int, *, socket: bool = False, builtin: bool = False, model: str = "gpt-5.5") -> Agent:
    def go(url: str, task: str, home: Path) -> Run:
        settings = (f"model_auto_compact_token_limit={full - 1_000}",)
        return run_codex(f"{url}/v1", task, home, websocket=socket or builtin, model=model, settings=settings)

    return Agent(go, _codex_told, threshold, full, socket=socket)


def _claude_code() -> Agent:
    """The smallest window that it can be given makes it compact at about 67,000 tokens."""

    def go(url: str, task: str, home: Path) -> Run:
        return run_claude_code(url, task, home, env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"})

    return Agent(go, _claude_code_told, 42_000, 70_000, repeats=False)


def _pi(api: str, path: str, *, repeats: bool = True) -> Agent:
    """It keeps 16,384 tokens of its window free."""

    def go(url: str, task: str, home: Path) -> Run:
        settings = home / ".pi" / "agent" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"compaction": {"keepRecentTokens": 10}}), "utf-8")
        return run_pi(f"{url}{path}", task, home, api=api, window=60_000)

    return Agent(go, _pi_told, 30_000, 45_000, repeats)


def _opencode(sdk: str, *, repeats: bool = True) -> Agent:
    """It keeps as much of its window free as an answer may have: 16,000 tokens."""

    def go(url: str, task: str, home: Path) -> Run:
        return run_opencode(f"{url}/v1", task, home, sdk=sdk, window=66_000)

    return Agent(go, _opencode_told, 36_000, 52_000, repeats)


CLAUDE_CODE = _claude_code()
CODEX_BY_HTTP = _codex(36_000, 55_000, builtin=True)
"""Its built-in provider, where that takes no WebSockets."""

AGENTS: Mapping[str, Agent] = {
    "claude-code": CLAUDE_CODE,
    "codex-http": _codex(36_000, 55_000),
    "codex-websocket": _codex(36_000, 55_000, socket=True),
    "codex-code-mode": _codex(42_000, 60_000, socket=True, model="gpt-6.1-sol"),
    "pi-messages": _pi("anthropic-messages", "", repeats=False),
    "pi-chat": _pi("openai-completions", "/v1"),
    "pi-responses": _pi("openai-responses", "/v1"),
    "opencode-messages": _opencode("anthropic", repeats=False),
    "opencode-chat": _opencode("openai-compatible"),
    "opencode-responses": _opencode("openai"),
}
"""Claude Code and Codex come inside Python packages, the others from npm."""
