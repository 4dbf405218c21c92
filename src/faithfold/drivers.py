"""All the loops that there are between the core and the world: one for plain code, one for asyncio.

Source: ARCHITECTURE, a functional core that asks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from faithfold.core.commands import Command
from faithfold.core.strategy import Steps

_T = TypeVar("_T")


def run(steps: Steps[_T], answer: Callable[[Command], object]) -> _T:
    """Carries the steps out and returns their result.

    An exception out of `answer` is raised where the steps asked, so that they may choose another way.
    """
    try:
        command = next(steps)
        while True:
            try:
                reply = answer(command)
            except Exception as error:  # noqa: BLE001  whatever it is, it is the steps' to handle
                command = steps.throw(error)
            else:
                command = steps.send(reply)
    except StopIteration as stop:
        result: _T = stop.value
        return result


async def arun(steps: Steps[_T], answer: Callable[[Command], Awaitable[object]]) -> _T:
    """As `run`, with an asynchronous `answer`."""
    try:
        command = next(steps)
        while True:
            try:
                reply = await answer(command)
            except Exception as error:  # noqa: BLE001  whatever it is, it is the steps' to handle
                command = steps.throw(error)
            else:
                command = steps.send(reply)
    except StopIteration as stop:
        result: _T = stop.value
        return result
