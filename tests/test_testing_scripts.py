"""What a script is told of a request, and the ready-made ones."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from faithfold.dialects import DIALECTS
from faithfold.testing import (
    Asked,
    Call,
    Refusal,
    Reply,
    Tool,
    anthropic,
    openai_chat,
    openai_responses,
    says,
    sequence,
    shell,
    tool_loop,
)
from tests.pieces import session, user

WIRES = [anthropic.WIRE, openai_chat.WIRE, openai_responses.WIRE]
BASH = (Tool("Read"), Tool("Bash"))


def asked(number: int = 1, messages: object = (), tools: tuple[Tool, ...] = (), dialect: str = "anthropic") -> Asked:
    key = DIALECTS[dialect].messages_key
    return Asked(dialect, {"model": "m", key: messages}, number, tools)


def result(identity: str) -> Mapping[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": identity, "content": "x"}]}


@pytest.mark.parametrize("dialect", [wire.dialect for wire in WIRES])
def test_rounds_and_turns_are_counted_in_a_history_with_any_ids(dialect: str) -> None:
    told = asked(messages=session(dialect, 4), dialect=dialect)
    assert (told.rounds, told.turns, list(told.faults)) == (4, 4, [])
    assert (asked(dialect=dialect).rounds, asked(dialect=dialect).turns) == (0, 0)


def test_rounds_outlive_a_compaction() -> None:
    first = asked(7, [user("hi"), result("toolu_000003_1_round3")])
    assert (first.rounds, first.id("toolu_"), first.id("toolu_", 2)) == (
        3,
        "toolu_000007_round4",
        "toolu_000007_2_round4",
    )


def test_a_text_is_a_message_of_the_user() -> None:
    assert asked(messages="hi", dialect="openai-responses").messages == [{"role": "user", "content": "hi"}]
    assert asked(messages="hi", dialect="openai-responses").turns == 0


LISTED: list[tuple[str, Mapping[str, object], list[Tool]]] = [
    ("anthropic", {"tools": [{"name": "Bash", "input_schema": {}}, {"type": "x"}, 3]}, [Tool("Bash")]),
    ("openai", {"tools": [{"type": "function", "function": {"name": "bash"}}]}, [Tool("bash")]),
    ("openai", {"tools": [{"type": "custom", "custom": {"name": "patch"}}]}, [Tool("patch", custom=True)]),
    ("openai-responses", {"tools": [{"type": "function", "name": "shell"}]}, [Tool("shell")]),
    (
        "openai-responses",
        {"input": [{"type": "additional_tools", "tools": [{"type": "custom", "name": "exec"}]}]},
        [Tool("exec", custom=True)],
    ),
    (
        "openai-responses",
        {"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "custom", "name": "exec"}]}, {"type": "web"}]},
        [Tool("exec", custom=True, namespace="n")],
    ),
]


@pytest.mark.parametrize(("dialect", "body", "tools"), LISTED)
def test_tools_are_found(dialect: str, body: Mapping[str, object], tools: list[Tool]) -> None:
    [wire] = [wire for wire in WIRES if wire.dialect == dialect]
    assert list(wire.tools(body)) == tools


def test_a_sequence_goes_by_the_number_of_the_request() -> None:
    script = sequence(Refusal("rate limit"), says("two"), Reply("last"))
    assert [script(asked(number)) for number in range(1, 6)] == [
        Refusal("rate limit"),
        Reply("two"),
        *[Reply("last")] * 3,
    ]


def test_a_tool_loop_ends_where_it_should() -> None:
    script = tool_loop(Call("Bash", {"command": "ls"}), 2, Reply("end"))
    assert script(asked(tools=BASH)) == Reply("Round 1.", calls=[Call("Bash", {"command": "ls"})])
    assert script(asked(messages=[result("toolu_1_round2")], tools=BASH)) == Reply("end")
    assert script(asked()) == Reply("end")  # no tools: a side call
    assert tool_loop(shell("ls"), 2)(asked(tools=(Tool("Read"),))) == Reply("done")


SHELLS: list[tuple[Tool, object]] = [
    (Tool("Bash"), {"command": "echo 0", "description": "run a command"}),
    (Tool("exec_command"), {"cmd": "echo 0"}),
    (Tool("shell"), {"command": ["bash", "-lc", "echo 0"]}),
    (Tool("shell_command"), {"command": "echo 0"}),
    (
        Tool("exec", custom=True, namespace="n"),
        'const result = await tools.exec_command({cmd: "echo 0"}); text(result.output);',
    ),
]


@pytest.mark.parametrize(("tool", "arguments"), SHELLS, ids=lambda each: getattr(each, "name", ""))
def test_the_shell_tool_of_an_agent_is_called_as_it_wants(tool: Tool, arguments: Mapping[str, object] | str) -> None:
    call = shell(lambda rounds: f"echo {rounds}")(asked(tools=(Tool("Read"), tool)))
    assert call == Call(tool.name, arguments, tool.namespace)


def test_calls_of_custom_tools_are_streamed_as_text_over_chat() -> None:
    told = Asked("openai", {"model": "m", "messages": []}, 1)
    reply = Reply(calls=[Call("patch", "*** Begin Patch\n*** End Patch")])
    parts = [json.dumps(data) for _, data in openai_chat.WIRE.events(told, reply)]
    assert '"custom": {"name": "patch", "input": ""}' in parts[1]
    assert "".join(
        json.loads(part)["choices"][0]["delta"]["tool_calls"][0]["custom"]["input"] for part in parts[1:-2]
    ) == ("*** Begin Patch\n*** End Patch")
    assert '"finish_reason": "tool_calls"' in parts[-2]
