"""A program that is run in our place: with our terminal, our signals, and its exit code for ours.

The idea: the terminal sends Ctrl-C and the like to all of its foreground, so the program has them already; what
somebody sends to us alone is passed on. When the program stops itself (Ctrl-Z), so do we, or the shell would wait for
us forever.

Invariant: the program is given each signal once. Whatever it does to the terminal, we touch neither that nor the
streams.

Source: spec 90-decisions, Proxy (`run`).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from faithfold.cli.terminal import Failed

_BY_SIGNAL = 128  # what shells add to the number of the signal that ended a program

_TO_US_ALONE = ("SIGTERM", "SIGHUP")
_FROM_THE_TERMINAL = ("SIGINT", "SIGQUIT")


class NotFoundError(Failed):
    """A program isn't there."""

    exit_code = 127


class NotExecutableError(Failed):
    """A program is there, and can't be run."""

    exit_code = 126


def check(program: str, variables: Mapping[str, str]) -> None:
    """Makes sure that a program can be run.

    Raises:
        NotFoundError: it isn't there.
        NotExecutableError: it isn't executable.
    """
    path = variables.get("PATH")
    if shutil.which(program, path=path) is None:
        if shutil.which(program, os.F_OK, path) is None:
            raise NotFoundError(f"{program}: command not found")
        raise NotExecutableError(f"{program}: it is not executable")


def run(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Runs a program until it ends.

    Args:
        command: the program and its arguments.
        variables: all that it is given.

    Returns:
        Its exit code; 128 and the number of the signal where one ended it.

    Raises:
        NotExecutableError: the system can't run it.
    """
    passing = _Passing()
    with passing.on():
        program = shutil.which(command[0], path=variables.get("PATH")) or command[0]
        try:
            child = subprocess.Popen([*command], executable=program, env=variables, close_fds=False)
        except OSError as error:
            raise NotExecutableError(f"{command[0]}: it can't be run: {error.strerror or error}") from None
        passing.to(child.pid)
        child.returncode = _ended(child)
        passing.over()
    return child.returncode if child.returncode >= 0 else _BY_SIGNAL - child.returncode


class _Passing:
    """Passes signals on; those that come before the program runs are kept for it."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._kept: list[int] = []
        self._over = False

    @contextmanager
    def on(self) -> Generator[None]:
        """As long as it lasts. A signal that is ignored stays so, for the program too."""
        numbers = [getattr(signal, name) for name in (*_TO_US_ALONE, *_FROM_THE_TERMINAL) if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in numbers}
        ours = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
        for number in ours:
            signal.signal(number, self._came)
        try:
            yield
        finally:
            for number, handler in ours.items():
                signal.signal(number, handler)

    def to(self, pid: int) -> None:
        """The program runs."""
        self._pid = pid
        while self._kept:
            os.kill(pid, self._kept.pop(0))

    def over(self) -> None:
        """The program has ended; its number may be another one's."""
        self._over = True

    def _came(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._over or (signal.Signals(number).name in _FROM_THE_TERMINAL and is_in_foreground()):
            return
        if self._pid is None:
            self._kept.append(number)
        else:
            os.kill(self._pid, number)


def is_in_foreground() -> bool:
    """Whether a terminal sends its signals to us, and so to our program."""
    if sys.platform == "win32":
        return True
    try:
        terminal = os.open(os.ctermid(), os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _ended(child: subprocess.Popen[bytes]) -> int:
    """Waits for the end of a program; its exit code, or the negative number of the signal that ended it."""
    if sys.platform == "win32":
        return child.wait()
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    while not (os.WIFEXITED(status) or os.WIFSIGNALED(status)):
        has_news, news = os.waitpid(child.pid, os.WUNTRACED | os.WCONTINUED | os.WNOHANG)
        if not has_news:
            _stop_with(child.pid)
            _, news = os.waitpid(child.pid, os.WUNTRACED)
        status = news
    return os.waitstatus_to_exitcode(status)


def _stop_with(pid: int) -> None:
    """Stops as the program did, until the shell lets both go on. Where no shell sees to that, only waits."""
    if sys.platform != "win32" and is_in_foreground():
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)
