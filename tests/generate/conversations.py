"""Hypothesis strategies for conversations of every dialect.

A *legal* one is put together from pieces that a provider accepts, and so is each of its `grown` prefixes. An *odd*
one is a legal one to which mutations were done. A *crossing* comes with a threshold that it crosses again and again.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

import faithfold as ff
from tests.generate import anthropic, chat, pi, responses
from tests.generate.dice import Dice
from tests.generate.mutations import MUTATIONS
from tests.generate.shape import Shapes

SHAPES: Mapping[str, Shapes] = {
    "anthropic": anthropic.SHAPES,
    "openai": chat.SHAPES,
    "openai-responses": responses.SHAPES,
    "pi": pi.SHAPES,
}
DIALECT_NAMES = tuple(SHAPES)  # what has no pieces is drawn by `spoken`
_WITH_NOTES = {"note_back", "compacted_task"}
_NUMBERS = st.integers(0, 2**16)


@dataclass(frozen=True)
class Case:
    """A conversation, and what it was made of: names of pieces, then of mutations. `bounds` are the pieces' ends."""

    dialect: str
    messages: list[object]
    made_of: tuple[str, ...]
    bounds: tuple[int, ...]

    def grown(self) -> Iterator[list[object]]:
        """The conversation as it grew, piece by piece."""
        return (self.messages[:bound] for bound in self.bounds)


@st.composite
def legal(draw: st.DrawFn, dialect: str | None = None, *, least: int = 0, most: int = 12, notes: bool = True) -> Case:
    """A conversation that its provider accepts: a beginning, and `least` to `most` pieces after it.

    Without `notes`, none of ours is in it yet.
    """
    name = dialect or draw(st.sampled_from(DIALECT_NAMES))
    shapes = SHAPES[name]
    begin, go_on = (
        [s for s in some if notes or s.__name__ not in _WITH_NOTES] for some in (shapes.begin, shapes.go_on)
    )
    pieces = [draw(st.sampled_from(begin)), *draw(st.lists(st.sampled_from(go_on), min_size=least, max_size=most))]
    if shapes.end and draw(st.integers(0, 9)) == 9:
        pieces.append(draw(st.sampled_from(shapes.end)))
    messages: list[object] = []
    bounds: list[int] = []
    for place, piece in enumerate(pieces):
        messages.extend(piece(Dice(place, draw(_NUMBERS))))
        bounds.append(len(messages))
    return Case(name, messages, tuple(piece.__name__ for piece in pieces), tuple(bounds))


@st.composite
def odd(draw: st.DrawFn, dialect: str | None = None, *, most: int = 8) -> Case:
    """A legal conversation to which one to three odd things were done; its `bounds` are all its prefixes."""
    case = draw(legal(dialect, most=most))
    messages = copy.deepcopy(case.messages)
    done = draw(st.lists(st.sampled_from(MUTATIONS), min_size=1, max_size=3))
    for place, mutation in enumerate(done):
        if messages:
            mutation(messages, Dice(place, draw(_NUMBERS)))
    made_of = (*case.made_of, *(mutation.__name__ for mutation in done))
    return Case(case.dialect, messages, made_of, tuple(range(len(messages) + 1)))


def conversations(dialect: str | None = None) -> st.SearchStrategy[Case]:
    """Legal and odd ones."""
    return st.one_of(legal(dialect), odd(dialect))


def settings() -> st.SearchStrategy[ff.CompactSettings]:
    """Settings of all sorts."""
    return st.builds(
        ff.CompactSettings,
        keep_recent=st.integers(0, 4),
        target_tokens=st.one_of(st.none(), st.integers(0, 3_000)),
        thought_max_chars=st.sampled_from((0, 5, 300)),
        thinking_max_chars=st.sampled_from((0, 5)),
        keep_thinking=st.booleans(),
        cmd_max_chars=st.sampled_from((150, 0, 3)),
        result_max_chars=st.sampled_from((500, 0, 2_000)),
    )


def any_json() -> st.SearchStrategy[object]:
    """Any JSON value, with field names that mean something in some wire format more often than not."""
    names = st.one_of(st.sampled_from(("role", "type", "content", "id", "source", "output", "summary")), st.text())
    kinds = st.sampled_from(("user", "assistant", "tool", "text", "tool_use", "reasoning", "image", "function_call"))
    leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), kinds, st.text(_ANY_CHARACTER))
    return st.recursive(
        leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4))
    )


_ANY_CHARACTER = st.characters(codec=None)  # lone surrogates are among them


# ---------------------------------------------------------------- growth


@dataclass(frozen=True)
class Crossing:
    """A conversation that outgrows `threshold` tokens at least three times while it grows."""

    case: Case
    threshold: int
    settings: ff.CompactSettings

    def sent(self) -> Iterator[tuple[list[object], ff.Compaction | None]]:
        """What goes out after each piece, and the compaction if one was due."""
        return sent(self.case, self.threshold, self.settings)


def sent(
    case: Case, threshold: int, settings: ff.CompactSettings
) -> Iterator[tuple[list[object], ff.Compaction | None]]:
    """Sends the conversation piece by piece, and compacts what would go out whenever it is over the threshold."""
    outgoing: list[object] = []
    have = 0
    for bound in case.bounds:
        outgoing = [*outgoing, *case.messages[have:bound]]
        have = bound
        over = ff.Sizer().tokens(outgoing) > threshold
        compaction = ff.compact(outgoing, case.dialect, settings) if over else None
        if compaction is not None:
            outgoing = list(compaction.messages)
        yield outgoing, compaction


@st.composite
def crossings(draw: st.DrawFn, dialect: str | None = None, *, keep_least: int = 0) -> Crossing:
    """Conversations that cross their threshold three times or more, and keep at least so many steps each time."""
    keep = draw(st.integers(keep_least, 3))
    chosen = ff.CompactSettings(keep_recent=keep, result_max_chars=draw(st.sampled_from((500, 100))))
    case = draw(legal(dialect, least=12, most=24, notes=False))
    total = ff.Sizer().tokens(case.messages)
    for part in (*range(3, 12), *range(12, 40, 4), total):
        threshold = total // part
        if sum(compaction is not None for _, compaction in sent(case, threshold, chosen)) >= CROSSINGS:
            return Crossing(case, threshold, chosen)
    raise UnsatisfiedAssumption


CROSSINGS = 3
