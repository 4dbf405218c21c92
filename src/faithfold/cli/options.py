"""Settings as options of a command: one option a field, of a compaction and of other groups.

Invariant: an option that isn't given says nothing, so that variables, file and defaults keep their say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from typing import TypeVar

import click

from faithfold.cli.terminal import say
from faithfold.engine.policies import POLICIES
from faithfold.settings import Given, load, unknown_variables
from faithfold.strategies.options import PAPER_THOUGHT_CHARS, CompactSettings


class Whole(click.IntRange):
    """A whole number; what is none is refused in the words that the settings use."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        least = int(self.min or 0)
        try:
            number = int(str(value))
        except ValueError:
            number = least - 1
        if number < least:
            self.fail(f"{value!r}; expected a whole number of at least {least}", param, ctx)
        return number


_G = TypeVar("_G", bound=CompactSettings)

Command = Callable[..., None]
Option = Callable[[Command], Command]

COUNT = Whole(min=0)
"""The type of most settings."""

_OPTIONS: tuple[Option, ...] = (
    click.option("--policy", type=click.Choice(list(POLICIES)), help="What to run."),
    click.option("--keep-recent", type=COUNT, metavar="STEPS", help="How many of the newest steps stay as they are."),
    click.option(
        "--thought-max-chars", type=COUNT, metavar="N", help="Where assistant text is cut in the note; 0: nowhere."
    ),
    click.option(
        "--thinking-max-chars", type=COUNT, metavar="N", help="Where readable thinking is cut in the note; 0: nowhere."
    ),
    click.option("--keep-thinking/--no-thinking", default=None, help="Whether readable thinking enters the note."),
    click.option(
        "--cmd-max-chars", type=COUNT, metavar="N", help="Where a call's arguments are cut in the note; 0: nowhere."
    ),
    click.option(
        "--result-max-chars", type=COUNT, metavar="N", help="Tool results longer than this are left out of the note."
    ),
    click.option("--human-max-chars", type=COUNT, metavar="N", help="Where human text is cut in the note; 0: nowhere."),
    click.option("--results", type=click.Choice(["drop"]), help="What becomes of a tool result that is too long."),
    click.option(
        "--target-tokens", type=COUNT, metavar="N", help="The result is at most this large, where that can be done."
    ),
    click.option(
        "--paper", is_flag=True, help=f"As in the paper: assistant text is cut at {PAPER_THOUGHT_CHARS} characters."
    ),
)


def takes(group: type[_G], *more: Option) -> Option:
    """What gives a command its options, and hands it the effective settings as `settings`.

    Args:
        group: of settings.
        more: options for the fields that it has besides those of `CompactSettings`.
    """
    names = {"paper", *(field.name for field in fields(group))}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_settings(**values: object) -> None:
            warn_of_variables()
            others = {name: value for name, value in values.items() if name not in names}
            command(settings=settings_of(group, values), **others)

        made: Command = with_settings
        for option in reversed((*more, *_OPTIONS)):
            made = option(made)
        return made

    return decorate


takes_settings = takes(CompactSettings)
"""Gives a command the options of a compaction."""


def warn_of_variables() -> None:
    """Names the variables that look like settings and are none; they change nothing."""
    for name, meant in unknown_variables().items():
        say(f"{name} is no setting and changes nothing{f'; did you mean {meant}?' if meant else ''}")


def settings_of(group: type[_G], values: Mapping[str, object]) -> _G:
    """The effective settings, given the values of a command's options by name.

    Raises:
        SettingsError: a variable or the file holds a bad one.
    """
    flags = {"thought_max_chars": Given(PAPER_THOUGHT_CHARS, "--paper")} if values.get("paper") else {}
    for field in fields(group):
        value = values.get(field.name)
        if value is not None:
            flags[field.name] = Given(value, _spelled(field.name, value))
    return load(group, flags).settings


def _spelled(name: str, value: object) -> str:
    if value is False:
        return f"--no-{'thinking' if name == 'keep_thinking' else name.replace('_', '-')}"
    return f"--{name.replace('_', '-')}"
