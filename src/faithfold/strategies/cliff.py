"""Cliff: one drop to a floor, mechanically, and no model is called.

Head (all before the first model message) and the newest steps stay as they are; the steps between become one note.
Steps that can't be parted from a kept one, and steps that hold what must not be folded, stay in their place.

Source: Nguyen, Cho, Chen, Dettmers, CliffCompaction, arXiv:2609.26779; spec 10-cliff, `compact`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Edited, Entry, Kept, Note, Omission, Projection, sizes
from faithfold.core.sizes import QUARTERS, Sizer, listed
from faithfold.core.steps import Step, closure, steps
from faithfold.core.strategy import Steps, Strategy
from faithfold.strategies.folding import Folded, fold
from faithfold.strategies.notes import is_summary, note_text
from faithfold.strategies.options import CompactSettings

NAME = "cliff"


def cliff(settings: CompactSettings) -> Strategy:
    """The strategy with these settings. It gives the projection back as it came when that has no more messages.

    Whatever strategies before it left between head and tail, the note is written from the originals.
    """

    def strategy(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        yield from ()
        plan = _plan(conversation, settings.keep_recent)
        if plan is None:
            return projection
        made = _projected(conversation, projection, plan, settings, budget)
        return made if len(made.entries) < len(projection.entries) else projection

    return strategy


@dataclass(frozen=True, slots=True)
class _Plan:
    """Indices of the messages: kept at the head, folded, kept between, kept at the tail."""

    head: range
    folded: list[int]
    between: list[int]
    tail: range


def _plan(conversation: Conversation, keep_recent: int) -> _Plan | None:
    """What to keep and what to fold; None where there is nothing to fold."""
    readings = conversation.readings
    first_model = next((index for index, reading in enumerate(readings) if reading.speaker == "model"), None)
    if first_model is None:
        return None
    head = range(_head_end(conversation, first_model))
    found = steps(readings, head.stop, runs=conversation.dialect.runs)
    if len(found) <= keep_recent:
        return None
    recent = range(len(found) - keep_recent, len(found))
    pinned = [number for number, step in enumerate(found) if any(readings[index].pinned for index in step)]
    kept = closure([*recent, *pinned], found, readings, conversation.pairing)
    first_of_tail = next((number + 1 for number in reversed(range(len(found))) if number not in kept), 0)
    return _arranged(conversation, head, found, kept, first_of_tail)


def _head_end(conversation: Conversation, first_model: int) -> int:
    """The head ends before notes of ours, and before instructions that may not precede the note."""
    end = first_model
    while end > 0 and _unfit_for_head(conversation, end - 1):
        end -= 1
    return end


def _unfit_for_head(conversation: Conversation, index: int) -> bool:
    reading = conversation.readings[index]
    misplaced = reading.speaker == "instruction" and not conversation.dialect.user_after_instruction
    return is_summary(reading) or (misplaced and not reading.pinned)


def _arranged(
    conversation: Conversation, head: range, found: Sequence[Step], kept: set[int], first_of_tail: int
) -> _Plan | None:
    before_tail = range(first_of_tail)
    stay = (index for number in before_tail if number in kept for index in found[number])
    between = [index for index in stay if not is_summary(conversation.readings[index])]
    while between and _unfit_for_head(conversation, between[-1]):  # the note follows them too
        between.pop()
    stays = set(between)
    folded = [index for number in before_tail for index in found[number] if index not in stays]
    tail_start = found[first_of_tail].start if first_of_tail < len(found) else len(conversation.readings)
    return _Plan(head, folded, between, range(tail_start, len(conversation.readings))) if folded else None


def _projected(
    conversation: Conversation, projection: Projection, plan: _Plan, settings: CompactSettings, budget: Budget
) -> Projection:
    present = {entry.index: entry for entry in projection.entries if isinstance(entry, (Kept, Edited))}
    head, between, tail = (_present(present, indices) for indices in (plan.head, plan.between, plan.tail))
    folds = [
        fold(index, conversation.readings[index], settings, joined=conversation.dialect.joined) for index in plan.folded
    ]
    shown = _within(folds, conversation, [*head, *between, *tail], budget)
    leads = _note_leads(conversation, plan)
    anchor = plan.folded[0 if leads else -1]
    note, dropped, omissions = _note(folds, shown, conversation, anchor if between else None)
    middle: list[Entry] = [note, *between] if leads else [*between, note]
    gone = {index: why for index, why in projection.dropped.items() if index not in set(plan.folded)}
    return Projection(projection.total, (*head, *middle, *tail), gone | dropped, omissions)


def _present(present: dict[int, Kept | Edited], indices: Iterable[int]) -> list[Entry]:
    return [present[index] for index in indices if index in present]


def _note_leads(conversation: Conversation, plan: _Plan) -> bool:
    """Whether the note comes before the steps kept between: it does where no user message precedes them.

    A provider reads nothing before its own compaction, so no note goes there. And what stands first stays first.
    """
    readings = conversation.readings
    if not plan.between or plan.between[0] < plan.folded[0] or any(readings[index].pinned for index in plan.between):
        return False
    return all(readings[index].speaker == "instruction" for index in plan.head)


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
