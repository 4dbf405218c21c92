"""Messages in a dialect's own words, for a dialect that nobody wrote samples for.

The strings in the dialect's file are the fields, roles and kinds that it reads. A message is a note of the dialect's in
which words were exchanged and fields added: most are odd, some are ordinary, and readers get further into them than
into any JSON.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from functools import cache

from hypothesis import strategies as st

from faithfold.core.dialect import Dialect
from tests.generate.dice import Dice, Json
from tests.generate.mutations import is_list, is_object

Words = Sequence[str]
_NUMBERS = st.integers(0, 2**16)


@cache
def words_near(function: Callable[..., object]) -> Words:
    """The words among the strings of the file that a function stands in."""
    module = inspect.getmodule(function)
    nodes = ast.walk(ast.parse(inspect.getsource(module))) if module else ()
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return ("role", "type", "content", *sorted(filter(str.isidentifier, strings)))


def spoken(row: Dialect, most: int = 12) -> st.SearchStrategy[list[object]]:
    """Conversations that begin with the user's words."""
    return st.lists(_NUMBERS, max_size=most).map(lambda numbers: [row.note("words"), *_said(row, numbers)])


def _said(row: Dialect, numbers: Sequence[int]) -> list[object]:
    words, voices = words_near(row.reader), voices_of(row)
    dice = (Dice(place, number) for place, number in enumerate(numbers))
    return [exchanged(each, each.one_of(voices), words) for each in dice]


def voices_of(row: Dialect) -> list[Json]:
    """The dialect's note, and it with one field of another word, where the reader knows who speaks then."""
    note = row.note("words")
    tried = [{**note, name: word} for name in note for word in words_near(row.reader)]
    return [note, *(message for message in tried if row.read(message).speaker not in ("other", "user"))]


def lines(words: Words, most: int = 6) -> st.SearchStrategy[list[Json]]:
    """The objects of a file, in the words of its format."""
    numbers = st.lists(_NUMBERS, min_size=1, max_size=most)
    return numbers.map(lambda drawn: [fields(Dice(place, number), words) for place, number in enumerate(drawn)])


def exchanged(dice: Dice, value: object, words: Words) -> object:
    """The value with some of its texts exchanged for words, some of its items doubled, and fields added."""
    if is_object(value):
        kept = {name: held if dice.chance(2) else exchanged(dice, held, words) for name, held in value.items()}
        return {**fields(dice, words), **kept}
    if is_list(value):
        return [exchanged(dice, held, words) for held in value for _ in range(dice.number(1, 2))]
    return any_value(dice, words) if dice.chance(6) else dice.one_of((value, dice.one_of(words)))


def fields(dice: Dice, words: Words, depth: int = 2) -> Json:
    """An object, in the words given."""
    return {dice.one_of(words): any_value(dice, words, depth - 1) for _ in range(dice.number(0, 6))}


def any_value(dice: Dice, words: Words, depth: int = 2) -> object:
    """A word, or any JSON value at most so deep."""
    match dice.number(0, 5 if depth else 3):
        case 0 | 1 | 2:
            return dice.one_of(words)
        case 3:
            return dice.json(depth)
        case 4:
            return [any_value(dice, words, depth - 1) for _ in range(dice.number(0, 3))]
        case _:
            return fields(dice, words, depth)
