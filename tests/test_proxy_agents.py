"""The real agents through the proxy: headless, in tool loops that cross the threshold, and none of them notices.

Source: spec 40-proxy; faults B044 (usage is that of what was sent), B055, B056.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from faithfold.testing import Answer, Asked, Call, Reply, Script, tool_loop
from tests.agents_laws import all_is_legal, check, complaints, settled, validators
from tests.agents_sdks import RUNNERS, Heard
from tests.agents_table import AGENTS, CLAUDE_CODE, CODEX_BY_HTTP, STEPS, TASK, Agent, working
from tests.agents_trips import Sent, Trip, travel
from tests.clients import Run, run_claude_code
from tests.sdks import SYNC, Turn, loop

pytestmark = pytest.mark.real_client

DONE = "All was read."
SUMMARY = "<summary>It was read again and again.</summary>"
GOES_ON = "It went on."


def gone(agent: Agent, script: Script, home: Path, **provider: object) -> Trip[Run]:
    """An agent's trip, which ends well."""
    trip = travel(lambda url: agent.go(url, TASK, home), script, home, agent.threshold, **provider)
    assert trip.told.code == 0, trip.told.errors
    return trip


# ---------------------------------------------------------------- the proxy compacts, and the agent doesn't


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_crosses_the_threshold_and_notices_nothing(name: str, tmp_path: Path) -> None:
    """It would compact by itself at a size that its history gets over, and doesn't: it is told what was sent."""
    agent = AGENTS[name]
    trip = gone(agent, working(STEPS, DONE), tmp_path)
    check(trip, repeats=agent.repeats)
    assert DONE in trip.told.output
    assert trip.totals.compactions >= 2
    turns = [asked for asked in trip.asked if asked.tools]
    assert [asked.rounds for asked in turns] == [*range(STEPS + 1)]
    assert all("4998 4999" in str(asked.messages[-4:]) for asked in turns[1:])  # what the tools gave
    assert len(trip.asked) - len(turns) == name.startswith("opencode")  # which asks for a title
    assert agent.told(trip.told) == sum(asked.tokens for asked in turns)
    assert max(sent.tokens_in for sent in trip.sent) > agent.full
    assert {received.websocket for received in trip.requests} == {agent.socket}


# ---------------------------------------------------------------- the agent compacts by itself


@dataclass(frozen=True)
class Own:
    """An agent's own compaction.

    Attributes:
        agent: whose.
        asks: whether it is what a request asks for.
        left: what it leaves in the history from then on.
        more: how many rounds more than `STEPS` follow.
        websockets: whether the provider takes them.
    """

    agent: Agent
    asks: Callable[[Asked], bool]
    left: str = "It was read again and again."
    more: int = 6
    websockets: bool = True


def told_last(words: str) -> Callable[[Asked], bool]:
    return lambda asked: words in json.dumps(asked.messages[-1])


def summarises(asked: Asked) -> bool:
    """Pi and OpenCode ask in a request of its own, without tools; OpenCode asks for a title so, too."""
    return not asked.tools and "title" not in json.dumps(asked.body)


def by_hand(url: str, _: str, home: Path) -> Run:
    """Claude Code is told to compact, between two tasks."""
    compact = "/compact"
    runs = [
        run_claude_code(url, TASK, home),
        *(run_claude_code(url, t, home, arguments=["-c"]) for t in (compact, TASK)),
    ]
    assert [run.code for run in runs] == [0, 0, 0], runs
    return runs[-1]


CRITICAL = told_last("CRITICAL: Respond with")
CHECKPOINT = told_last("CONTEXT CHECKPOINT COMPACTION")
SEALED = '"type": "compaction"'

OWN: Mapping[str, Own] = {
    "claude-code": Own(CLAUDE_CODE, CRITICAL),
    "claude-code-by-hand": Own(replace(CLAUDE_CODE, go=by_hand), CRITICAL),
    "codex-http": Own(AGENTS["codex-http"], CHECKPOINT),
    "codex-websocket": Own(AGENTS["codex-websocket"], lambda asked: asked.compacts, SEALED),
    "codex-by-http": Own(CODEX_BY_HTTP, lambda asked: asked.compacts, SEALED, websockets=False),
    **{name: Own(AGENTS[name], summarises) for name in ("pi-messages", "pi-chat", "pi-responses")},
    # To it, its summary is a text of the model like any other: it is in the proxy's note, until the next drop.
    "opencode-messages": Own(AGENTS["opencode-messages"], summarises, more=0),
}


