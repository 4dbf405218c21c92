"""A program that `faithfold run` runs in its place: real processes, signals and terminals."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.cli_runs import Home

if sys.platform == "win32":
    pytest.skip("signals and terminals are those of POSIX", allow_module_level=True)

PATIENCE = 15.0

# Says when it is ready, then which signals it got, until it gets one that it was told is the last.
WATCHER = """
import os, signal, sys, time
def came(number, frame):
    os.write(1, f"<{signal.Signals(number).name}>".encode())
    if signal.Signals(number).name == sys.argv[1]:
        time.sleep(0.3)  # one that came twice would show
        os._exit(9)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
    signal.signal(getattr(signal, name), came)
os.write(1, b"<ready>")
while True:
    time.sleep(0.01)
"""

# Makes the terminal its own, as a shell does, and becomes what its arguments say.
TAKER = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def command(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "faithfold", "run", "--no-log", "--", sys.executable, "-c", code, *arguments]


@dataclass
class Running:
    """A process, and where what it writes can be read."""

    process: subprocess.Popen[bytes]
    output: int
    seen: bytes = b""

    def until(self, mark: bytes) -> bytes:
        """All that was written up to a mark; fails where it doesn't come in time."""
        over = time.monotonic() + PATIENCE
        while mark not in self.seen:
            ready, _, _ = select.select([self.output], [], [], max(0.0, over - time.monotonic()))
            assert ready, f"{mark!r} did not come, but {self.seen!r}"
            data = os.read(self.output, 65_536)
            assert data, f"{mark!r} did not come, but {self.seen!r} and the end"
            self.seen += data
        found, _, self.seen = self.seen.partition(mark)
        return found + mark

    def stops(self) -> None:
        """Waits until it stops, as a shell does; fails where it doesn't in time."""
        over = time.monotonic() + PATIENCE
        while time.monotonic() < over:
            found, status = os.waitpid(self.process.pid, os.WUNTRACED | os.WNOHANG)
            if found:
                assert os.WIFSTOPPED(status)
                return
            time.sleep(0.01)
        pytest.fail("it goes on")

    def ends(self) -> int:
        return self.process.wait(PATIENCE)


@contextmanager
def piped(home: Home, arguments: Sequence[str]) -> Generator[Running]:
    """A process without a terminal, as supervisors have it; standard error goes where the output goes."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing,
        env=home.variables(),
        start_new_session=True,
    )
    os.close(writing)
    with ended(Running(process, reading)) as running:
        yield running


@contextmanager
def in_a_terminal(home: Home, arguments: Sequence[str]) -> Generator[tuple[Running, int]]:
    """A process in the foreground of a terminal, and the end of it at which a person would sit."""
    person, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TAKER, *arguments],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=home.variables(),
        start_new_session=True,
    )
    os.close(terminal)
    with ended(Running(process, person)) as running:
        yield running, person


@contextmanager
def ended(running: Running) -> Generator[Running]:
    """Sees to it that nothing is left, also where a test fails."""
    try:
        yield running
    finally:
        if running.process.poll() is None:
            os.killpg(running.process.pid, signal.SIGKILL)
            running.process.wait()
        os.close(running.output)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"])
def test_a_signal_to_us_alone_reaches_the_program_once(home: Home, name: str) -> None:
    with piped(home, command(WATCHER, name)) as running:
        running.until(b"<ready>")
        running.process.send_signal(getattr(signal, name))
        assert running.until(b"requests").startswith(f"<{name}>faithfold: 0".encode())
        assert running.ends() == 9


def test_a_program_that_a_signal_ends_gives_its_number(home: Home) -> None:
    with piped(home, command("import time; print('<ready>', flush=True); time.sleep(60)")) as running:
        running.until(b"<ready>")
        running.process.send_signal(signal.SIGTERM)
        assert running.ends() == 128 + signal.SIGTERM


def test_what_is_ignored_stays_so(home: Home) -> None:
    code = "import signal; print(signal.getsignal(signal.SIGHUP), signal.getsignal(signal.SIGPIPE), flush=True)"
    with piped(home, ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command(code)]) as running:
        assert running.until(b"requests").splitlines()[1] == b"1 1"  # Python ignores SIGPIPE by itself
        assert running.ends() == 0


@pytest.mark.parametrize(("key", "name"), [(b"\x03", "SIGINT"), (b"\x1c", "SIGQUIT")])
def test_a_signal_of_the_terminal_reaches_the_program_once(home: Home, key: bytes, name: str) -> None:
    with in_a_terminal(home, command(WATCHER, name)) as (running, person):
        running.until(b"<ready>")
        running.process.send_signal(signal.SIGSTOP)  # so that one that we passed on would come as a second one
        running.stops()
        os.write(person, key)
        running.until(f"<{name}>".encode())
        running.process.send_signal(signal.SIGCONT)
        assert name.encode() not in running.until(b"requests")
        assert running.ends() == 9


def test_the_terminal_is_the_programs(home: Home) -> None:
    code = (
        "import os, sys; print([os.isatty(each) for each in (0, 1, 2)], os.tcgetpgrp(0) == os.getpgrp(), flush=True); "
        "print('<' + sys.stdin.readline().strip() + '>', flush=True)"
    )
    with in_a_terminal(home, command(code)) as (running, person):
        running.until(b"[True, True, True] True")
        os.write(person, b"typed\n")
        running.until(b"<typed>")
        running.until(b"faithfold: 0 requests")
        assert running.ends() == 0


def test_a_program_that_stops_itself_gives_the_shell_its_turn(home: Home) -> None:
    code = "import os, signal; os.write(1, b'<ready>'); os.kill(os.getpid(), signal.SIGSTOP); os.write(1, b'<on>')"
    with in_a_terminal(home, command(code)) as (running, _):
        running.until(b"<ready>")
        running.stops()
        os.kill(running.process.pid, signal.SIGCONT)
        running.until(b"<on>")
        running.until(b"faithfold: 0 requests")
        assert running.ends() == 0


def test_output_is_untouched(home: Home) -> None:
    code = "import os; os.write(1, bytes(range(256)) * 100)"
    done = subprocess.run(command(code), env=home.variables(), capture_output=True, check=True, timeout=PATIENCE)
    assert done.stdout == bytes(range(256)) * 100


def test_streams_that_somebody_opened_for_it_stay_open(home: Home) -> None:
    reading, writing = os.pipe()
    code = f"import os; os.write({writing}, b'through')"
    subprocess.run(command(code), env=home.variables(), pass_fds=[writing], check=True, timeout=PATIENCE)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        assert file.read() == b"through"
