"""Cliff: one drop to a floor, mechanically, and no model is called.

Head (all before the first model message) and the newest steps stay as they are; the steps between become one note.
Steps that can't be parted from a kept one, and steps that hold what must not be folded, stay in their place.

Source: Nguyen, Cho, Chen, Dettmers, CliffCompaction, arXiv:2609.26779; spec 10-cliff, `compact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Dialect
from faithfold.core.pairing import pair
from faithfold.core.parts import Reading
from faithfold.core.projection import Edited, Entry, Kept, Note, Omission, Projection, readings, sizes
from faithfold.core.sizes import QUARTERS, Sizer, listed
from faithfold.core.steps import Step, closure, steps
from faithfold.core.strategy import Steps, Strategy
from faithfold.strategies.folding import Folded, fold
from faithfold.strategies.notes import is_summary, note_text
from faithfold.strategies.options import CompactSettings

NAME = "cliff"


def cliff(settings: CompactSettings) -> Strategy:
    """The strategy with these settings. It gives the projection back as it came when that has no more messages.

    It folds what the projection still shows. A note that it finds is dropped, as the reference implementation drops
    it: what it stood for is gone then, and the projection says so.
    """

    def strategy(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        yield from ()
        view = _View(projection.entries, readings(conversation, projection.entries), conversation.dialect)
        plan = _plan(view, settings.keep_recent)
        if plan is None:
            return projection
        made = _projected(conversation, projection, plan, settings, budget)
        return made if len(made.entries) < len(projection.entries) else projection

    return strategy


@dataclass(frozen=True, slots=True)
class _View:
    """What the projection shows, entry by entry."""

    entries: Sequence[Entry]
    readings: Sequence[Reading]
    dialect: Dialect

    def is_misplaced_before_note(self, place: int) -> bool:
        """Whether this may not stand right before the note: a note of ours; by the provider's rule, an instruction."""
        reading = self.readings[place]
        misplaced = reading.speaker == "instruction" and not self.dialect.user_after_instruction
        return is_summary(reading) or (misplaced and not reading.pinned)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The entries that are kept at the head, folded, kept between, and kept at the tail."""

    head: Sequence[Entry]
    folded: Sequence[tuple[Entry, Reading]]
    between: Sequence[Entry]
    tail: Sequence[Entry]
    note_leads: bool


def _plan(view: _View, keep_recent: int) -> _Plan | None:
    """What to keep and what to fold; None where there is nothing to fold."""
    head_end = _head_end(view)
    found = steps(view.readings, head_end, runs=view.dialect.runs)
    if len(found) <= keep_recent or all(reading.speaker != "model" for reading in view.readings):
        return None
    recent = range(len(found) - keep_recent, len(found))
    pinned = [number for number, step in enumerate(found) if any(view.readings[place].pinned for place in step)]
    kept = closure([*recent, *pinned], found, view.readings, pair(view.readings, view.dialect.reach))
    first_of_tail = next((number + 1 for number in reversed(range(len(found))) if number not in kept), 0)
    return _arranged(view, head_end, found, kept, first_of_tail)


def _head_end(view: _View) -> int:
    """Where the head ends: before the first model message, and before a note of ours whatever came after it."""
    models = (place for place, reading in enumerate(view.readings) if reading.speaker == "model")
    end = next(models, 0)
    while end > 0 and view.is_misplaced_before_note(end - 1):
        end -= 1
    return next((place for place in range(end) if isinstance(view.entries[place], Note)), end)


def _arranged(view: _View, head_end: int, found: Sequence[Step], kept: set[int], first_of_tail: int) -> _Plan | None:
    before_tail = range(first_of_tail)
    stay = (place for number in before_tail if number in kept for place in found[number])
    between = [place for place in stay if not is_summary(view.readings[place])]
    while between and view.is_misplaced_before_note(between[-1]):
        between.pop()
    stays = set(between)
    folded = [place for number in before_tail for place in found[number] if place not in stays]
    tail = view.entries[found[first_of_tail].start :] if first_of_tail < len(found) else ()
    has_new = any(isinstance(view.entries[place], (Kept, Edited)) for place in folded)
    if not has_new or any(isinstance(entry, Note) for entry in tail):  # there is one note at most
        return None
    return _Plan(
        head=view.entries[:head_end],
        folded=[(view.entries[place], view.readings[place]) for place in folded],
        between=[view.entries[place] for place in between],
        tail=tail,
        note_leads=bool(between) and folded[0] < between[0] and _leads(view, head_end, between),
    )


def _leads(view: _View, head_end: int, between: Sequence[int]) -> bool:
    """Whether the note comes before the steps kept between: it does where no user message precedes them.

    A provider reads nothing before its own compaction, so no note goes there.
    """
    user_in_head = any(view.readings[place].speaker != "instruction" for place in range(head_end))
    return not user_in_head and not any(view.readings[place].pinned for place in between)


def _projected(
    conversation: Conversation, projection: Projection, plan: _Plan, settings: CompactSettings, budget: Budget
) -> Projection:
    folds = [
        fold(entry.index, reading, settings, conversation.dialect)
        for entry, reading in plan.folded
        if not isinstance(entry, Note)
    ]
    shown = _within(folds, conversation, [*plan.head, *plan.between, *plan.tail], budget)
    anchor = folds[0 if plan.note_leads else -1].index if plan.between else None
    note, dropped, omissions = _note(folds, shown, conversation, anchor)
    middle = [note, *plan.between] if plan.note_leads else [*plan.between, note]
    earlier = {index: "earlier note" for entry, _ in plan.folded if isinstance(entry, Note) for index in entry.covers}
    reasons = {**projection.dropped, **earlier, **dropped}
    return Projection(projection.total, (*plan.head, *middle, *plan.tail), reasons, (*projection.omissions, *omissions))


def _note(
    folds: Sequence[Folded], shown: Sequence[Folded], conversation: Conversation, anchor: int | None
) -> tuple[Note, dict[int, str], tuple[Omission, ...]]:
    """The note, the reasons of the messages that it shows nothing of, and all omissions.

    The note also covers `anchor`, the folded message whose place it takes, whether it shows it or not.
    """
    parts = [part for folded in shown for part in folded.parts]
    within = {folded.index for folded in shown}
    covered = frozenset(folded.index for folded in shown if folded.parts) or frozenset(f.index for f in folds)
    covered |= frozenset[int]() if anchor is None else {anchor}
    omissions = [omission for folded in folds for omission in _omitted(folded, shown=folded.index in within)]
    reasons: dict[int, list[str]] = {folded.index: [] for folded in folds if folded.index not in covered}
    for omission in omissions:
        if omission.index in reasons:
            reasons[omission.index].append(omission.what)
    dropped = {index: ", ".join(whats) or "nothing to show" for index, whats in reasons.items()}
    return Note(conversation.dialect.note(note_text(parts)), covered, NAME), dropped, tuple(omissions)


def _omitted(folded: Folded, *, shown: bool) -> list[Omission]:
    if shown or not folded.parts:
        return folded.omissions
    return [*folded.omissions, Omission(folded.index, "over the note's budget", sum(map(len, folded.parts)))]


def _within(
    folds: Sequence[Folded], conversation: Conversation, kept: Sequence[Entry], budget: Budget
) -> Sequence[Folded]:
    """The newest folds that the budget has room for."""
    if budget.tokens is None:
        return folds
    kept_sizes = sizes(conversation, kept)
    room = (budget.tokens + 1) * QUARTERS - 1

    def fits(count: int) -> bool:
        parts = [part for folded in folds[len(folds) - count :] for part in folded.parts]
        note = conversation.dialect.note(note_text(parts))
        return listed([*kept_sizes, Sizer().quarters(note)]) <= room

    least, most = 0, len(folds)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(middle) else (least, middle - 1)
    return folds[len(folds) - least :]
