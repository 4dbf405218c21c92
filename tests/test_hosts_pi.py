"""Pi: what its extension is told, and which of its providers go by way of the proxy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from faithfold.hosts.launch import Launch
from faithfold.hosts.pi import VARIABLE
from tests.cli_runs import Home, parsed
from tests.launches import GATEWAY, PROXY, launched


def bases(launch: Launch) -> Mapping[str, object]:
    """The base URLs that Pi's extension is told."""
    return parsed(launch.variables[VARIABLE])


@pytest.mark.usefixtures("home")
def test_pi_is_told_by_an_extension() -> None:
    launch = launched(["pi", "-p", "hello"])
    assert launch.command[:2] + launch.command[3:] == ["pi", "--extension", "-p", "hello"]
    assert Path(launch.command[2]).is_file()
    assert bases(launch) == {"anthropic": PROXY, "openai": f"{PROXY}/v1"}
    assert launched(["pi", "install", "x"]).command == ["pi", "install", "x"]


MODELS = """{
  // two gateways
  "providers": {
    "one": {"baseUrl": "https://one.example/v1", "api": "openai-completions"},
    "two": {"baseUrl": "https://two.example/v1", "api": "openai-responses"},
    "google-like": {"baseUrl": "https://g.example", "api": "google-generative-ai"},
    "anthropic": {"baseUrl": "https://gateway.example/llm"},
  }
}"""


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        ("--provider one", {"one": f"{PROXY}/v1", "anthropic": PROXY}),
        ("--model=two/m", {"two": f"{PROXY}/v1", "anthropic": PROXY}),
        ("", {"two": f"{PROXY}/v1", "anthropic": PROXY}),
        ("--provider openai-codex", {"openai-codex": PROXY, "anthropic": PROXY}),
    ],
)
def test_the_provider_that_is_in_use_has_the_upstream(home: Home, arguments: str, served: object) -> None:
    home.write(".pi/agent/models.json", MODELS)
    home.write(".pi/agent/settings.json", {"defaultProvider": "two"})
    launch = launched(["pi", *arguments.split()])
    assert (bases(launch), launch.upstreams["anthropic"], launch.notes) == (served, GATEWAY, [])


def test_a_provider_that_speaks_no_dialect_of_ours_is_named(home: Home) -> None:
    home.write(".pi/agent/models.json", MODELS)
    launch = launched(["pi", "--provider", "google-like"])
    assert launch.notes == ["Pi's provider 'google-like' does not go through faithfold"]
    assert "google-like" not in bases(launch)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"providers": 3}', b'{"providers": {"p": 3}}', b"\xff\xfe"])
def test_settings_that_cannot_be_read_change_nothing(home: Home, content: bytes) -> None:
    home.write(".pi/agent/models.json", content)
    assert bases(launched(["pi"])).keys() == {"anthropic", "openai"}
