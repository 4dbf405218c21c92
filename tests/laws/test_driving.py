"""Both drivers do the same with the same steps; and steps can be read as a playbook of commands and answers.

Source: ARCHITECTURE, a functional core that asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.commands import Ask, Command, Lookup, Remember, Send
from faithfold.core.errors import FaithfoldError, InputError
from faithfold.core.strategy import Steps
from faithfold.drivers import arun, run

Answer = str | int | None | FaithfoldError


@dataclass
class World:
    """Answers from a list, and remembers what it was asked; an error in the list is raised."""

    answers: Iterator[Answer]
    asked: list[Command]

    def answer(self, command: Command) -> object:
        self.asked.append(command)
        reply = next(self.answers, None)
        if isinstance(reply, FaithfoldError):
            raise reply
        return reply

    async def answer_later(self, command: Command) -> object:
        await asyncio.sleep(0)
        return self.answer(command)


def world(answers: Sequence[Answer]) -> World:
    return World(iter(answers), [])


def insistent(commands: Sequence[Command], patience: int) -> Steps[list[object]]:
    """Asks each thing, and again while it is refused, as long as its patience lasts."""
    got: list[object] = []
    for command in commands:
        while True:
            try:
                got.append((yield command))
                break
            except FaithfoldError as error:
                got.append(str(error))
                patience -= 1
                if patience < 0:
                    raise
    return got


commands = st.lists(
    st.one_of(
        st.builds(Ask, st.text(max_size=3), st.text(max_size=3)),
        st.builds(Lookup, st.just("here"), st.lists(st.text(max_size=2), max_size=2).map(tuple)),
        st.builds(Remember, st.just("here"), st.text(max_size=3), st.integers()),
        st.builds(Send, st.binary(max_size=3)),
    ),
    max_size=5,
)
answers = st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(), st.builds(InputError, st.text(max_size=3))))


@given(commands, answers, st.integers(0, 3))
def test_both_drivers_do_the_same(commands: list[Command], answers: list[Answer], patience: int) -> None:
    now, later = world(answers), world(answers)
    outcome = _outcome(lambda: run(insistent(commands, patience), now.answer))
    assert outcome == _outcome(lambda: asyncio.run(arun(insistent(commands, patience), later.answer_later)))
    assert now.asked == later.asked


def _outcome(act: object) -> object:
    assert callable(act)
    try:
        return act()
    except FaithfoldError as error:
        return repr(error)


def test_a_playbook() -> None:
    first, second = Lookup("here", ("a", "b")), Ask("shorten", "long text")
    played = world([InputError("the store is away"), None, "short"])
    assert run(insistent([first, second], patience=1), played.answer) == ["the store is away", None, "short"]
    assert played.asked == [first, first, second]


def test_an_error_that_the_steps_do_not_handle_travels() -> None:
    with pytest.raises(InputError, match="no answer"):
        run(insistent([Ask("", "")], patience=0), world([InputError("no answer")]).answer)


def test_steps_that_ask_nothing_need_no_world() -> None:
    assert run(insistent([], patience=0), world([]).answer) == []
