"""Drivers: the two loops carry out what steps ask for, alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import suppress

import pytest

from faithfold.core.commands import Ask, Command, Lookup, Remember, Send
from faithfold.drivers import arun, run

COMMANDS = (Ask("be brief", "so far"), Lookup("here", ("a", "b")), Remember("here", "a", 1), Send(b"{}"))
Steps = Generator[Command, object, object]
Driver = Callable[[Steps, Callable[[Command], object]], object]


def asynchronously(steps: Steps, answer: Callable[[Command], object]) -> object:
    async def later(command: Command) -> object:
        await asyncio.sleep(0)
        return answer(command)

    return asyncio.run(arun(steps, later))


DRIVERS = pytest.mark.parametrize("drive", [run, asynchronously], ids=["run", "arun"])


@DRIVERS
def test_each_command_is_answered_in_order(drive: Driver) -> None:
    def steps() -> Steps:
        return [(yield COMMANDS[0]), (yield COMMANDS[1]), (yield COMMANDS[2]), (yield COMMANDS[3])]

    asked: list[Command] = []

    def answer(command: Command) -> int:
        asked.append(command)
        return len(asked)

    assert drive(steps(), answer) == [1, 2, 3, 4]
    assert tuple(asked) == COMMANDS


@DRIVERS
def test_steps_that_ask_nothing_just_return(drive: Driver) -> None:
    def steps() -> Steps:
        yield from ()
        return "done"

    assert drive(steps(), fail) == "done"


@DRIVERS
def test_a_failure_is_raised_where_it_was_asked_for(drive: Driver) -> None:
    def steps() -> Steps:
        try:
            yield COMMANDS[0]
        except ConnectionError as error:
            said = str(error)
        else:
            said = "nothing"
        again = yield COMMANDS[1]
        return f"{said}, then {again}"

    def answer(command: Command) -> object:
        return "found" if command == COMMANDS[1] else fail(command)

    assert drive(steps(), answer) == "no network, then found"


@DRIVERS
def test_a_failure_that_nobody_handles_is_raised(drive: Driver) -> None:
    def steps() -> Steps:
        yield COMMANDS[0]
        return "not reached"

    with pytest.raises(ConnectionError, match="no network"):
        drive(steps(), fail)


@DRIVERS
def test_steps_may_end_on_a_failure(drive: Driver) -> None:
    def steps() -> Steps:
        with suppress(ConnectionError):
            yield COMMANDS[0]
        return "did without"

    assert drive(steps(), fail) == "did without"


def fail(command: Command) -> object:
    del command
    raise ConnectionError("no network")
