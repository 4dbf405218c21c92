"""The command line. `main` is what the program runs; the commands hang on `group.commands`.

Invariant: whatever the input and whatever becomes of standard input, output and error, the user sees one line at most
and an exit code, never a traceback. The codes are 0 done, 1 the work could not be done, 2 usage, 3 done but with bad
lines, 130 interrupted.

Source: spec 05-api, last part; spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

import os
import sys

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = 130
"""The exit code of a program that the user stopped, as shells have it."""


def main() -> None:
    """Runs the command that the program's arguments name, and ends the program.

    The commands are imported in here, so that an interruption is quiet from the beginning.
    """
    try:
        from faithfold.cli.group import commands

        if sys.stderr is None:  # closed by the caller: then nothing is said, as if it led nowhere
            sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
        commands()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        _give_up(error)


def _give_up(error: OSError) -> None:
    """Says that a stream failed. What Python still holds for it goes nowhere, or it would be tried again at the end."""
    from faithfold.cli.terminal import say

    what = str(error.filename) if error.filename else "standard output can't be written"
    say(f"faithfold: {what}: {error.strerror or error}")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    sys.exit(1)
