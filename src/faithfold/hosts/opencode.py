"""OpenCode: it says itself how it is set up, and takes more settings for one run in a variable.

A provider that is named in the settings counts as one that can be asked. So its own providers are named only where they
are in use anyway: set up, asked for, or with a key.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from faithfold.core.errors import InputError
from faithfold.core.values import as_object, as_text
from faithfold.hosts.launch import (
    OPENAI,
    Launch,
    Provider,
    Side,
    json_object,
    known,
    option,
    provider_of,
    read_settings,
)
from faithfold.sessions.files import users_home

_CONTENT = "OPENCODE_CONFIG_CONTENT"
_SIDES: Mapping[str, Side] = {
    "@ai-sdk/anthropic": "anthropic",
    "@ai-sdk/openai": "openai",
    "@ai-sdk/openai-compatible": "openai",
}
_OWN = {"anthropic": Provider("anthropic", "https://api.anthropic.com/v1"), "openai": OPENAI}
_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


def prepare(launch: Launch) -> None:
    """Adds the base URLs to the settings in the variable."""
    given = launch.variables.get(_CONTENT, "")
    content = json_object(given)
    if given and not content:
        launch.notes.append(f"{_CONTENT} can't be read: OpenCode's requests do not go through faithfold")
        return
    config = json_object(launch.ask("debug", "config"))
    used = [provider_of(option(launch.arguments, "-m", "--model")), provider_of(config.get("model"))]
    set_up = list(_set_up(config))
    own = {name: _OWN[name] for name in _in_use(launch, {*used, *(name for name, _, _ in set_up)})}
    bases = launch.redirect(known(own, _SIDES, set_up), used)
    launch.variables[_CONTENT] = json.dumps(_with_bases(content, bases))


def _in_use(launch: Launch, named: Collection[str]) -> Iterator[str]:
    """Which of its own providers are named, or have a key. Keys are not looked at, only whether there is one."""
    stored = _stored(launch.variables.get("XDG_DATA_HOME"))
    for name, variable in _KEYS.items():
        if name in named or launch.variables.get(variable) or as_object(stored.get(name)).get("type") == "api":
            yield name


def _stored(data: str | None) -> Mapping[str, object]:
    """What OpenCode keeps to log in with, by provider."""
    with suppress(InputError):
        folder = Path(data) if data else users_home() / ".local" / "share"
        return read_settings(folder / "opencode" / "auth.json")
    return {}


def _set_up(config: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    for name, provider in as_object(config.get("provider")).items():
        fields = as_object(provider)
        yield name, as_text(fields.get("npm")), as_text(as_object(fields.get("options")).get("baseURL"))


def _with_bases(content: Mapping[str, object], bases: Mapping[str, str]) -> Mapping[str, object]:
    """The settings with the base URL of each provider in its place."""
    providers = dict(as_object(content.get("provider")))
    for name, base in bases.items():
        own = as_object(providers.get(name))
        providers[name] = {**own, "options": {**as_object(own.get("options")), "baseURL": base}}
    return {**content, "provider": providers}
