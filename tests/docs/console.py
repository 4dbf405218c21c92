"""Console fences in the documents: `$ faithfold …` is run, and what the fence shows below it must come out.

Other commands (`$ make demo`) are left alone. `...` in the shown output stands for anything; a command with nothing
below it must only succeed.
"""

from __future__ import annotations

import doctest
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sybil import Example

FAITHFOLD = Path(sys.executable).with_name("faithfold")


def run_console(example: Example) -> str | None:
    """Run the fence's commands. Returns what went wrong, or None: the answer that sybil wants of an evaluator."""
    complaints = [complaint for command, shown in commands(str(example.parsed)) if (complaint := judge(command, shown))]
    return "\n".join(complaints) or None


def commands(fence: str) -> Iterator[tuple[str, str]]:
    """Each `faithfold` command of a fence with the output shown below it."""
    for block in ("\n" + fence).split("\n$ ")[1:]:
        command, _, shown = block.partition("\n")
        if command.startswith("faithfold "):
            yield command, shown


def judge(command: str, shown: str) -> str | None:
    run = subprocess.run([FAITHFOLD, *shlex.split(command)[1:]], check=False, capture_output=True, text=True)
    if run.returncode != 0:
        return f"$ {command}\nexit {run.returncode}: {run.stderr}"
    if shown.strip() and not matches(shown, run.stdout):
        return f"$ {command}\nshould print:\n{shown}\nbut prints:\n{run.stdout}"
    return None


def matches(shown: str, printed: str) -> bool:
    return doctest.OutputChecker().check_output(tidy(shown), tidy(printed), doctest.ELLIPSIS)


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
