"""What the user sees while waiting, and only where there is somebody to see it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli_runs import Home, task

FAITHFOLD = Path(sys.executable).with_name("faithfold")


def said_on_a_terminal(home: Home, *arguments: str | Path, code: int = 0, env: Mapping[str, str] | None = None) -> str:
    """What standard error shows when it is a terminal; standard output goes nowhere."""
    import pty

    ours, theirs = pty.openpty()
    command = [FAITHFOLD, *arguments]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, env=home.variables(env), check=False)
    assert run.returncode == code
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 4_096):
            said += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(ours)
    return said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("command", "stage"), [("compact", "compacting"), ("inspect", "measuring")])
def test_long_work_on_a_terminal_shows_a_bar(home: Home, command: str, stage: str) -> None:
    said = said_on_a_terminal(home, command, home.write("in.json", task(12, "x" * 800_000)))
    shown = [line for line in said.partition("\n")[0].split("\r") if line]
    assert shown[:2] == [f"  reading     [{'-' * 24}]", f"  {stage:<12}[{'#' * 12}{'-' * 12}]"]
    assert shown[2].isspace()
    assert len(shown[2]) >= len(shown[1])
    assert [said.startswith("folded", said.index(shown[2]) + len(shown[2]) + 1)] == [command == "compact"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_bar_is_gone_before_a_failure_is_told(home: Home) -> None:
    said = said_on_a_terminal(home, "inspect", home.write("in.json", "x" * 9_000_000), code=1)
    assert " \rfaithfold: " in said


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_dumb_terminal_shows_no_bar(home: Home) -> None:
    path = home.write("in.json", task(12, "x" * 800_000))
    said = said_on_a_terminal(home, "compact", path, env={"TERM": "dumb"})
    assert said.startswith("folded 18 of 25 messages")
    assert said_on_a_terminal(home, "inspect", path, env={"TERM": "dumb"}) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_short_work_shows_none(home: Home) -> None:
    assert said_on_a_terminal(home, "compact", home.write("in.json", task())).startswith("folded 6 of 13 messages")


def test_long_work_in_a_script_shows_none(home: Home) -> None:
    run = home.run("compact", home.write("in.json", task(12, "x" * 800_000)))
    assert run.stderr.startswith("folded 18 of 25 messages")
