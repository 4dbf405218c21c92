"""The fake provider by real agents: each takes a whole tool loop with it, headless, in a home of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from faithfold.core.values import as_object
from faithfold.testing import Answer, Asked, Delivery, FakeProvider, Reply, shell, tool_loop
from tests.clients import Run, run_claude_code, run_codex, run_opencode, run_pi

pytestmark = pytest.mark.real_client

TASK = "List the files, read hello.txt and count its bytes."
COMMANDS = ("ls -a", "cat hello.txt", "wc -c hello.txt")
Agent = Callable[[str, Path], Run]

LOOP = tool_loop(shell(lambda rounds: COMMANDS[rounds]), len(COMMANDS), "All was read.")

AGENTS: dict[str, Agent] = {
    "claude-code": lambda url, home: run_claude_code(url, TASK, home),
    "codex-http": lambda url, home: run_codex(f"{url}/v1", TASK, home),
    "codex-websocket": lambda url, home: run_codex(f"{url}/v1", TASK, home, websocket=True),
    "codex-code-mode": lambda url, home: run_codex(f"{url}/v1", TASK, home, websocket=True, model="gpt-6.1-sol"),
    "pi-messages": lambda url, home: run_pi(url, TASK, home),
    "pi-chat": lambda url, home: run_pi(f"{url}/v1", TASK, home, api="openai-completions"),
    "pi-responses": lambda url, home: run_pi(f"{url}/v1", TASK, home, api="openai-responses"),
    "opencode-messages": lambda url, home: run_opencode(f"{url}/v1", TASK, home),
    "opencode-chat": lambda url, home: run_opencode(f"{url}/v1", TASK, home, sdk="openai-compatible"),
    "opencode-responses": lambda url, home: run_opencode(f"{url}/v1", TASK, home, sdk="openai"),
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_takes_a_tool_loop(name: str, tmp_path: Path) -> None:
    with FakeProvider(LOOP) as provider:
        run = AGENTS[name](provider.url, tmp_path)
    assert run.code == 0, run.errors
    assert "All was read." in run.output
    asked = [each for each in provider.asked if each.tools and not each.warms_up]
    assert [each.rounds for each in asked] == [0, 1, 2, 3]
    assert [each.faults for each in asked] == [[]] * 4
    told = str(asked[-1].messages[-3:])
    assert "32 hello.txt" in told, told
    assert any(received.websocket for received in provider.requests) == (name in ("codex-websocket", "codex-code-mode"))
    assert {received.status for received in provider.requests} <= {101, 200}


def test_codex_falls_back_to_http_at_once(tmp_path: Path) -> None:
    with FakeProvider(LOOP, websockets=False) as provider:
        run = run_codex(f"{provider.url}/v1", TASK, tmp_path, websocket=True)
    assert run.code == 0, run.errors
    assert [received.status for received in provider.requests] == [426, 200, 200, 200, 200]


def test_codex_asks_the_provider_for_a_compaction(tmp_path: Path) -> None:
    """It decides by the usage that it was told, and sends the compaction item from then on."""

    def script(asked: Asked) -> Answer:
        return Reply("Compacted.") if "compaction" in kinds(asked) else Reply(calls=LOOP(asked).calls, tokens_in=50_000)

    with FakeProvider(script) as provider:
        limit = ("model_auto_compact_token_limit=40000",)
        run = run_codex(f"{provider.url}/v1", TASK, tmp_path, websocket=True, settings=limit)
    assert run.code == 0, run.errors
    assert "Compacted." in run.output
    assert [each.compacts for each in provider.asked if not each.warms_up] == [False, True, False]


def kinds(asked: Asked) -> list[object]:
    return [as_object(item).get("type") for item in asked.messages]


def test_claude_code_compacts_by_the_usage_that_it_is_told(tmp_path: Path) -> None:
    def script(asked: Asked) -> Answer:
        if "continued from a previous conversation" in str(asked.messages):
            return Reply("It went on.")
        if "CRITICAL: Respond with" in str(asked.messages[-1]):
            return Reply("<summary>The files were listed.</summary>")
        return Reply(calls=LOOP(asked).calls, tokens_in=150_000)

    with FakeProvider(script) as provider:
        run = run_claude_code(provider.url, TASK, tmp_path, env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"})
    assert run.code == 0, run.errors
    assert "It went on." in run.output
    assert len(provider.asked) == 4  # two rounds, the summary, what follows it


def test_claude_code_takes_streams_in_odd_pieces(tmp_path: Path) -> None:
    with FakeProvider(LOOP, delivery=Delivery(chunk=5, pings=1, coding="gzip")) as provider:
        run = run_claude_code(provider.url, TASK, tmp_path)
    assert run.code == 0, run.errors
    assert "All was read." in run.output
    assert [each.rounds for each in provider.asked] == [0, 1, 2, 3]
