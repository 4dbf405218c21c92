"""The command line: one command a file, and `main`, which they hang on.

Invariant: whatever the input, the user sees one line on standard error and an exit code, never a traceback. The codes
are 0 done, 1 the work could not be done, 2 usage, 3 done but with bad lines.

Source: spec 05-api, last part; spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

import click

from faithfold import __version__
from faithfold.cli.compact import compact
from faithfold.cli.config import config
from faithfold.cli.inspect import inspect
from faithfold.cli.terminal import Failed, without_colour_if_asked
from faithfold.core.errors import FaithfoldError

__all__ = ["main"]


class _Commands(click.Group):
    """Commands whose failures become one line and exit code 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            result: object = super().invoke(ctx)
        except FaithfoldError as error:
            raise Failed(str(error)) from error
        except RecursionError:
            raise Failed("the input is nested too deeply; expected a conversation") from None
        return result


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: faithfold inspect --latest claude",
)
@click.version_option(__version__, prog_name="faithfold", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Keep long conversations with language models inside their budget.

    Reads saved sessions of Claude Code, Codex and Pi, request bodies and message lists. An agent's own file is never
    changed. `faithfold COMMAND --help` says more about each command.
    """
    without_colour_if_asked(ctx)


for _command in (compact, inspect, config):
    main.add_command(_command)
