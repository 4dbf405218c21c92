"""Settings: the only reader of the environment and of the settings file.

Each part of faithfold has a small group of settings, a frozen dataclass with a default in every field; `GROUPS` lists
them. A setting has one name everywhere: `keep_recent` is the flag `--keep-recent`, the variable
`FAITHFOLD_KEEP_RECENT`, and the key `keep_recent` of the file. Flags stand over variables, variables over the file,
the file over the defaults.

Invariant: each value knows where it came from, and a bad one is refused with one line that says so.

Source: spec 05-api, last part; spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar, get_args, get_type_hints

from faithfold.core.errors import SettingsError
from faithfold.engine.policies import strategies_of
from faithfold.strategies.options import CompactSettings

if TYPE_CHECKING:
    from dataclasses import Field

    from pydantic import ValidationError

PREFIX = "FAITHFOLD_"
FILE_NAME = "faithfold.toml"
DEFAULT = "default"
"""The origin of a setting that nobody set."""

_BEARABLE = 120  # characters of a foreign message


class _InText:
    """The types of settings of which text can express only a part: in Python a policy can also be an object."""

    policy: str | list[str]


class Group(Protocol):
    """A group of settings: a frozen dataclass with a default in every field, that refuses what can't be meant."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    def __init__(self) -> None:
        """The defaults."""
        ...


GROUPS: tuple[type[Group], ...] = (CompactSettings,)
"""One row a part; the file may hold the settings of all."""

_G = TypeVar("_G", bound=Group)


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
        SettingsError: a value is not what is expected, the file holds a key that is no setting, or can't be read. The
            message is one line that names the setting, where it was set, and what was expected.
    """
    names = [field.name for field in fields(group)]
    found = _from_file(settings_file()) | _from_environment(group) | dict(flags or {})
    given = {name: found[name] for name in names if name in found}
    settings = group()
    for name, one in given.items():
        settings = _with(settings, name, one)
    return Loaded(settings, {name: given[name].origin if name in given else DEFAULT for name in names})


def settings_file() -> Path:
    """The settings file, whether it exists or not: `FAITHFOLD_CONFIG`, else in the user's config folder."""
    named = os.environ.get(PREFIX + "CONFIG")
    if named:
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("faithfold", appauthor=False) / FILE_NAME


def agent_homes() -> dict[str, str]:
    """By agent, its own folder where the user moved it: by the variable with which the agent itself is told."""
    variables = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "pi": "PI_CODING_AGENT_DIR"}
    return {agent: folder for agent, variable in variables.items() if (folder := os.environ.get(variable))}


def wants_no_colour() -> bool:
    """Whether the user asked all programs for text without colours (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


def _from_environment(group: type[Group]) -> dict[str, Given]:
    """What variables set. An empty variable sets nothing."""
    names = {field.name: PREFIX + field.name.upper() for field in fields(group)}
    return {
        name: Given(_read_text(_text_type(group, name), value, variable), variable)
        for name, variable in names.items()
        if (value := os.environ.get(variable))
    }


def _from_file(path: Path) -> dict[str, Given]:
    """What the file sets. Every key is checked, those of other groups too, so that a mistake shows at once."""
    found: dict[str, Given] = {}
    for key, value in _toml(path).items():
        group = next((group for group in GROUPS if key in group.__dataclass_fields__), None)
        if group is None:
            known = ", ".join(sorted({field.name for group in GROUPS for field in fields(group)}))
            raise SettingsError(f"{key} in {path} is no setting; expected one of {known}")
        origin = f"{key} in {path}"
        found[key] = Given(_read_value(_text_type(group, key), value, origin), origin)
    return found


def _toml(path: Path) -> dict[str, object]:
    """The file's content; empty if there is no file."""
    import tomllib

    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is no TOML: expected UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise SettingsError(f"{path} is no TOML: {_one_line(str(error))}") from None


def _with(settings: _G, name: str, given: Given) -> _G:
    """The settings with one more value, refused in its origin's name if the group or the table of policies does."""
    try:
        changed = replace(settings, **{name: given.value})
        if name == "policy" and isinstance(changed, CompactSettings):
            strategies_of(changed)
    except SettingsError as error:
        raise SettingsError(f"{given.origin}: {error}") from None
    return changed


def _text_type(group: type[Group], name: str) -> type[object]:
    hints = get_type_hints(group) | get_type_hints(_InText)
    kind: type[object] = hints[name]
    return kind


def _read_text(kind: type[object], text: str, origin: str) -> object:
    """A value out of a text; `none` unsets a setting that may be unset."""
    from pydantic import TypeAdapter, ValidationError

    if text.lower() == "none" and type(None) in get_args(kind):
        return None
    adapter = TypeAdapter(kind)
    try:
        return adapter.validate_strings(text.strip())
    except ValidationError as error:
        raise SettingsError(_refusal(origin, text, error)) from None


def _read_value(kind: type[object], value: object, origin: str) -> object:
    """A value that has a type already, which must be the right one: `true` is no number."""
    from pydantic import TypeAdapter, ValidationError

    if value == "none" and type(None) in get_args(kind):
        return None
    adapter = TypeAdapter(kind)
    try:
        return adapter.validate_python(value, strict=True)
    except ValidationError as error:
        raise SettingsError(_refusal(origin, value, error)) from None


def _refusal(origin: str, value: object, error: ValidationError) -> str:
    messages = (each["msg"].partition(", ")[0] for each in error.errors(include_url=False))
    expected = dict.fromkeys(message.removeprefix("Input should be ") for message in messages)
    return f"{origin} is {_one_line(repr(value))}; expected {' or '.join(expected)}"


def _one_line(text: str) -> str:
    """`text` on one line of bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= _BEARABLE else f"{line[: _BEARABLE - 3]}..."
