"""The commands, one a file, and the group that they hang on.

Invariant: a failure becomes one line on standard error and exit code 1; an interruption is quiet.

Source: spec 05-api, last part; spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

import click

from faithfold import __version__
from faithfold.cli import INTERRUPTED
from faithfold.cli.compact import compact
from faithfold.cli.config import config
from faithfold.cli.inspect import inspect
from faithfold.cli.run import run
from faithfold.cli.serve import serve
from faithfold.cli.status import status
from faithfold.cli.terminal import Failed, without_colour_if_asked
from faithfold.core.errors import FaithfoldError


class _Commands(click.Group):
    """Commands whose failures become one line and exit code 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            result: object = super().invoke(ctx)
        except FaithfoldError as error:
            raise Failed(str(error)) from error
        except ModuleNotFoundError as error:
            if str(error.name).startswith("faithfold"):
                raise
            raise Failed(
                f"{error.name} is not installed; expected faithfold with its extra: faithfold[proxy]"
            ) from None
        except RecursionError:
            raise Failed("the input is nested too deeply; expected a conversation") from None
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        return result


@click.group(
    name="faithfold",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: faithfold inspect --latest claude",
)
@click.version_option(__version__, prog_name="faithfold", message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Keep long conversations with language models inside their budget.

    Reads saved sessions of Claude Code, Codex and Pi, request bodies and message lists. An agent's own file is never
    changed. `faithfold COMMAND --help` says more about each command.
    """
    without_colour_if_asked(ctx)


for _command in (compact, inspect, serve, run, status, config):
    commands.add_command(_command)
