"""Where a conversation comes from: a file, standard input, or the newest session of an agent.

The same arguments for every command that reads one, and one way to read it. Invariant: nothing is used without
notice; what else a file holds, and what in it was bad, is said.

Source: spec 60-hosts, Session files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce, wraps
from itertools import takewhile
from pathlib import Path

import click

from faithfold import sessions
from faithfold.cli.options import Whole
from faithfold.cli.terminal import say
from faithfold.core.errors import InputError
from faithfold.dialects import DIALECTS
from faithfold.sessions import Transcript
from faithfold.sessions.files import PLACES, STANDARD_INPUT, newest_first
from faithfold.sessions.transcript import NoMessagesError
from faithfold.settings import agent_homes

_ANY = "any"
_SURELY_HELD = 200_000  # bytes: a session that large is taken to hold messages, and is read only once

_ARGUMENTS = (
    click.argument("file", required=False),
    click.option(
        "--latest",
        is_flag=False,
        flag_value=_ANY,
        type=click.Choice([_ANY, *PLACES]),
        metavar=f"[{'|'.join(PLACES)}]",
        help="Instead of FILE: the newest session of that agent, or of any of them.",
    ),
    click.option(
        "--dialect",
        type=click.Choice(list(DIALECTS)),
        help="How a request body or message list is to be read, where its content should not decide.",
    ),
    click.option(
        "--all", "everything", is_flag=True, help="Also what stood before an agent's own compaction of its session."
    ),
    click.option(
        "--pick",
        type=Whole(min=1),
        metavar="N",
        help="Which conversation of a file that holds several. Without it, the longest.",
    ),
    click.option("--strict", is_flag=True, help="Refuse a file with bad lines instead of leaving them out."),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversation the user asked for.

    Attributes:
        path: of the file; `-` is standard input.
        dialect, everything, pick: as for `sessions.parse`.
        strict: whether a damaged file is refused.
    """

    path: str
    dialect: str | None
    everything: bool
    pick: int | None
    strict: bool

    @property
    def size(self) -> int:
        """Of the file, in bytes; 0 where that can't be told beforehand."""
        try:
            return Path(self.path).stat().st_size
        except (OSError, ValueError):
            return 0


def takes_a_conversation(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the arguments that say which conversation to read, and hands it a `Wanted` named `source`."""

    @wraps(command)
    def with_source(
        *,
        file: str | None,
        latest: str | None,
        dialect: str | None,
        everything: bool,
        pick: int | None,
        strict: bool,
        **others: object,
    ) -> None:
        command(source=Wanted(_path(file, latest), dialect, everything, pick, strict), **others)

    return reduce(lambda made, argument: argument(made), reversed(_ARGUMENTS), with_source)


def _path(file: str | None, latest: str | None) -> str:
    """Which file is meant.

    Raises:
        UsageError: not exactly one of the two is given.
        InputError: there is no session of that agent.
    """
    if (file is None) == (latest is None):
        problem = "give FILE or --latest, not both" if latest else "give FILE (- is standard input) or --latest"
        raise click.UsageError(problem, click.get_current_context())
    return file if file is not None else _newest(None if latest == _ANY else latest)


def _newest(agent: str | None) -> str:
    """The newest session that holds messages; those that hold none are passed over, with notice."""
    paths = newest_first(agent, agent_homes())
    passed = list(takewhile(_is_without_messages, paths))
    if len(passed) == len(paths):
        return paths[0]  # reading it says why
    if passed:
        older = f", and so it is with {len(passed) - 1} older" if passed[1:] else ""
        say(f"{shown_path(passed[0])} holds no messages{older}; taken is {shown_path(paths[len(passed)])}")
    return paths[len(passed)]


def _is_without_messages(path: str) -> bool:
    """Whether a session holds no messages. One that can't be read may hold some."""
    try:
        if Path(path).stat().st_size < _SURELY_HELD:
            sessions.read(path)
    except NoMessagesError:
        return True
    except (InputError, OSError):
        return False
    return False


def read(source: Wanted) -> Transcript:
    """The conversation.

    Raises:
        InputError: it can't be read, or has bad lines and the user is strict.
    """
    transcript = sessions.read(source.path, dialect=source.dialect, everything=source.everything, pick=source.pick)
    if source.strict and transcript.problems:
        first = transcript.problems[0]
        count = len(transcript.problems)
        lines = f"{count} bad line{'s' if count > 1 else ''}"
        named = f"{shown_path(source.path)}: {lines}"
        raise InputError(f"{named}, first line {first.line} ({first.why}); expected none, with --strict")
    if transcript.conversations > 1 and source.pick is None:
        of = f"the longest of {transcript.conversations} conversations"
        say(f"{shown_path(source.path)}: this is {of}, number {transcript.picked}; --pick N takes another")
    return transcript


def shown_path(path: str) -> str:
    """A path as it is shown to people."""
    return "standard input" if path == STANDARD_INPUT else click.format_filename(path) or "''"
