"""Claude Code: what it is told to go by way of the proxy, and what its own settings files say."""

from __future__ import annotations

import json

import pytest

from tests.cli_runs import Home
from tests.launches import GATEWAY, PROXY, launched


@pytest.mark.usefixtures("home")
def test_claude_code_needs_two_variables() -> None:
    launch = launched(["claude", "-p", "hello"])
    told = {name: value for name, value in launch.variables.items() if name != "PATH"}
    assert told == {"ANTHROPIC_BASE_URL": PROXY, "DISABLE_AUTO_COMPACT": "1"}
    assert (launch.command, launch.notes) == (["claude", "-p", "hello"], [])
    own = launched(["claude"], {"DISABLE_AUTO_COMPACT": "0"})
    assert own.variables["DISABLE_AUTO_COMPACT"] == "0"


def test_what_claude_codes_settings_say_is_heeded(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.path)
    home.write(".claude/settings.json", {"env": {"ANTHROPIC_BASE_URL": "https://far.example"}})
    local = home.write(".claude/settings.local.json", {"env": {"ANTHROPIC_BASE_URL": GATEWAY}})
    launch = launched(["env", "claude", "-p"], {"ANTHROPIC_BASE_URL": "https://variable.example"})
    given = json.dumps({"env": {"ANTHROPIC_BASE_URL": PROXY}})
    assert launch.command == ["env", "claude", "--settings", given, "-p"]
    assert launch.upstreams == {"anthropic": GATEWAY}
    taken = launched(["claude", "--settings=mine.json"])
    assert taken.command == ["claude", "--settings=mine.json"]
    assert "it is left as it is" in taken.notes[0]
    local.write_text('{"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}')
    assert "do not go through faithfold" in launched(["claude"]).notes[0]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"env": 3}', b'{"env": {"ANTHROPIC_BASE_URL": 3}}', b"\xff\xfe"]
)
def test_settings_that_cannot_be_read_change_nothing(home: Home, content: bytes) -> None:
    home.write(".claude/settings.json", content)
    launch = launched(["claude"])
    assert (launch.command, launch.notes, launch.variables["ANTHROPIC_BASE_URL"]) == (["claude"], [], PROXY)
