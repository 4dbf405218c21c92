"""The client's own messages: none is ever changed, and those that stay are the same objects in the same places.

Source: spec 00-model, invariant 1; spec 10-cliff (head verbatim, newest steps verbatim).
"""

from __future__ import annotations

import copy

from hypothesis import given

import faithfold as ff
from faithfold.core.steps import steps
from faithfold.strategies.notes import is_summary
from tests.generate.conversations import Case, conversations, settings
from tests.laws.running import project, read, text_of


@given(conversations(), settings())
def test_input_is_never_changed(case: Case, settings: ff.CompactSettings) -> None:
    before, objects = copy.deepcopy(case.messages), list(map(id, case.messages))
    text = text_of(case.messages)
    ff.compact(case.messages, case.dialect, settings)
    ff.faults(case.messages, case.dialect)
    ff.estimate_tokens(case.messages)
    assert (case.messages, list(map(id, case.messages)), text_of(case.messages)) == (before, objects, text)


@given(conversations(), settings())
def test_kept_messages_are_the_same_objects(case: Case, settings: ff.CompactSettings) -> None:
    compaction = ff.compact(case.messages, case.dialect, settings)
    if compaction is None:
        return
    for message, origin in zip(compaction.messages, compaction.projection.origins(), strict=True):
        assert isinstance(origin, str) or message is case.messages[origin]


@given(conversations(), settings())
def test_head_and_tail_stand_as_they_were(case: Case, settings: ff.CompactSettings) -> None:
    compaction = ff.compact(case.messages, case.dialect, settings)
    if compaction is None:
        return
    head, cut, sent = compaction.head_len, compaction.cut, compaction.messages
    tail = len(case.messages) - cut
    assert list(map(id, sent[:head])) == list(map(id, case.messages[:head]))
    assert list(map(id, sent[len(sent) - tail :])) == list(map(id, case.messages[cut:]))
    assert compaction.projection.origins()[head] != head, "the head is all that is kept at the beginning"
    assert compaction.projection.origins()[-tail - 1] != cut - 1, "the tail is all that is kept at the end"


@given(conversations(), settings())
def test_the_newest_steps_are_kept(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is None or settings.keep_recent == 0:
        return
    readings = made.conversation.readings
    starts = [step.start for step in steps(readings, 0, runs=made.conversation.dialect.runs)][1:]
    newest = range(starts[-settings.keep_recent], len(readings)) if len(starts) >= settings.keep_recent else range(0)
    assert set(newest) <= made.kept
    assert made.messages[-1] is case.messages[-1], "the client's last message is the last"


@given(conversations(), settings())
def test_a_step_is_kept_whole_or_not_at_all(case: Case, settings: ff.CompactSettings) -> None:
    """So thinking stays or goes with its step. Instructions and earlier notes may go alone."""
    made = project(case.messages, case.dialect, settings)
    if made is None:
        return
    readings = made.conversation.readings
    first_model = next(index for index, reading in enumerate(readings) if reading.speaker == "model")
    for step in steps(readings, first_model, runs=made.conversation.dialect.runs):
        whole = [i for i in step if readings[i].speaker != "instruction" and not is_summary(readings[i])]
        fates = {index in made.kept for index in whole}
        assert len(fates) == 1


@given(conversations())
def test_steps_divide_a_conversation(case: Case) -> None:
    readings = [read(case.dialect, message) for message in case.messages]
    for start in range(len(readings) + 1):
        found = steps(readings, start, runs=case.dialect == "openai-responses")
        assert [index for step in found for index in step] == list(range(start, len(readings)))
        assert all(readings[step.start].speaker == "model" for step in found[1:])
