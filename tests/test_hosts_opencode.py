"""OpenCode: what is added to its settings, and which of its providers go by way of the proxy."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from faithfold.core.values import as_object
from faithfold.hosts.launch import Launch
from tests.cli_runs import Home, parsed
from tests.launches import GATEWAY, PROXY, launched, stand_in


def opencode(home: Home, config: object) -> str:
    """A stand-in for OpenCode that says how it is set up."""
    return stand_in(home, "opencode", "debug config", json.dumps(config))


def content(launch: Launch) -> Mapping[str, object]:
    return parsed(launch.variables["OPENCODE_CONFIG_CONTENT"])


def test_opencode_is_told_in_its_settings(home: Home) -> None:
    provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{GATEWAY}/v1", "apiKey": "***"}}
    program = opencode(home, {"model": "mine/m", "provider": {"mine": provider}})
    given = {"OPENCODE_CONFIG_CONTENT": '{"share": "disabled", "provider": {"mine": {"options": {"timeout": 5}}}}'}
    launch = launched([program, "run"], given)
    options = {"timeout": 5, "baseURL": f"{PROXY}/v1"}
    assert content(launch) == {"share": "disabled", "provider": {"mine": {"options": options}}}
    assert launch.upstreams == {"openai": GATEWAY}
    assert launch.variables["OPENCODE_DISABLE_AUTOCOMPACT"] == "1"


@pytest.mark.parametrize(
    ("arguments", "variables", "stored", "named"),
    [
        ("", {}, {}, set[str]()),
        ("-m anthropic/claude", {}, {}, {"anthropic"}),
        ("", {"OPENAI_API_KEY": "k"}, {}, {"openai"}),
        ("", {}, {"anthropic": {"type": "api", "key": "k"}, "openai": {"type": "oauth"}}, {"anthropic"}),
    ],
)
def test_opencodes_own_providers_are_named_where_they_are_in_use(
    home: Home, arguments: str, variables: Mapping[str, str], stored: object, named: set[str]
) -> None:
    home.write("data/opencode/auth.json", stored)
    given = {"XDG_DATA_HOME": str(home.path / "data"), **variables}
    launch = launched([opencode(home, {}), *arguments.split()], given)
    assert as_object(content(launch)["provider"]).keys() == named


def test_settings_of_opencode_that_cannot_be_read_are_left_as_they_are(home: Home) -> None:
    launch = launched([opencode(home, {})], {"OPENCODE_CONFIG_CONTENT": "{"})
    assert launch.variables["OPENCODE_CONFIG_CONTENT"] == "{"
    assert launch.notes == ["OPENCODE_CONFIG_CONTENT can't be read: OpenCode's requests do not go through faithfold"]
