"""The table of agents: by which names each is started, and what it must be told to go by way of a proxy.

The idea: most agents are told by variables. What variables can't tell is done by a function of the agent's own file,
by arguments for this one run. No file is written, so there is nothing to be put back.

Invariant: what the user set stands: a base URL of theirs becomes the upstream, a switch of theirs keeps its value.

Source: spec 40-proxy; spec 90-decisions, Proxy (`run`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from faithfold.hosts import claude_code, codex, opencode, pi
from faithfold.hosts.launch import ANTHROPIC, OPENAI, Launch, Provider, Side
from faithfold.hosts.programs import program


@dataclass(frozen=True, slots=True)
class Agent:
    """What an agent needs.

    Attributes:
        name: as people call it.
        programs: the names that it is started by: of its program, and of its packages.
        bases: variables that hold a base URL, each with the provider that is asked where it isn't set.
        switches: variables with which its own compaction is switched off.
        further: tells what variables can't; called before the variables are set.
    """

    name: str
    programs: Sequence[str]
    bases: Mapping[str, Provider] = field(default_factory=dict[str, Provider])
    switches: Mapping[str, str] = field(default_factory=dict[str, str])
    further: Callable[[Launch], None] | None = None


AGENTS = (
    Agent(
        "Claude Code",
        ("claude", "@anthropic-ai/claude-code"),
        bases={"ANTHROPIC_BASE_URL": ANTHROPIC},
        switches={"DISABLE_AUTO_COMPACT": "1"},
        further=claude_code.prepare,
    ),
    Agent("Codex", ("codex", "@openai/codex"), further=codex.prepare),
    Agent("Pi", ("pi", "@earendil-works/pi-coding-agent"), further=pi.prepare),
    Agent(
        "OpenCode",
        ("opencode", "opencode-ai"),
        switches={"OPENCODE_DISABLE_AUTOCOMPACT": "1"},
        further=opencode.prepare,
    ),
)

OTHER = Agent(
    "the command",
    (),
    bases={
        "ANTHROPIC_BASE_URL": ANTHROPIC,
        "ANTHROPIC_API_BASE": ANTHROPIC,
        "OPENAI_BASE_URL": OPENAI,
        "OPENAI_API_BASE": OPENAI,
    },
    switches={"DISABLE_AUTO_COMPACT": "1"},
)
"""Whatever reads the usual variables: SDKs, aider, llm, and shells in which somebody starts Claude Code."""

_BY_PROGRAM = {program: agent for agent in AGENTS for program in agent.programs}
_PROXIES = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
_UNPROXIED = ("no_proxy", "NO_PROXY")
_LOOPBACK = "127.0.0.1"


def prepare(command: Sequence[str], variables: Mapping[str, str], proxy: str, upstreams: Mapping[Side, str]) -> Launch:
    """What must be run so that a command's requests go by way of a proxy.

    Args:
        command: the program and its arguments.
        variables: that it would be given.
        proxy: its address, at 127.0.0.1.
        upstreams: those that the user set for the proxy.
    """
    place, name = program(command, _BY_PROGRAM)
    agent = _BY_PROGRAM.get(name, OTHER)
    launch = Launch(agent.name, [*command], place, {**variables}, proxy, {**upstreams})
    if agent.further is not None:
        agent.further(launch)
    _point(launch, agent.bases)
    for switch, value in agent.switches.items():
        launch.variables.setdefault(switch, value)
    if any(variables.get(each) for each in _PROXIES):
        _let_loopback_by(launch.variables)
    return launch


def _point(launch: Launch, bases: Mapping[str, Provider]) -> None:
    """Sets the variables that hold base URLs. Those that the user set come first: they name the upstream."""
    for variable, usual in sorted(bases.items(), key=lambda row: not launch.variables.get(row[0])):
        own = launch.variables.get(variable)
        base = launch.through(Provider(usual.side, own or usual.base))
        if base is not None:
            launch.variables[variable] = base
        elif own:
            launch.notes.append(f"{variable} names another upstream than the one before it, and is left as it is")


def _let_loopback_by(variables: dict[str, str]) -> None:
    """Makes sure that the way to our proxy leads through no other. Of the two variables some programs heed only one."""
    given = [variables.get(name, "") for name in _UNPROXIED]
    for name, own, other in zip(_UNPROXIED, given, reversed(given), strict=True):
        hosts = [host for host in (own or other).split(",") if host]
        if not {_LOOPBACK, "*"} & {*hosts}:
            variables[name] = ",".join([*hosts, _LOOPBACK])