def compacting(own: Own, rounds: int) -> Script:
    """After so many rounds it says that the window is full, though the proxy has compacted what was sent."""
    before, after = working(STEPS, DONE), working(STEPS + own.more, GOES_ON)

    def script(asked: Asked) -> Answer:
        if own.asks(asked):
            return Reply(SUMMARY)
        if own.left in json.dumps(asked.messages):
            return after(asked)
        return replace(before(asked), tokens_in=own.agent.full if asked.rounds >= rounds else None)

    return script


@pytest.mark.parametrize("name", OWN)
def test_an_agents_own_compaction_passes_unharmed(name: str, tmp_path: Path) -> None:
    """Before it and after it the proxy compacts, and what the agent made of its history stays."""
    own = OWN[name]
    rounds = STEPS if name == "claude-code-by-hand" else STEPS - 4
    trip = gone(own.agent, compacting(own, rounds), tmp_path, websockets=own.websockets)
    check(trip, repeats=own.agent.repeats)
    assert GOES_ON in trip.told.output
    [place] = [number for number, asked in enumerate(trip.asked) if own.asks(asked)]
    assert all(own.left in json.dumps(asked.messages) for asked in trip.asked[place + 1 :])
    asks = trip.sent[place]
    assert settled(asks.up, asks.dialect)[-1] == settled(asks.came, asks.dialect)[-1]
    for part in (trip.sent[:place], trip.sent[place + 1 :]):
        assert any(sent.compacted for sent in part)


# ---------------------------------------------------------------- the provider says that it is too long


@pytest.mark.parametrize("overflow", ["400", "413", "stream"])
@pytest.mark.parametrize("name", ["claude-code", "codex-http"])
def test_b055_b056_an_agent_does_not_see_an_overflow(name: str, overflow: str, tmp_path: Path) -> None:
    agent = AGENTS[name]
    trip = gone(agent, working(STEPS, DONE), tmp_path, window=agent.threshold * 9 // 10, overflow=overflow)
    assert DONE in trip.told.output
    all_is_legal(trip)
    fitting = [asked for asked in trip.asked if asked.tokens <= trip.window]
    assert [asked.rounds for asked in fitting] == [*range(STEPS + 1)]
    assert len(trip.asked) - len(fitting) == trip.totals.replays >= 1
    assert {ended["problem"] for ended in trip.ended} == {""}


# ---------------------------------------------------------------- the SDKs

ROUNDS = 24
THRESHOLD = 1_500
FOLDERS = "deep/" * 60

READS = tool_loop(lambda asked: Call("read", {"path": f"src/größe/{FOLDERS}语 {asked.rounds}.py"}), ROUNDS, DONE)
"""About 250 tokens a round."""


def check_turns(trip: Trip[list[Heard]] | Trip[list[Turn]]) -> None:
    """All turns were had, and each was told the usage of what was sent."""
    check(trip, repeats=True)
    assert (trip.told[-1].text, len(trip.told)) == (DONE, ROUNDS + 1)
    assert [turn.tokens_in for turn in trip.told] == [asked.tokens for asked in trip.asked]
    assert trip.totals.compactions >= 2


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("wait", [True, False], ids=["sync", "async"])
@pytest.mark.parametrize("dialect", SYNC)
def test_a_loop_over_an_sdk(dialect: str, wait: bool, stream: bool, tmp_path: Path) -> None:
    trip = travel(lambda url: loop(dialect, url, stream=stream, wait=wait), READS, tmp_path, THRESHOLD)
    check_turns(trip)
    assert [len(turn.paths) for turn in trip.told] == [*[1] * ROUNDS, 0]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", RUNNERS)
def test_a_loop_of_an_sdks_own(name: str, stream: bool, tmp_path: Path) -> None:
    check_turns(travel(lambda url: RUNNERS[name](url, stream=stream), READS, tmp_path, THRESHOLD))


# ---------------------------------------------------------------- the validators


def test_the_validators_see_an_illegal_request() -> None:
    if validators() is None:
        pytest.skip("the validators are not beside the project: requests were judged by faithfold.faults alone")
    orphan = {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}]}
    sent = Sent(b"{}", json.dumps(orphan).encode(), {"dialect": "anthropic"})
    assert complaints(sent) == ["orphan tool_result a (message [0])"]
