"""The program: whatever becomes of its streams, and whenever it is stopped, it shows no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from faithfold import __version__
from tests.cli_runs import Home, listed, task

FAITHFOLD = Path(sys.executable).with_name("faithfold")
FULL = Path("/dev/full")

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="streams are otherwise there")
ON_LINUX = pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")


def shell(home: Home, script: str) -> tuple[int, str, str]:
    """Runs a line of shell in which $F is the program and $IN a conversation: exit code, output, error."""
    variables = {**home.variables(), "F": str(FAITHFOLD), "IN": str(home.write("in.json", task()))}
    run = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, env=variables, check=False)
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize(
    "command", [[sys.executable, "-m", "faithfold"], [str(FAITHFOLD)]], ids=["the module", "the program"]
)
def test_it_can_be_run_as(command: list[str], home: Home) -> None:
    run = subprocess.run([*command, "--version"], capture_output=True, text=True, env=home.variables(), check=True)
    assert run.stdout == f"faithfold {__version__}\n"
    run = subprocess.run([*command, "nonsense"], capture_output=True, text=True, env=home.variables(), check=False)
    assert (run.returncode, run.stderr.endswith("Error: No such command 'nonsense'.\n")) == (2, True)


@ON_LINUX
@pytest.mark.parametrize("command", ["compact $IN", "inspect $IN", "inspect $IN --json", "config", "--help"])
def test_a_full_disk_is_one_line(home: Home, command: str) -> None:
    code, _, error = shell(home, f"$F {command} > {FULL}")
    assert (code, error) == (1, "faithfold: standard output can't be written: No space left on device\n")


@ON_LINUX
def test_where_nothing_can_be_said_the_result_comes_all_the_same(home: Home) -> None:
    for nowhere in (f"2> {FULL}", "2>&-"):
        code, output, _ = shell(home, f"$F compact $IN {nowhere}")
        assert (code, len(listed(output))) == (0, 8)
        assert shell(home, f"$F compact no.json {nowhere}") == (1, "", "")
    assert shell(home, "$F nonsense 2>&-") == (2, "", "")


@POSIX
@pytest.mark.parametrize("command", ["compact $IN", "compact $IN --json", "inspect $IN", "config"])
def test_a_result_that_has_nowhere_to_go_is_a_failure(home: Home, command: str) -> None:
    code, _, error = shell(home, f"$F {command} >&-")
    assert (code, error.splitlines()[-1:]) == (1, [CLOSED])


@POSIX
def test_a_result_in_a_file_needs_no_output(home: Home) -> None:
    code, _, error = shell(home, f"$F compact $IN -o {home.path}/out.json >&-")
    assert (code, error.startswith("folded 6 of 13 messages")) == (0, True)
    assert len(listed((home.path / "out.json").read_bytes())) == 8


@POSIX
def test_a_closed_input_is_one_line(home: Home) -> None:
    expected = "standard input is closed; expected a conversation in it, or the name of a file"
    assert shell(home, "$F compact - <&-") == (1, "", f"faithfold: {expected}\n")


@POSIX
def test_stopped_while_it_works_it_is_quiet(home: Home) -> None:
    pipe = home.path / "pipe"
    os.mkfifo(pipe)
    command = [str(FAITHFOLD), "compact", str(pipe), "-o", str(home.path / "out.json")]
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a program heeds what its parent doesn't ignore
    try:
        with subprocess.Popen(command, env=home.variables(), stderr=subprocess.PIPE) as run, pipe.open("wb"):
            # It has opened the pipe too, else we would not be here, and so waits for what is in it.
            run.send_signal(signal.SIGINT)
            _, error = run.communicate(timeout=60)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert (run.returncode, error) == (130, b"")
    assert home.files() == set()


def test_stopped_while_it_starts_it_is_quiet(home: Home) -> None:
    run = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, env=home.variables(), check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, b"", b"")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs a user who is not known to the system")
def test_a_user_without_a_home_can_work_and_has_no_sessions(home: Home) -> None:
    source = home.write("in.json", task()).read_bytes()
    variables = {name: value for name, value in home.variables().items() if name not in ("HOME", "XDG_CONFIG_HOME")}

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", NOBODY, *arguments]
        return subprocess.run(command, input=source, capture_output=True, env=variables, check=False)

    latest, here = run("compact", "--latest"), run("compact", "-")
    there = run("compact", "-", "-o", str(home.path / "out.json"))
    expected = b"faithfold: there is no home folder to look for sessions in; set HOME, or name a file\n"
    assert (latest.returncode, latest.stderr) == (1, expected)
    assert len(listed(here.stdout)) == 8
    assert (there.returncode, home.files()) == (0, {"in.json", "out.json"})
    assert run("config").stdout.endswith(b"\n\nfile: (there is none)\n")


CLOSED = "faithfold: standard output is closed, so the result is lost; expected it to lead somewhere"

# A user whom the system doesn't know, but who may read the program.
NOBODY = """
import os
from faithfold.cli import main

os.setreuid(54_321, 0)
main()
"""

# The first package that the commands bring in is where the user stops the program.
STOPPED = """
import sys
from faithfold.cli import main

class Stop:
    def find_spec(self, name, path, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
main()
"""
