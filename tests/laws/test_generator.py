"""The laws are as good as the conversations that they see: here it shows that these hold what they are to hold.

The same fixed examples on each run, so that a shape that gets lost is noticed at once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import cycle, pairwise

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

import faithfold as ff
from faithfold import dialects
from faithfold.core.conversation import Conversation
from faithfold.core.pairing import Pairing, pair
from faithfold.core.steps import closure, steps
from faithfold.core.values import as_list, as_object
from faithfold.dialects import DIALECTS
from tests.generate.conversations import CROSSINGS, DIALECT_NAMES, SHAPES, Case, crossings, legal, odd
from tests.generate.mutations import MUTATIONS
from tests.laws.running import Made, project, text_of
from tests.pieces import BUILT_IN
from tests.providers import problems

SAMPLE = 400
SUPPRESSED = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)


def sample(strategy: st.SearchStrategy[Case]) -> list[Case]:
    """The same cases on each run."""
    found: list[Case] = []

    @examples(max_examples=SAMPLE, derandomize=True, database=None, deadline=None, suppress_health_check=SUPPRESSED)
    @given(strategy)
    def take(case: Case) -> None:
        found.append(case)

    take()
    return found


@cache
def legal_sample(dialect: str) -> list[Case]:
    return sample(legal(dialect))


@cache
def odd_sample(dialect: str) -> list[Case]:
    return sample(odd(dialect))


@cache
def legal_texts(dialect: str) -> list[str]:
    return [text_of(case.messages) for case in legal_sample(dialect)]


@cache
def made_of_sample(dialect: str) -> list[Made]:
    """What the strategy makes of the legal sample, under settings that take turns."""
    settings = [ff.CompactSettings(keep_recent=keep, target_tokens=limit) for keep in (0, 1, 2) for limit in (None, 50)]
    turns = zip(legal_sample(dialect), cycle(settings), strict=False)
    made = (project(case.messages, dialect, chosen) for case, chosen in turns)
    return [one for one in made if one is not None]


def test_every_dialect_of_ours_has_its_shapes() -> None:
    assert set(BUILT_IN) <= set(SHAPES) <= set(DIALECTS)


@every_dialect
def test_every_piece_and_every_mutation_occurs(dialect: str) -> None:
    shapes = SHAPES[dialect]
    pieces = {piece.__name__ for piece in (*shapes.begin, *shapes.go_on, *shapes.end)}
    seen = Counter(name for case in legal_sample(dialect) for name in case.made_of)
    assert {name for name in pieces if seen[name] < 5} == set()
    done = Counter(name for case in odd_sample(dialect) for name in case.made_of)
    assert {mutation.__name__ for mutation in MUTATIONS if done[mutation.__name__] < 5} == set()


@every_dialect
def test_odd_conversations_are_mostly_at_fault(dialect: str) -> None:
    cases = odd_sample(dialect)
    assert sum(bool(problems(dialect, case.messages)) for case in cases) > len(cases) / 4
    codes = {fault.code for case in cases for fault in ff.faults(case.messages, dialect)}
    assert {"no-object", "orphan-result", "unanswered-call"} <= codes


def length_near(limit: int) -> Callable[[str], bool]:
    return lambda text: any(limit - 1 <= len(run.strip()) <= limit + 1 for run in strings(json.loads(text)))


def strings(value: object) -> list[str]:
    """Every string inside the value."""
    if isinstance(value, str):
        return [value]
    return [text for inner in [*as_object(value).values(), *as_list(value)] for text in strings(inner)]


# What must occur in every dialect, told from the JSON text of a conversation.
EVERYWHERE: Mapping[str, Callable[[str], bool]] = {
    "CJK": lambda text: "圧縮" in text,
    "emoji": lambda text: "🙂" in text,
    "a lone surrogate": lambda text: "\ud83d" in text.replace("\\\\", "") or "\\ud83d" in text,
    "NUL": lambda text: "\\u0000" in text,
    "a big integer": lambda text: str(2**53 + 1) in text,
    "a float": lambda text: "0.1" in text or "1.1" in text,
    "a note of ours": lambda text: ff.SUMMARY_HEADER in text,
    "a report of a harness": lambda text: "<task-notification>" in text,
    "a human text over the limit": lambda text: (
        len(text) > 20_050 and any(len(s) > 20_000 for s in strings(json.loads(text)))
    ),
    "a result at the limit": length_near(500),
    "a picture": lambda text: "iVBORw0KGgo" in text or "R0lGODlh" in text or "UklGR" in text or "/9j/" in text,
}


@every_dialect
@pytest.mark.parametrize("what", EVERYWHERE)
def test_every_dialect_holds(dialect: str, what: str) -> None:
    assert any(map(EVERYWHERE[what], legal_texts(dialect)))


def runs_of_kept(made: Made) -> list[int]:
    """Where each run of neighbouring kept messages begins."""
    kept = sorted(made.kept)
    return kept[:1] + [index for before, index in pairwise(kept) if index != before + 1]


def paired(conversation: Conversation) -> Pairing:
    return pair(conversation.readings, conversation.dialect.reach)


def tied(made: Made) -> bool:
    """Whether some step can't be parted from another."""
    conversation = made.conversation
    found, pairing = steps(conversation.readings, 0, runs=conversation.dialect.runs), paired(conversation)
    closed = (closure([number], found, conversation.readings, pairing) for number in range(len(found)))
    return any(len(numbers) > 1 for numbers in closed)


# What must occur in what the strategy makes of them.
OUTCOMES: Mapping[str, Callable[[Made], bool]] = {
    "a step kept between head and tail": lambda made: len(runs_of_kept(made)) > 2,
    "an earlier note dropped": lambda made: any("earlier note" in why for why in made.projection.dropped.values()),
    "a result left out": lambda made: any(omission.what == "tool result" for omission in made.projection.omissions),
    "a note of its header only": lambda made: made.note_texts == [ff.SUMMARY_HEADER],
    "steps that can't be parted": tied,
}
NOT_IN: Mapping[str, set[str]] = {
    "a step kept between head and tail": {"openai"},  # results stand right after their calls
    "steps that can't be parted": {"openai"},  # the same
}


@every_dialect
@pytest.mark.parametrize("what", OUTCOMES)
def test_the_strategy_comes_to(dialect: str, what: str) -> None:
    if dialect in NOT_IN.get(what, set()):
        pytest.skip("can't happen here")
    assert any(map(OUTCOMES[what], made_of_sample(dialect)))


@every_dialect
def test_some_results_come_late_or_apart(dialect: str) -> None:
    """Calls and results that aren't in neighbouring messages; in Chat they always are, or in a row."""
    pairings = [paired(Conversation(case.messages, dialects.dialect(dialect))) for case in legal_sample(dialect)]
    assert any(result > call + 1 for pairing in pairings for call, result in pairing.links)


@every_dialect
def test_histories_cross_their_threshold_again_and_again(dialect: str) -> None:
    counts: list[int] = []

    @examples(max_examples=20, derandomize=True, database=None, deadline=None, suppress_health_check=SUPPRESSED)
    @given(data=st.data())
    def count(data: st.DataObject) -> None:
        crossing = data.draw(crossings(dialect))
        counts.append(sum(compaction is not None for _, compaction in crossing.sent()))

    count()
    assert len(counts) >= 10
    assert min(counts) >= CROSSINGS
