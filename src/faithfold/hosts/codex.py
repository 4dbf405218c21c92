"""Codex: it reads no variable for the base URL, so it is told by `-c` settings.

They stand where those of the user stand, else right behind the program: Codex heeds only those behind the subcommand
where there are any there. Who logged in with ChatGPT goes to another address than who has a key; Codex itself says
which it is, so no file with keys is opened.

Codex compacts by itself at nine tenths of its model's window at the latest, whatever it is told.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithfold.core.errors import InputError
from faithfold.core.values import as_object, as_text
from faithfold.hosts.launch import CHATGPT, OPENAI, Launch, Provider, option
from faithfold.sessions.files import PLACES
from faithfold.settings import agent_homes

_LIMIT = "model_auto_compact_token_limit"
_NEVER = 2**63 - 1  # tokens
_OPENAI = "openai"
_NAMES_A_PROVIDER = re.compile(r"(model_providers?|openai_base_url)\b")
_ELSEWHERE = frozenset({"--oss", "--local-provider", "--remote"})
_RUNS_WITH_A_KEY = frozenset({"exec", "e"})
_PLAIN = re.compile(r"[\w-]+")


def prepare(launch: Launch) -> None:
    """Puts the settings in, unless the command line says where to go."""
    arguments = launch.arguments
    given = dict(_overrides(arguments))
    if any(_NAMES_A_PROVIDER.match(each) for each in given.values()) or _ELSEWHERE & {*arguments}:
        launch.notes.append("the command line names a provider for Codex: its requests do not go through faithfold")
        return
    found = _provider(launch, _config(option(arguments, "-p", "--profile")))
    if found is None:
        return
    key, base = found
    settings = ["-c", f"{key}={json.dumps(base)}"]
    if not any(each.startswith(_LIMIT) for each in given.values()):
        settings += ["-c", f"{_LIMIT}={_NEVER}"]
    launch.insert(*settings, before=max(given, default=0))


def _provider(launch: Launch, config: Mapping[str, object]) -> tuple[str, str | None] | None:
    """The setting that says where requests go, and what it is to be; None where Codex's own is left as it is."""
    name = as_text(config.get("model_provider")) or _OPENAI
    custom = as_object(as_object(config.get("model_providers")).get(name))
    if name != _OPENAI and not (custom and _PLAIN.fullmatch(name)):
        launch.notes.append(f"Codex's provider {name!r} does not go through faithfold")
        return None
    own = as_text(custom.get("base_url") if custom else config.get("openai_base_url"))
    base = launch.through(Provider(OPENAI.side, own) if own else _usual(launch))
    return (f"model_providers.{name}.base_url" if custom else "openai_base_url"), base


def _usual(launch: Launch) -> Provider:
    """Where Codex goes by itself."""
    if launch.variables.get("CODEX_API_KEY") and _RUNS_WITH_A_KEY & {*launch.arguments}:
        return OPENAI
    return CHATGPT if "ChatGPT" in launch.ask("login", "status") else OPENAI


def _overrides(arguments: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The settings that the command line sets, as they are written, and where each begins."""
    for place, argument in enumerate(arguments):
        if argument == "--":
            return
        if argument in ("-c", "--config"):
            yield from ((place, each.strip()) for each in arguments[place + 1 : place + 2])
        elif argument.startswith("--config=") or re.match(r"-c[^-]", argument):
            yield place, argument.removeprefix("--config=").removeprefix("-c").lstrip("= ")


def _config(profile: str) -> Mapping[str, object]:
    """The settings of Codex's files; a profile's stand over the others, in the old form of profiles and the new."""
    try:
        home = PLACES["codex"].root(agent_homes().get("codex"))
    except InputError:
        return {}
    common = _toml(home / "config.toml")
    name = profile or as_text(common.get("profile"))
    own = as_object(as_object(common.get("profiles")).get(name))
    return {**common, **own, **(_toml(home / f"{profile}.config.toml") if profile else {})}


def _toml(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
