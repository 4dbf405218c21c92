"""Projections: what they tell about themselves, and that each broken law is found."""

from __future__ import annotations

import pytest

from faithfold.core.conversation import Conversation
from faithfold.core.projection import Edited, Entry, Kept, Note, Projection, breaches, faults_added, whole
from faithfold.dialects import DIALECTS
from tests.pieces import Wire, res, says, session, use, user

MESSAGES: list[object] = [*session("anthropic", 3)]  # 0 task; 1 2, 3 4, 5 6: steps
NOTE = user("a note")


def note(*covers: int) -> Note:
    return Note(NOTE, frozenset(covers), "cliff")


def projection(*entries: Entry, total: int = 7, dropped: dict[int, str] | None = None) -> Projection:
    return Projection(total, entries, dropped or {})


def kept(*indices: int) -> list[Kept]:
    return [Kept(index) for index in indices]


def test_the_whole_keeps_every_message() -> None:
    made = whole(Conversation(MESSAGES, DIALECTS["anthropic"]))
    assert all(one is other for one, other in zip(made.messages(MESSAGES), MESSAGES, strict=True))
    assert (made.head_len, made.cut, made.notes, breaches(made)) == (7, 0, (), [])


@pytest.mark.parametrize(
    ("made", "head_len", "cut"),
    [
        (projection(*kept(0), note(1, 2, 3, 4), *kept(5, 6)), 1, 5),
        (projection(note(0, 1, 2, 3, 4), *kept(5, 6)), 0, 5),
        (projection(*kept(0, 1, 2), note(3, 4, 5, 6)), 3, 7),
        (projection(*kept(0), Edited(1, NOTE, "cut"), *kept(2, 3, 4, 5, 6)), 1, 2),
        (projection(*kept(0, 5, 6), dropped=dict.fromkeys((1, 2, 3, 4), "old")), 1, 5),
        (projection(note(*range(7))), 0, 7),
        (projection(total=0), 0, 0),
    ],
)
def test_head_and_cut(made: Projection, head_len: int, cut: int) -> None:
    assert (made.head_len, made.cut, breaches(made)) == (head_len, cut, [])


def test_what_is_sent_and_where_it_comes_from() -> None:
    edited: Wire = says("cut")
    made = projection(*kept(0), note(1, 2), Edited(3, edited, "cut"), *kept(4, 5, 6))
    sent = made.messages(MESSAGES)
    assert sent == [MESSAGES[0], NOTE, edited, *MESSAGES[4:]]
    assert sent[0] is MESSAGES[0]
    assert made.origins() == [0, "cliff", 3, 4, 5, 6]
    assert made.notes == (note(1, 2),)


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (projection(*kept(0, 1, 2, 3, 4, 5)), ["message 6 is accounted for 0 times"]),
        (projection(*kept(0, 1, 2, 3, 4, 5, 6), note(6)), ["message 6 is accounted for 2 times"]),
        (projection(*kept(0, 1, 2, 3, 4, 5, 6), dropped={2: "old"}), ["message 2 is accounted for 2 times"]),
        (projection(*kept(0, 1), total=1), ["message 1 is accounted for 1 times"]),
        (projection(*kept(0, 2, 1, 3, 4, 5, 6)), ["entry 2 stands after message 2"]),
        (projection(*kept(4, 5, 6), note(0, 1, 2, 3)), ["entry 3 stands after message 6"]),
        (projection(*kept(0, 3, 4), note(1, 2, 5, 6)), []),
    ],
)
def test_a_broken_law_is_named(made: Projection, found: list[str]) -> None:
    assert breaches(made) == found


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        (projection(*kept(0), note(1, 2), *kept(3, 4, 5, 6)), []),
        (projection(*kept(0), note(1), *kept(2, 3, 4, 5, 6)), ["orphan-result", "result-after-content"]),
        (projection(*kept(0, 1), note(2), *kept(3, 4, 5, 6)), ["unanswered-call"]),
        (projection(*kept(1, 2, 3, 4, 5, 6), dropped={0: "old"}), ["first-role"]),
        (projection(*kept(0, 1, 2, 3, 4, 5), Edited(6, user(), "emptied")), ["empty-content", "unanswered-call"]),
    ],
)
def test_faults_that_a_projection_adds(made: Projection, codes: list[str]) -> None:
    conversation = Conversation(MESSAGES, DIALECTS["anthropic"])
    assert sorted(fault.code for fault in faults_added(conversation, whole(conversation), made)) == codes


def test_the_client_s_own_faults_are_its_own() -> None:
    messages: list[object] = [user("x"), says(use(1)), user("never mind"), says(use(2)), user(res(2))]
    conversation = Conversation(messages, DIALECTS["anthropic"])
    assert [fault.code for fault in conversation.faults] == ["unanswered-call"]
    assert faults_added(conversation, whole(conversation), whole(conversation)) == []
    assert faults_added(conversation, whole(conversation), projection(*kept(0), note(1, 2), *kept(3, 4), total=5)) == []
