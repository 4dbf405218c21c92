"""What a dialect's file in this package offers: named pieces from which every conversation is put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.generate.dice import Dice, Json

Shape = Callable[[Dice], list[Json]]


@dataclass(frozen=True, slots=True)
class Shapes:
    """Pieces of legal conversations: those that may begin one, those that may follow, those that may only end one."""

    begin: tuple[Shape, ...]
    go_on: tuple[Shape, ...]
    end: tuple[Shape, ...] = ()
