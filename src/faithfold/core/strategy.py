"""The contract of a strategy: one way to make a projection smaller.

A strategy is a function of a conversation, the projection so far and a budget. It is a generator: it yields the
commands that it needs carried out, is sent their answers, and returns a projection. Most yield nothing. It changes
nothing that it is given, and the same input gives the same projection, in any process.

Source: ARCHITECTURE, a functional core that asks; spec 00-model, invariants 1 and 4.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol, TypeVar

from faithfold.core.budget import Budget
from faithfold.core.commands import Command
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Projection

_T = TypeVar("_T")

Steps = Generator[Command, object, _T]
"""Yields commands, is sent their answers, returns a `T`."""


class Strategy(Protocol):
    """One way to make a projection smaller. Returns the projection as it came where there is nothing to gain."""

    def __call__(self, conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        """The steps that lead to a smaller projection."""
        ...
