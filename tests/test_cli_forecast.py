"""What a compaction leaves of a conversation, step by step: never more than there was, and in the end what it says."""

from __future__ import annotations

import pytest
from hypothesis import given

from faithfold.cli.contents import Contents, steps_of
from faithfold.cli.forecast import Point, curve
from faithfold.cli.gain import gain
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Edited, Kept, Note, Projection, whole
from faithfold.core.sizes import QUARTERS, SEPARATOR, Sizer
from faithfold.dialects import dialect
from faithfold.strategies.options import CompactSettings
from tests.cli_runs import task
from tests.generate.conversations import Case, legal


def quarters(message: object) -> int:
    return Sizer().quarters(message) + SEPARATOR


def said(characters: int) -> dict[str, object]:
    return {"role": "user", "content": "x" * characters}


def points(messages: list[object], projection: Projection) -> list[Point]:
    """A point for each message."""
    contents = Contents(Conversation(messages, dialect("openai")))
    return curve(contents, [range(index, index + 1) for index in range(len(messages))], projection)


def test_a_note_is_shared_out_over_its_messages_by_their_sizes() -> None:
    messages: list[object] = [said(400), said(1_000), said(5_000), said(800), said(2_000), said(400)]
    note = said(1_200)
    entries = (Kept(0), Note(message=note, by="s", covers=frozenset({1, 2, 4})), Kept(3), Kept(5))
    first, one, two, three, four, five = map(quarters, messages)
    folded = one + two + four
    share = [quarters(note) * seen // folded for seen in (one, one + two, folded)]
    afters = [first, first + share[0], first + share[1], first + share[1] + three, first + share[2] + three]
    drawn = points(messages, Projection(6, entries))
    assert [point.after for point in drawn] == [after // QUARTERS for after in (*afters, afters[-1] + five)]
    assert [point.before for point in drawn][:2] == [first // QUARTERS, (first + one) // QUARTERS]
    assert [point.kept for point in drawn] == [True, False, False, True, False, True]


def test_what_is_dropped_leaves_nothing() -> None:
    messages: list[object] = [said(400), said(1_000), said(1_000), said(400)]
    projection = Projection(4, (Kept(0), Kept(3)), dropped={1: "text", 2: "text"})
    first, last = quarters(messages[0]), quarters(messages[3])
    assert [point.after for point in points(messages, projection)] == [
        *([first // QUARTERS] * 3),
        (first + last) // QUARTERS,
    ]


def test_what_grew_in_the_middle_is_never_drawn_above_what_there_was() -> None:
    messages: list[object] = [said(400), said(400), said(9_000)]
    projection = Projection(3, (Kept(0), Edited(1, said(4_000), "grown")), dropped={2: "text"})
    drawn = points(messages, projection)
    assert drawn[1].after == drawn[1].before
    assert drawn[2].after == (quarters(messages[0]) + quarters(said(4_000))) // QUARTERS


def test_with_nothing_folded_all_is_left() -> None:
    conversation = Conversation(list(task()), dialect("openai"))
    drawn = curve(Contents(conversation), steps_of(conversation), whole(conversation))
    assert [point.before for point in drawn] == [point.after for point in drawn]
    assert all(point.kept for point in drawn)


@given(case=legal(least=4))
@pytest.mark.parametrize("keep_recent", [0, 3])
def test_at_each_step_no_more_is_left_than_there_was_and_at_the_last_what_is_left(keep_recent: int, case: Case) -> None:
    conversation = Conversation(case.messages, dialect(case.dialect))
    gained = gain(conversation, CompactSettings(keep_recent=keep_recent))
    projection = gained.compaction.projection if gained.compaction else whole(conversation)
    drawn = curve(Contents(conversation), steps_of(conversation), projection)
    assert all(0 <= point.after <= point.before for point in drawn)
    assert [point.after for point in drawn] == sorted(point.after for point in drawn)
    left = gained.compaction.tokens_after if gained.compaction else gained.tokens
    assert (drawn[-1].before, drawn[-1].after) == (gained.tokens, left)
