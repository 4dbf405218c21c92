"""The table of agents: how each is found in a command, and what it is told to go by way of the proxy."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from faithfold.hosts.agents import AGENTS
from faithfold.hosts.launch import json_object, option
from faithfold.hosts.programs import program
from tests.launches import GATEWAY, PROXY, launched

NAMES = {name for agent in AGENTS for name in agent.programs}


@pytest.mark.parametrize(
    ("command", "place", "name"),
    [
        ("claude -p hello", 0, "claude"),
        ("/opt/bin/claude", 0, "claude"),
        ("codex.cmd exec", 0, "codex"),
        ("env -u HOME A=1 B= claude", 5, "claude"),
        ("env npx -y @openai/codex@0.171.0 exec", 3, "@openai/codex"),
        ("npx -p @openai/codex codex exec", 3, "codex"),
        ("npx --yes @anthropic-ai/claude-code", 2, "@anthropic-ai/claude-code"),
        ("bunx opencode-ai@latest run", 1, "opencode-ai"),
        ("uvx --from some-package pi", 3, "pi"),
        ("timeout -k 5 60 nice -n 5 pi -p hello", 7, "pi"),
        ("python agent.py claude", 0, ""),
        ("bash -c claude", 0, ""),
        ("env make claude", 0, ""),
        ("env", 0, ""),
        ("npx -p", 0, ""),
        ("claude-like", 0, ""),
    ],
)
def test_the_program_is_found(command: str, place: int, name: str) -> None:
    assert program(command.split(), NAMES) == (place, name)


def test_an_unknown_command_gets_the_usual_variables() -> None:
    launch = launched(["aider", "--yes"])
    told = {name: value for name, value in launch.variables.items() if name != "PATH"}
    assert told == {
        "ANTHROPIC_BASE_URL": PROXY,
        "ANTHROPIC_API_BASE": PROXY,
        "OPENAI_BASE_URL": f"{PROXY}/v1",
        "OPENAI_API_BASE": f"{PROXY}/v1",
        "DISABLE_AUTO_COMPACT": "1",
    }
    assert launch.upstreams == {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com"}
    assert (launch.command, launch.notes) == (["aider", "--yes"], [])


@pytest.mark.parametrize(
    ("base", "upstream", "given"),
    [
        (f"{GATEWAY}/v1", GATEWAY, f"{PROXY}/v1"),
        (f"{GATEWAY}/v1/", GATEWAY, f"{PROXY}/v1"),
        (GATEWAY, GATEWAY, PROXY),
        (f"{GATEWAY}/v1beta", f"{GATEWAY}/v1beta", PROXY),
    ],
)
def test_a_base_url_of_the_user_becomes_the_upstream(base: str, upstream: str, given: str) -> None:
    launch = launched(["llm"], {"OPENAI_BASE_URL": base})
    assert (launch.upstreams["openai"], launch.variables["OPENAI_BASE_URL"]) == (upstream, given)


def test_what_belongs_to_another_upstream_is_left_as_it_is() -> None:
    """The key that goes with it must not reach the other one."""
    launch = launched(["aider"], {"OPENAI_API_BASE": f"{GATEWAY}/v1"})
    assert launch.variables["OPENAI_API_BASE"] == f"{PROXY}/v1"
    assert "OPENAI_BASE_URL" not in launch.variables
    both = launched(["aider"], {"OPENAI_BASE_URL": f"{GATEWAY}/v1", "OPENAI_API_BASE": "https://other.example/v1"})
    assert both.variables["OPENAI_API_BASE"] == "https://other.example/v1"
    assert both.notes == ["OPENAI_API_BASE names another upstream than the one before it, and is left as it is"]


def test_an_upstream_that_the_settings_name_stands_over_the_users_base_url() -> None:
    launch = launched(["claude"], {"ANTHROPIC_BASE_URL": GATEWAY}, {"anthropic": "https://named.example"})
    assert launch.upstreams == {"anthropic": "https://named.example"}
    assert launch.variables["ANTHROPIC_BASE_URL"] == PROXY


@pytest.mark.parametrize(
    ("given", "upper", "lower"),
    [
        ({}, None, None),
        ({"NO_PROXY": "a.example"}, "a.example", None),
        ({"HTTPS_PROXY": "http://p"}, None, None),
        ({"HTTP_PROXY": "http://p"}, "127.0.0.1", "127.0.0.1"),
        ({"all_proxy": "http://p", "NO_PROXY": "a.example"}, "a.example,127.0.0.1", "a.example,127.0.0.1"),
        ({"http_proxy": "http://p", "NO_PROXY": "a", "no_proxy": "b"}, "a,127.0.0.1", "b,127.0.0.1"),
        ({"http_proxy": "http://p", "NO_PROXY": "127.0.0.1"}, "127.0.0.1", None),
        ({"http_proxy": "http://p", "no_proxy": "*"}, None, "*"),
    ],
)
def test_the_way_to_the_proxy_leads_through_no_other(
    given: Mapping[str, str], upper: str | None, lower: str | None
) -> None:
    launch = launched(["llm"], given)
    assert (launch.variables.get("NO_PROXY"), launch.variables.get("no_proxy")) == (upper, lower)


def test_json_with_comments() -> None:
    text = '{"a": "// no comment, ]", /* b */ "c": [1, 2,], // d\n "e": "\\"/*",}'
    assert json_object(text) == {"a": "// no comment, ]", "c": [1, 2], "e": '"/*'}
    assert json_object("nothing") == {}


def test_options() -> None:
    arguments = ["--model=a=b", "-m", "c", "--last"]
    assert [option(arguments, *names) for names in (("--model",), ("-m",), ("--last",), ("-x",))] == [
        "a=b",
        "c",
        "",
        "",
    ]
