"""Pi: an extension for this one run gives its providers their new base URLs, and keeps it from compacting by itself.

So Pi's own folder, with its sessions and keys, stays what and where it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from faithfold.core.errors import InputError
from faithfold.core.values import as_object, as_text
from faithfold.hosts.launch import ANTHROPIC, OPENAI, Launch, Provider, Side, known, option, provider_of, read_settings
from faithfold.sessions.files import PLACES
from faithfold.settings import agent_homes

VARIABLE = "PI_THROUGH_FAITHFOLD"
"""By which the extension is told the base URLs."""

_EXTENSION = Path(__file__).with_name("pi_extension.js")
_COMMANDS = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
_SIDES: Mapping[str, Side] = {
    "anthropic-messages": "anthropic",
    "openai-completions": "openai",
    "openai-responses": "openai",
}
_OWN = {
    "anthropic": ANTHROPIC,
    "openai": OPENAI,
    "openai-codex": Provider("openai", "https://chatgpt.com/backend-api"),
}


def prepare(launch: Launch) -> None:
    """Brings the extension in, unless Pi is to do something else than to work."""
    if {*launch.arguments[:1]} & _COMMANDS:
        return
    try:
        home = PLACES["pi"].root(agent_homes().get("pi"))
    except InputError:
        return
    providers = known(_OWN, _SIDES, _set_up(read_settings(home / "models.json")))
    bases = launch.redirect(providers, _used(launch, home))
    launch.variables[VARIABLE] = json.dumps(bases)
    launch.insert("--extension", str(_EXTENSION))


def _set_up(models: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    for name, provider in as_object(models.get("providers")).items():
        fields = as_object(provider)
        yield name, as_text(fields.get("api")), as_text(fields.get("baseUrl"))


def _used(launch: Launch, home: Path) -> list[str]:
    """The providers that will be asked, the likeliest first."""
    arguments = launch.arguments
    files = (Path(".pi") / "settings.json", home / "settings.json")
    return [
        option(arguments, "--provider"),
        provider_of(option(arguments, "--model")),
        *(as_text(read_settings(file).get("defaultProvider")) for file in files),
    ]
