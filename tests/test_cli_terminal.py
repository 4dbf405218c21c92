"""What the user sees while waiting, and only where there is somebody to see it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli_runs import Home, task

FAITHFOLD = Path(sys.executable).with_name("faithfold")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def said_on_a_terminal(home: Home, *arguments: str | Path) -> str:
    """What standard error shows when it is a terminal; standard output goes nowhere."""
    import pty

    ours, theirs = pty.openpty()
    environment = {name: value for name, value in {**os.environ, **home.environment()}.items() if value is not None}
    command = [FAITHFOLD, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment, check=True)
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
    said = said_on_a_terminal(home, command, home.write("in.json", task(12, "x" * 200_000)))
    assert "reading" in said
    assert stage in said
    assert "100%  done" in said


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_short_work_shows_none(home: Home) -> None:
    assert said_on_a_terminal(home, "compact", home.write("in.json", task())).startswith("folded 6 of 13 messages")


def test_long_work_in_a_script_shows_none(home: Home) -> None:
    run = home.run("compact", home.write("in.json", task(12, "x" * 200_000)))
    assert run.stderr.startswith("folded 18 of 25 messages")
