"""Claude Code: what its settings files say stands over variables, and an argument stands over both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from faithfold.core.errors import InputError
from faithfold.core.values import as_object, as_text
from faithfold.hosts.launch import ANTHROPIC, Launch, Provider, option, read_settings
from faithfold.sessions.files import PLACES
from faithfold.settings import agent_homes

_BASE = "ANTHROPIC_BASE_URL"
_SETTINGS = "--settings"
_CLOUDS = ("BEDROCK", "VERTEX", "FOUNDRY", "MANTLE")
_OFF = ("", "0", "false", "no", "off")


def prepare(launch: Launch) -> None:
    """Makes sure that the base URL is heeded that the variables are going to say."""
    files = _variables()
    for cloud in _CLOUDS:
        name = f"CLAUDE_CODE_USE_{cloud}"
        if files.get(name, launch.variables.get(name, "")).lower() not in _OFF:
            launch.notes.append(f"{name} is set: Claude Code's requests do not go through faithfold")
    own = files.get(_BASE)
    if not own:
        return
    if option(launch.arguments, _SETTINGS):
        launch.notes.append(f"Claude Code's settings set {_BASE}, and {_SETTINGS} is given: it is left as it is")
        return
    launch.variables[_BASE] = own
    base = launch.through(Provider(ANTHROPIC.side, own))
    launch.insert(_SETTINGS, json.dumps({"env": {_BASE: base}}))


def _variables() -> Mapping[str, str]:
    """The variables that Claude Code's settings files set; the nearer file stands over the farther one."""
    found: dict[str, str] = {}
    for path in _files():
        given = as_object(read_settings(path).get("env"))
        found.update({name: as_text(value) for name, value in given.items()})
    return found


def _files() -> list[Path]:
    project = Path(".claude")
    files = [project / "settings.json", project / "settings.local.json"]
    with suppress(InputError):
        files.insert(0, PLACES["claude"].root(agent_homes().get("claude")) / "settings.json")
    return files
