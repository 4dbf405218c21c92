"""Parity of the engine, request by request, up to the oracle's first rung; then both begin anew.

Where the oracle's compaction makes a request larger, ours leaves it: from there on, too, both begin anew. What ours
does otherwise on purpose is in test_differences_of_engines.py.

Source: spec 10-cliff, Engine; spec 90-decisions, Parity of the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.values import is_list, is_object
from faithfold.engine.options import EngineSettings
from faithfold.resending import Engine
from tests.parity import oracle
from tests.parity.shapes import SHAPES, TEXTS, Draw
from tests.pieces import session
from tests.resending import small

LISTS = {"anthropic": "messages", "openai": "messages", "openai-responses": "input"}
PICTURES = {"image": "text", "image_url": "text", "document": "text", "input_image": "input_text"}


class Growing(NamedTuple):
    """A conversation, where each of its steps ends, and how its requests are compacted."""

    dialect: str
    messages: list[object]
    ends: list[int]
    settings: EngineSettings

    def requests(self) -> list[dict[str, object]]:
        """The bodies that a client sends while it grows."""
        return [request(self.dialect, self.messages[:end]) for end in self.ends]


def request(dialect: str, messages: Sequence[object]) -> dict[str, object]:
    return {"model": "m", LISTS[dialect]: list(messages), "stream": True, "system": "be brief"}


def priced_alike(value: object) -> object:
    """`value` with a text in place of each picture, and ASCII in place of what is wider."""
    if is_object(value):
        kind = PICTURES.get(str(value.get("type")))
        return {"type": kind, "text": "a picture"} if kind else {k: priced_alike(v) for k, v in value.items()}
    return [priced_alike(inner) for inner in value] if is_list(value) else oracle.plain(value)


@st.composite
def growing(draw: Draw, most: int = 12) -> Growing:
    """A head, then step after step; the threshold is a part of the whole, now and then one request's very size."""
    dialect = draw(st.sampled_from(oracle.DIALECTS))
    head, step = SHAPES[dialect]
    told: list[object] = [priced_alike(message) for message in head(draw)]
    ends = [len(told)]
    for number in range(draw(st.integers(1, most))):
        told += [priced_alike(message) for message in step(draw, number)]
        ends.append(len(told))
    sizes = [oracle.tokens(request(dialect, told[:end])) for end in ends]
    least, most_tokens = sizes[0] // 2, sizes[-1] + 1
    threshold = draw(st.sampled_from(sizes) | st.integers(least, most_tokens))
    settings = EngineSettings(
        threshold_tokens=threshold,
        keep_recent=draw(st.integers(1, 4)),
        result_max_chars=draw(st.sampled_from([500, 20])),
        keep_thinking=draw(st.booleans()),
    )
    return Growing(dialect, told, ends, settings)


class Both:
    """Both engines, fed alike; `named_alike` where the oracle reads all messages whole, so that the chains agree."""

    def __init__(self, settings: EngineSettings, *, named_alike: bool = True) -> None:
        self.settings = settings
        self.named_alike = named_alike
        self.compared = self.compactions = 0
        self.begin()

    def begin(self) -> None:
        self.ours, self.theirs = Engine(self.settings), oracle.Engine(self.settings)

    def prepare(self, body: Mapping[str, object], dialect: str) -> None:
        """Sends a request to both and compares, as far as they are to be compared."""
        theirs = self.theirs.prepare(body, dialect)
        ours = oracle.as_sent(self.ours.prepare(body, dialect))
        if is_ladder_walked(theirs, ours) or has_grown(theirs, ours):
            self.begin()
            return
        assert ours == (theirs if self.named_alike else replace(theirs, chain=ours.chain))
        assert ours.tokens_in == oracle.tokens(body)
        self.compared += 1
        self.compactions += ours.compacted


def is_ladder_walked(theirs: oracle.Sent, ours: oracle.Sent) -> bool:
    """Whether one of them went on after its compaction: the oracle goes on from its result, ours from the originals."""
    return bool(theirs.rung) or (theirs.over_budget and (theirs.compacted or ours.compacted))


def has_grown(theirs: oracle.Sent, ours: oracle.Sent) -> bool:
    """Whether the oracle's compaction is no smaller than the request that ours left as it was."""
    larger = oracle.quarters(theirs.messages) >= oracle.quarters(ours.messages)
    return theirs.compacted and not ours.compacted and larger


def feed(both: Both, dialect: str, bodies: Iterable[Mapping[str, object]]) -> None:
    for body in bodies:
        both.prepare(body, dialect)


@given(growing())
def test_a_conversation_that_grows(case: Growing) -> None:
    feed(Both(case.settings), case.dialect, case.requests())


@given(growing(most=16))
def test_a_long_history_that_arrives_at_once(case: Growing) -> None:
    feed(Both(case.settings), case.dialect, case.requests()[-1:])


@pytest.mark.parametrize("dialect", oracle.DIALECTS)
@pytest.mark.parametrize("keep_recent", [1, 3])
@pytest.mark.parametrize("threshold", [900, 1_500, 4_000])
def test_ordinary_sessions(dialect: str, keep_recent: int, threshold: int) -> None:
    """They need no rung, so every request is compared: as it grew, and as it arrives at once at each length."""
    told = session(dialect, 40, "some result " * 20)
    ends = range(1, len(told) + 1, len(session(dialect, 1)) - 1)
    bodies = [request(dialect, told[:end]) for end in ends]
    grown, late = Both(small(threshold, keep_recent)), Both(small(threshold, keep_recent))
    for body in bodies:
        grown.prepare(body, dialect)
        late.prepare(body, dialect)
        late.begin()
    assert (grown.compared, late.compared) == (len(bodies), len(bodies))
    assert 1 <= grown.compactions < late.compactions


@given(growing(), st.data())
def test_branches_rewinds_and_shared_beginnings(case: Growing, data: st.DataObject) -> None:
    """The client goes back, says something else, and comes back to where it was."""
    both = Both(case.settings)
    feed(both, case.dialect, case.requests())
    end = data.draw(st.sampled_from(case.ends))
    said = [{"role": "assistant", "content": data.draw(TEXTS)}, {"role": "user", "content": "no, otherwise"}]
    branch = [*case.messages[:end], *map(priced_alike, said)]
    feed(both, case.dialect, [request(case.dialect, branch), *case.requests()])


@given(growing())
def test_the_first_answer_to_an_overflow(case: Growing) -> None:
    """A request that fits by the estimate is refused all the same: the first try is a plain, forced compaction."""
    settings = replace(case.settings, threshold_tokens=1_000_000)
    ours, theirs = Engine(settings), oracle.Engine(settings)
    body = case.requests()[-1]
    decision = ours.prepare(body, case.dialect)
    assert oracle.as_sent(decision) == theirs.prepare(body, case.dialect)
    tried, expected = ours.overflow(decision), theirs.overflow()
    if expected is None or expected.rung:
        return
    if oracle.quarters(expected.messages) < oracle.quarters(body[LISTS[case.dialect]]):
        assert tried is not None
        assert oracle.as_sent(tried) == expected
        assert oracle.as_sent(ours.prepare(body, case.dialect)) == replace(expected, compacted=False)
