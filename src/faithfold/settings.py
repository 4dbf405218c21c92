"""Settings: the only reader of the environment and of the settings file.

Each part of faithfold has a small group of settings, a frozen dataclass with a default in every field; `GROUPS` lists
them. A setting has one name everywhere: `keep_recent` is the flag `--keep-recent`, the variable
`FAITHFOLD_KEEP_RECENT`, and the key `keep_recent` of the file. Flags stand over variables, variables over the file,
the file over the defaults.

Invariant: each value knows where it came from, and a bad one is refused with one line that says so.

Source: spec 05-api, last part; spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Generic, TypeVar, get_args, get_type_hints

from faithfold.core.errors import SettingsError
from faithfold.engine.policies import strategies_of
from faithfold.proxy.settings import ProxySettings
from faithfold.strategies.options import CompactSettings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PREFIX = "FAITHFOLD_"
FILE_NAME = "faithfold.toml"
DEFAULT = "default"
"""The origin of a setting that nobody set."""

_BEARABLE = 120  # characters of a foreign message
_CONFIG = PREFIX + "CONFIG"
_WORDS: Mapping[object, str] = {
    int: "a whole number of at least 0",
    bool: "true or false",
    str: "a name",
    list[str]: "a list of names",
    NoneType: "none",
}

GROUPS: tuple[type[DataclassInstance], ...] = (CompactSettings, ProxySettings)
"""One row a part; the file may hold the settings of all. What a group refuses, it refuses by the setting's name."""

_G = TypeVar("_G", bound="DataclassInstance")


class _AsText:
    """The types of settings of which text can express only a part: in Python a policy can also be an object."""

    policy: str | list[str]


@dataclass(frozen=True, slots=True)
class Given:
    """A value and where it came from: `default`, a flag, a variable, or a key of the file."""

    value: object
    origin: str


@dataclass(frozen=True, slots=True)
class Loaded(Generic[_G]):
    """A group of settings, and where each came from, by name."""

    settings: _G
    origins: Mapping[str, str]


def load(group: type[_G], flags: Mapping[str, Given] | None = None) -> Loaded[_G]:
    """The effective settings of a group.

    Args:
        group: one of `GROUPS`.
        flags: values given on the command line, by the setting's name; their origin is the flag as it was written.

    Raises:
        SettingsError: a value is not what is expected; the file holds a key that is no setting, can't be read, or is
            named and not there. The message is one line that names the setting, where it was set, and what was
            expected.
    """
    names = [field.name for field in fields(group)]
    path = settings_file()
    found = (_from_file(path) if path else {}) | _from_environment() | dict(flags or {})
    given = {name: found[name] for name in names if name in found}
    origins = {name: given[name].origin if name in given else DEFAULT for name in names}
    return Loaded(_made(group, given), origins)


def settings_file() -> Path | None:
    """The settings file, whether it exists or not: `FAITHFOLD_CONFIG`, else in the user's config folder, if any."""
    named = os.environ.get(_CONFIG)
    if named:
        return Path(named)
    from platformdirs import user_config_path

    try:
        return user_config_path("faithfold", appauthor=False) / FILE_NAME
    except RuntimeError:  # the user has no home
        return None


def agent_homes() -> dict[str, str]:
    """By agent, its own folder where the user moved it: by the variable with which the agent itself is told."""
    variables = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "pi": "PI_CODING_AGENT_DIR"}
    return {agent: folder for agent, variable in variables.items() if (folder := os.environ.get(variable))}


def variables() -> dict[str, str]:
    """All variables of this process: for a program that it starts, and what agents are told by."""
    return dict(os.environ)


def unknown_variables() -> dict[str, str]:
    """The variables that look like settings and are none, each with the one that may be meant, or ""."""
    from difflib import get_close_matches

    known = {_CONFIG, *(PREFIX + name.upper() for name in _kinds())}
    unknown = sorted(
        name for name, text in os.environ.items() if name.startswith(PREFIX) and text and name not in known
    )
    ends = {name.removeprefix(PREFIX): name for name in sorted(known)}
    close = {name: get_close_matches(name.removeprefix(PREFIX), ends, n=1) for name in unknown}
    return {name: ends[matches[0]] if matches else "" for name, matches in close.items()}


