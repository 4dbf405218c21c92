"""Real agents, driven headless: each is given a base URL, a task and a home of its own, and works in a small project.

Claude Code and Codex come inside Python packages. Pi and OpenCode come from npm: `.ci/agents` installs them, and Node,
into `build/agents`; `FAITHFOLD_AGENTS_DIR` names another folder with such `node_modules`. Where they are not there, a
test that needs them skips.

Nothing of the real user's is read or written, and no agent talks to anything but the base URL.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pytest

from tests.places import ROOT

PATIENCE = 120.0
"""Seconds that an agent may take."""

KEY = "sk-fake-0000"


@dataclass(frozen=True)
class Run:
    """What an agent did: its exit code, and what it printed."""

    code: int
    output: str
    errors: str

    @property
    def events(self) -> list[object]:
        """The lines of the output that are JSON."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


def run_claude_code(
    base_url: str, task: str, home: Path, *, arguments: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> Run:
    """Runs Claude Code on a task.

    Args:
        base_url: of the provider, without `/v1`.
        task: what it is told.
        home: a folder of the test's own.
        arguments: more of the command line, e.g. `-c` to go on with the last session.
        env: more variables, e.g. `CLAUDE_CODE_AUTO_COMPACT_WINDOW`.
    """
    program = str(resources.files("claude_agent_sdk") / "_bundled" / "claude")
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
    variables = {
        **dict.fromkeys((*quiet, "DISABLE_AUTOUPDATER", "IS_SANDBOX"), "1"),
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": KEY,
    }
    told = ["-p", task, "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
    return _run([program, *told, *arguments], home, {**variables, **(env or {})})


def run_codex(
    base_url: str,
    task: str,
    home: Path,
    *,
    websocket: bool = False,
    model: str = "gpt-5.5",
    settings: Sequence[str] = (),
) -> Run:
    """Runs Codex on a task.

    Args:
        base_url: of the provider, with `/v1`.
        task: what it is told.
        home: a folder of the test's own.
        websocket: whether it uses the built-in provider, which opens a WebSocket first; else a provider of the
            test's, which is asked over HTTP alone.
        model: the model that it asks for.
        settings: more of its settings, each as `key=value` with a TOML value.
    """
    builtin = (f'openai_base_url="{base_url}"',)
    table = f'{{name="fake",base_url="{base_url}",env_key="CODEX_API_KEY",wire_api="responses"}}'
    custom = ('model_provider="fake"', f"model_providers.fake={table}")
    common = (f'model="{model}"', "check_for_update_on_startup=false", "analytics.enabled=false")
    told = [part for each in (*common, *(builtin if websocket else custom), *settings) for part in ("-c", each)]
    told += ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", task]
    variables = {"CODEX_HOME": str(home / ".codex"), "CODEX_API_KEY": KEY, "RUST_LOG": "error"}
    (home / ".codex").mkdir(exist_ok=True)
    program = str(resources.files("codex_cli_bin") / "bin" / "codex")
    return _run([program, "exec", *told], home, variables)


def run_pi(base_url: str, task: str, home: Path, *, api: str = "anthropic-messages", window: int = 200_000) -> Run:
    """Runs Pi on a task.

    Args:
        base_url: of the provider; without `/v1` for `anthropic-messages`, with it for the others.
        task: what it is told.
        home: a folder of the test's own.
        api: `anthropic-messages`, `openai-completions` or `openai-responses`.
        window: the context window that it believes in, in tokens.
    """
    model = {"id": "fake-model", "reasoning": True, "contextWindow": window, "maxTokens": 16_000, "input": ["text"]}
    provider = {"baseUrl": base_url, "api": api, "apiKey": KEY, "models": [model]}
    _write(home / ".pi" / "agent" / "models.json", {"providers": {"fake": provider}})
    told = ["--offline", "--provider", "fake", "--model", "fake/fake-model", "--mode", "json", "-p", task]
    return _from_npm("pi", home, told, {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"})


def run_opencode(base_url: str, task: str, home: Path, *, sdk: str = "anthropic", window: int = 200_000) -> Run:
    """Runs OpenCode on a task.

    Args:
        base_url: of the provider, with `/v1`.
        task: what it is told.
        home: a folder of the test's own.
        sdk: `anthropic`, `openai` (Responses) or `openai-compatible` (Chat Completions).
        window: the context window that it believes in, in tokens.
    """
    model = {"name": "Fake", "limit": {"context": window, "output": 16_000}, "tool_call": True}
    options = {"baseURL": base_url, "apiKey": KEY}
    provider = {"npm": f"@ai-sdk/{sdk}", "name": "Fake", "options": options, "models": {"fake-model": model}}
    settings = {"autoupdate": False, "share": "disabled", "permission": "allow", "provider": {"fake": provider}}
    names = {"model": "fake/fake-model", "small_model": "fake/fake-model"}
    _write(home / ".config" / "opencode" / "opencode.json", {**settings, **names})
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    variables = {f"OPENCODE_DISABLE_{name}": "1" for name in off}
    return _from_npm("opencode", home, ["run", "--format", "json", task], variables)


def from_npm(name: str) -> Path:
    """A program that npm installed, with Node beside it; the test skips where it is not there."""
    folder = Path(os.environ.get("FAITHFOLD_AGENTS_DIR") or ROOT / "build" / "agents").absolute()
    program = folder / "node_modules" / ".bin" / name
    if not program.exists():
        pytest.skip(f"{name} is not there: run .ci/agents, or name a folder that holds it in FAITHFOLD_AGENTS_DIR")
    return program


def _run(command: Sequence[str], home: Path, variables: Mapping[str, str]) -> Run:
    """Runs an agent in a project of its home, with no variables but these."""
    project, temporary = home / "project", home / "tmp"
    for folder in (project, temporary):
        folder.mkdir(exist_ok=True)
    (project / "hello.txt").write_text("hello from the project\nline two\n", "utf-8")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary), "TERM": "xterm", "LANG": "C.UTF-8"}
    done = subprocess.run(
        command,
        cwd=project,
        env={**env, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def _from_npm(name: str, home: Path, arguments: Sequence[str], variables: Mapping[str, str]) -> Run:
    """Runs a program that npm installed, by the Node beside it."""
    program = from_npm(name)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return _run([str(program), *arguments], home, {"PATH": path, **variables})


def _write(path: Path, settings: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings), "utf-8")
