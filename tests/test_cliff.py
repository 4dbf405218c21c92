"""Cliff: what stays, what is folded, where the note goes, and how it keeps to a budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from faithfold.compaction import Compaction, compact
from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Edited, Kept, Note, Projection, breaches, whole
from faithfold.core.sizes import estimate_tokens
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.dialects import DIALECTS
from faithfold.drivers import run
from faithfold.strategies.cliff import cliff
from faithfold.strategies.notes import note_text
from faithfold.strategies.options import CompactSettings
from tests.pieces import BUILT_IN, Wire, fc, fo, res, rs, says, session, text, think, use, user

SYSTEM: Wire = {"role": "system", "content": "be kind"}
NOTE = user(SUMMARY_HEADER)
PINNED: Wire = says({"type": "compaction", "content": "so far"})


def compacted(
    dialect: str, messages: Sequence[object], keep_recent: int = 1, target_tokens: int | None = None
) -> Compaction:
    made = compact(messages, dialect, CompactSettings(keep_recent=keep_recent, target_tokens=target_tokens))
    assert made is not None
    assert breaches(made.projection) == []
    return made


def layout(made: Compaction) -> str:
    """The messages sent: original indices, and N for a note."""
    return " ".join(str(origin) if isinstance(origin, int) else "N" for origin in made.projection.origins())


Case = tuple[str, str, Sequence[object], int, str]
CASES: list[Case] = [
    # name, dialect, messages, keep_recent, layout
    ("head, note, tail", "anthropic", [*session("anthropic", 4)], 2, "0 N 5 6 7 8"),
    ("no tail", "anthropic", [*session("anthropic", 4)], 0, "0 N"),
    ("a long head", "openai", [SYSTEM, user("a"), user("b"), *session("openai", 3)[1:]], 1, "0 1 2 N 7 8"),
    ("no head", "openai", session("openai", 3)[1:], 1, "N 4 5"),
    ("a user message ends a step", "openai", [user("a"), says("b"), user("c"), says("d")], 1, "0 N 3"),
    ("a run of items is a step", "openai-responses", [*session("openai-responses", 3)], 1, "0 N 7 8 9"),
    ("our note is left out of the head", "anthropic", [user("a"), NOTE, *session("anthropic", 3)[1:]], 1, "0 N 6 7"),
    ("two of our notes", "anthropic", [user("a"), NOTE, NOTE, *session("anthropic", 3)[1:]], 1, "0 N 7 8"),
    ("our note and nothing else", "anthropic", [NOTE, *session("anthropic", 3)[1:]], 1, "N 5 6"),
    (
        "an instruction may not precede the note",
        "anthropic",
        [user("a"), SYSTEM, *session("anthropic", 3)[1:]],
        1,
        "0 N 6 7",
    ),
    ("an instruction may precede the note", "openai", [user("a"), SYSTEM, *session("openai", 3)[1:]], 1, "0 1 N 6 7"),
    (
        "a pinned message stays",
        "anthropic",
        [user("a"), says("b"), user("c"), PINNED, user("d"), says("e"), user("f"), says("g")],
        1,
        "0 3 4 N 7",
    ),
    ("a pinned message and no head", "anthropic", [PINNED, user("d"), says("e"), user("f"), says("g")], 1, "0 1 N 4"),
    (
        "a late result keeps its call",
        "openai-responses",
        [user("a"), fc(9), user("b"), rs(1), fc(1), fo(1), says("c"), user("d"), fo(9)],
        1,
        "0 1 2 N 6 7 8",
    ),
    (
        "a call kept in its place at the beginning",
        "openai-responses",
        [fc(9), user("b"), says("c"), user("d"), says("g"), fo(9)],
        1,
        "0 1 N 4 5",
    ),
    (
        "a call kept in its place, and no head",
        "openai-responses",
        [says("a"), user("b"), fc(9), user("c"), says("d"), user("e"), says("f"), fo(9)],
        1,
        "N 2 3 6 7",
    ),
    (
        "a split model turn is kept whole",
        "anthropic",
        [user("a"), says("b"), user("c"), says(think("d")), says(use(1)), user(res(1))],
        1,
        "0 N 3 4 5",
    ),
    (
        "a split model turn is folded whole",
        "anthropic",
        [user("a"), says(think("d")), says(use(1)), user(res(1)), says("e")],
        1,
        "0 N 4",
    ),
    (
        "what cannot end before the note is folded too",
        "anthropic",
        [user("a"), PINNED, SYSTEM, says("b"), user("c"), says("d")],
        1,
        "0 1 N 5",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_what_stays_and_where_the_note_goes(case: Case) -> None:
    _, dialect, messages, keep_recent, expected = case
    assert layout(compacted(dialect, messages, keep_recent)) == expected


@pytest.mark.parametrize(
    ("messages", "keep_recent"),
    [
        ([], 1),
        ([user("a")], 0),
        ([user("a"), user("b"), SYSTEM], 0),
        ([user("a"), says("b")], 0),
        ([user("a"), says("b")], 1),
        ([*session("anthropic", 3)], 3),
        ([*session("anthropic", 3)], 9),
        (["stray", 7], 0),
        ([user("a"), PINNED, user("b")], 0),
    ],
    ids=["nothing", "a task", "no model", "one message", "all kept", "as many steps", "fewer", "odd", "all pinned"],
)
def test_where_there_is_nothing_to_gain_there_is_no_compaction(messages: list[object], keep_recent: int) -> None:
    assert compact(messages, "anthropic", CompactSettings(keep_recent=keep_recent)) is None


def test_the_note_tells_in_order_what_was_folded() -> None:
    messages: list[object] = [user("a"), says(text("b"), use(1)), user(res(1, "c"), text("d")), says("e"), says("f")]
    made = compacted("anthropic", messages)
    parts = ["assistant: b\n[Bash] {}", "result: c", "user: d", "assistant: e"]
    assert made.summary == user(note_text(parts))


def test_a_message_that_leaves_nothing_is_dropped_with_its_reasons() -> None:
    image: Wire = {"type": "image"}
    messages: list[object] = [user("a"), says("b"), user(image, res(1, "x" * 600)), says(), NOTE, says("c"), user("d")]
    made = compacted("anthropic", messages)
    assert made.projection.dropped == {2: "tool result, image", 3: "nothing to show", 4: "earlier note"}
    assert made.projection.notes[0].covers == {1}


def test_a_note_of_nothing_covers_all_that_was_folded() -> None:
    messages: list[object] = [user("a"), says(), user(), says(), says("c")]
    made = compacted("anthropic", messages)
    assert made.summary == NOTE
    assert made.projection.notes[0].covers == {1, 2, 3}
    assert made.projection.dropped == {}


# A budget


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_the_note_gives_way_oldest_first(dialect: str) -> None:
    messages: list[object] = [*session(dialect, 30, "some result")]
    full = compacted(dialect, messages)
    target = full.tokens_after - 200
    made = compacted(dialect, messages, target_tokens=target)
    assert target - 30 < made.tokens_after == estimate_tokens(made.messages) <= target
    assert layout(made) == layout(full)
    gone = {omission.index for omission in made.projection.omissions if omission.what == "over the note's budget"}
    assert gone == set(range(1, max(gone) + 1)) & gone
    assert min(made.projection.notes[0].covers) > max(gone)
    assert "run" in str(made.summary)


@pytest.mark.parametrize("padding", range(4))
def test_the_budget_is_kept_to_the_token(padding: int) -> None:
    messages = session("openai", 9, task="t" * (padding + 1))
    target = compacted("openai", messages).tokens_after - 1
    assert compacted("openai", messages, target_tokens=target).tokens_after <= target


def test_a_budget_with_room_changes_nothing() -> None:
    messages: list[object] = [*session("openai", 30)]
    full = compacted("openai", messages)
    assert compacted("openai", messages, target_tokens=full.tokens_after).messages == full.messages


def test_a_budget_that_cannot_be_met_leaves_a_note_of_nothing() -> None:
    made = compacted("anthropic", [*session("anthropic", 9)], target_tokens=0)
    assert made.summary == NOTE
    assert layout(made) == "0 N 17 18"


# Behind another strategy


def projected(
    messages: list[object], before: Projection, tokens: int | None = None, keep_recent: int = 1
) -> Projection:
    conversation = Conversation(messages, DIALECTS["anthropic"])
    return run(cliff(CompactSettings(keep_recent=keep_recent))(conversation, before, Budget(tokens)), lambda _: None)


def test_edited_messages_of_head_and_tail_stay_edited() -> None:
    messages: list[object] = [*session("anthropic", 3)]
    head, tail = Edited(0, user("the ..."), "cut"), Edited(6, user(res(2, "d...")), "cut")
    before = Projection(7, (head, *map(Kept, range(1, 6)), tail))
    made = projected(messages, before)
    assert (made.entries[0], made.entries[-1]) == (head, tail)
    assert breaches(made) == []
    assert projected(messages, before, 10_000) == made


def test_what_was_dropped_before_stays_dropped() -> None:
    messages: list[object] = [user("a"), *session("anthropic", 3)]
    before = Projection(8, tuple(map(Kept, range(1, 8))), {0: "old"})
    made = projected(messages, before)
    assert made.dropped == {0: "old"}
    assert breaches(made) == []
    less = Projection(8, (Kept(0), Kept(1), Kept(4), Kept(5), Kept(6), Kept(7)), {2: "old", 3: "old"})
    made = projected(messages, less)
    assert made.dropped == {2: "old", 3: "old"}
    assert made.notes[0].covers == {4, 5}
    assert breaches(made) == []


def test_a_note_is_dropped_and_what_it_stood_for_with_it() -> None:
    messages: list[object] = [*session("anthropic", 6)]
    first = projected(messages, whole(Conversation(messages, DIALECTS["anthropic"])), keep_recent=4)
    second = projected(messages, first, keep_recent=1)
    assert first.notes[0].covers == {1, 2, 3, 4}
    assert second.notes[0].covers == {5, 6, 7, 8, 9, 10}
    assert second.dropped == dict.fromkeys(range(1, 5), "earlier note")
    assert breaches(second) == []


def test_what_has_no_more_messages_already_is_left_as_it_came() -> None:
    messages: list[object] = [*session("anthropic", 2)]
    before = Projection(5, (Kept(0), Kept(3), Kept(4)), {1: "old", 2: "old"})
    assert projected(messages, before) is before
    start = whole(Conversation(messages[:1], DIALECTS["anthropic"]))
    assert projected(messages[:1], start) is start


def test_what_comes_after_a_note_is_no_head() -> None:
    """With nothing recent kept a note may be followed by a user message, and then there is no second note."""
    messages: list[object] = [*session("anthropic", 2), user("go on"), says("done")]
    note = Note(user(note_text(["user: before"])), frozenset(range(1, 5)), "cliff")
    made = projected(messages, Projection(7, (Kept(0), note, Kept(5), Kept(6))), keep_recent=0)
    assert [one.covers for one in made.notes] == [{5, 6}]
    assert (made.entries[0], made.head_len, len(made.entries)) == (Kept(0), 1, 2)
    assert breaches(made) == []


def test_before_a_note_that_is_kept_nothing_is_folded() -> None:
    messages: list[object] = [*session("anthropic", 4)]
    note = Note(user(note_text(["user: before"])), frozenset({5, 6}), "other")
    before = Projection(9, (*map(Kept, range(5)), note, Kept(7), Kept(8)))
    assert projected(messages, before, keep_recent=2) is before
    assert projected(messages, before, keep_recent=1).notes[0].covers == {1, 2, 3, 4}