def proxy_for(url: str) -> str | None:
    """The proxy that requests to an address go through, as the usual variables say (`HTTPS_PROXY`, `NO_PROXY`).

    Raises:
        SettingsError: it is of a kind that can't be used.
    """
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    parts, proxies = urlsplit(url), getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(parts.netloc):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise SettingsError(
            f"the proxy for {parts.scheme} addresses is none that takes HTTP; expected http://HOST:PORT"
        )
    return proxy


def wants_no_colour() -> bool:
    """Whether the user asked all programs for text without colours (https://no-color.org), or can't be shown any."""
    return bool(os.environ.get("NO_COLOR")) or has_dumb_terminal()


def has_dumb_terminal() -> bool:
    """Whether the terminal shows text and nothing else: no colours, and no line anew."""
    return os.environ.get("TERM") == "dumb"


def _made(group: type[_G], given: Mapping[str, Given]) -> _G:
    """The group with these values; what it or the table of policies refuses is refused in the origin's name."""
    try:
        settings = replace(group(), **{name: one.value for name, one in given.items()})
        if isinstance(settings, CompactSettings):
            strategies_of(settings)
    except SettingsError as error:
        named = set(re.findall(r"\w+", str(error)))
        origins = " and ".join(one.origin for name, one in given.items() if name in named)
        raise SettingsError(": ".join(filter(None, (origins, str(error))))) from None
    return settings


@cache
def _kinds() -> Mapping[str, type[object]]:
    """The type of every setting, of all groups."""
    return {name: kind for each in (*GROUPS, _AsText) for name, kind in get_type_hints(each).items()}


def _from_environment() -> dict[str, Given]:
    """What variables set. An empty variable sets nothing."""
    variables = {name: PREFIX + name.upper() for name in _kinds()}
    texts = {name: text for name, variable in variables.items() if (text := os.environ.get(variable))}
    return {name: _given(name, text, variables[name], strict=False) for name, text in texts.items()}


def _from_file(path: Path) -> dict[str, Given]:
    """What the file sets. Every key is checked, those of other groups too, so that a mistake shows at once."""
    content, known = _toml(path), sorted(_kinds())
    for key in content:
        if key not in known:
            raise SettingsError(f"{key} in {path} is no setting; expected one of {', '.join(known)}")
    return {key: _given(key, value, f"{key} in {path}", strict=True) for key, value in content.items()}


def _toml(path: Path) -> dict[str, object]:
    """The file's content; empty if there is no file in the usual place."""
    import tomllib

    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        if os.environ.get(_CONFIG):
            expected = "expected a settings file, or the variable unset"
            raise SettingsError(f"{_CONFIG} names {path}, and there is no such file; {expected}") from None
        return {}
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is no TOML: expected UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise SettingsError(f"{path} is no TOML: {_one_line(str(error))}") from None


def _given(name: str, value: object, origin: str, *, strict: bool) -> Given:
    """A value of the right type; `none` unsets a setting that may be unset.

    Args:
        name: of the setting.
        value: as it was found.
        origin: where.
        strict: whether it must have its type already (in the file `true` is no number), or may be text that tells it.
    """
    from pydantic import TypeAdapter, ValidationError

    kind = _kinds()[name]
    if NoneType in get_args(kind) and isinstance(value, str) and value.strip().lower() == "none":
        return Given(None, origin)
    try:
        made: object = TypeAdapter(kind).validate_python(value, strict=strict)
    except ValidationError:
        raise SettingsError(_refusal(origin, value, kind)) from None
    if made == []:
        raise SettingsError(_refusal(origin, value, kind))
    return Given(made, origin)


def _refusal(origin: str, value: object, kind: type[object]) -> str:
    """The value as the file would have it, and what it should have been."""
    shown = "an empty list" if value == [] else _one_line(json.dumps(value, ensure_ascii=False, default=str))
    return f"{origin} is {shown}; expected {' or '.join(_WORDS.get(one, str(one)) for one in get_args(kind) or [kind])}"


def _one_line(text: str) -> str:
    """`text` on one line of bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= _BEARABLE else f"{line[: _BEARABLE - 3]}..."
