"""Real agents by `faithfold run`: each takes a tool loop through the proxy, and doesn't compact by itself.

Their settings name the provider, as a user's would; what is in these files stays as it is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import pytest

from faithfold.testing import Answer, Asked, FakeProvider, Reply, shell, tool_loop
from tests.clients import KEY, PATIENCE, Run

pytestmark = pytest.mark.real_client

TASK = "List the files, read hello.txt and count its bytes."
COMMANDS = ("ls -a", "cat hello.txt", "wc -c hello.txt")
LOOP = tool_loop(shell(lambda rounds: COMMANDS[rounds]), len(COMMANDS), "All was read.")


@dataclass(frozen=True)
class Set:
    """How an agent is set up: what is run, its variables, its settings files by their places below the home."""

    command: list[str]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def claude_code(url: str) -> Set:
    program = str(resources.files("claude_agent_sdk") / "_bundled" / "claude")
    told = ["-p", TASK, "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
    off = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")
    variables = {
        **dict.fromkeys((*off, "DISABLE_AUTOUPDATER", "IS_SANDBOX"), "1"),
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000",
    }
    return Set([program, *told], {**variables, "ANTHROPIC_BASE_URL": url})


def claude_code_by_its_settings(url: str) -> Set:
    agent = claude_code("http://127.0.0.1:9")
    return Set(
        agent.command, agent.variables, {".claude/settings.json": json.dumps({"env": {"ANTHROPIC_BASE_URL": url}})}
    )


def codex(url: str) -> Set:
    return _codex(f'openai_base_url = "{url}/v1"\n')


def codex_by_a_provider(url: str) -> Set:
    provider = f'name = "mine"\nbase_url = "{url}/v1"\nenv_key = "CODEX_API_KEY"\nwire_api = "responses"\n'
    return _codex(
        f'model_provider = "mine"\n[model_providers.mine]\n{provider}', "-c", "check_for_update_on_startup=false"
    )


def _codex(config: str, *own: str) -> Set:
    program = str(resources.files("codex_cli_bin") / "bin" / "codex")
    told = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", TASK]
    common = 'model = "gpt-5.5"\nmodel_auto_compact_token_limit = 40000\ncheck_for_update_on_startup = false\n'
    files = {".codex/config.toml": f"{common}{config}\n[analytics]\nenabled = false\n"}
    return Set([program, "exec", *own, *told], {"CODEX_API_KEY": KEY, "RUST_LOG": "error"}, files)


def pi(url: str, api: str = "anthropic-messages") -> Set:
    model = {"id": "fake-model", "contextWindow": 120_000, "maxTokens": 16_000, "input": ["text"]}
    provider = {"baseUrl": url, "api": api, "apiKey": KEY, "models": [model]}
    told = ["--offline", "--provider", "fake", "--model", "fake/fake-model", "--mode", "json", "-p", TASK]
    files = {
        ".pi/agent/models.json": json.dumps({"providers": {"fake": provider}}),
        ".pi/agent/settings.json": json.dumps({"compaction": {"keepRecentTokens": 10}}),
    }
    return Set([_from_npm("pi"), *told], {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}, files)


def opencode(url: str) -> Set:
    model = {"name": "Fake", "limit": {"context": 120_000, "output": 16_000}, "tool_call": True}
    options = {"baseURL": f"{url}/v1", "apiKey": KEY}
    fake = {"npm": "@ai-sdk/anthropic", "name": "Fake", "options": options, "models": {"fake-model": model}}
    names = {
        "$schema": "https://opencode.ai/config.json",
        "model": "fake/fake-model",
        "small_model": "fake/fake-model",
        "permission": "allow",
        "share": "disabled",
    }
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    files = {".config/opencode/opencode.json": json.dumps({**names, "autoupdate": False, "provider": {"fake": fake}})}
    variables = {f"OPENCODE_DISABLE_{name}": "1" for name in off}
    return Set([_from_npm("opencode"), "run", "--format", "json", TASK], variables, files)


AGENTS: Mapping[str, Callable[[str], Set]] = {
    "claude-code": claude_code,
    "claude-code-settings": claude_code_by_its_settings,
    "codex": codex,
    "codex-provider": codex_by_a_provider,
    "pi-messages": pi,
    "pi-chat": lambda url: pi(f"{url}/v1", "openai-completions"),
    "pi-responses": lambda url: pi(f"{url}/v1", "openai-responses"),
    "opencode": opencode,
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_goes_by_way_of_the_proxy_and_leaves_compacting_to_it(name: str, tmp_path: Path) -> None:
    """The usage that it is told is over what it would compact at."""

    def script(asked: Asked) -> Answer:
        reply = LOOP(asked)
        return Reply(reply.text, calls=reply.calls, tokens_in=110_000)

    with FakeProvider(script, strict_faults=True) as provider:
        agent = AGENTS[name](provider.url)
        run = _run(agent, tmp_path)
    assert run.code == 0, run.errors
    assert "All was read." in run.output
    asked = [each for each in provider.asked if not each.warms_up]
    assert [each.rounds for each in asked if each.tools] == [0, 1, 2, 3]
    assert len([each for each in asked if not each.tools]) == (name == "opencode")  # which asks for a title
    assert not any(each.compacts for each in asked)
    assert all(received.header("via") for received in provider.requests)
    assert {place: (tmp_path / place).read_text("utf-8") for place in agent.files} == agent.files
    assert "requests" in run.errors.splitlines()[-1]


def _run(agent: Set, home: Path) -> Run:
    """Runs an agent in a project of its home by `faithfold run`, with no variables but its own."""
    for place, content in agent.files.items():
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(content, "utf-8")
    project = home / "project"
    project.mkdir()
    (project / "hello.txt").write_text("hello from the project\nline two\n", "utf-8")
    programs = Path(agent.command[0]).parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "faithfold", "run", "--", *agent.command],
        cwd=project,
        env={"PATH": path, "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", **agent.variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def _from_npm(name: str) -> str:
    """A program that npm installed; the test skips where it is not there."""
    folder = os.environ.get("FAITHFOLD_AGENTS_DIR", "")
    program = Path(folder) / "node_modules" / ".bin" / name
    if not folder or not program.exists():
        pytest.skip(f"FAITHFOLD_AGENTS_DIR must name a folder with node_modules/.bin/{name}")
    return str(program)
