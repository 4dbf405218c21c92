"""Every message is accounted for: kept, covered by a note, or dropped with a reason, in the order of the originals.

Source: spec 00-model, Entries of a projection; invariants 3, 5, 6 and 7.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import given

import faithfold as ff
from faithfold.core.projection import breaches
from tests.generate.conversations import Case, conversations, legal, settings
from tests.laws.running import Made, project, text_of


@given(conversations(), settings())
def test_each_message_has_one_fate(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is None:
        return
    fates = Counter([*made.kept, *made.projection.dropped])
    for note in made.projection.notes:
        fates.update(note.covers)
    assert fates == Counter(range(len(case.messages)))
    assert breaches(made.projection) == []


@given(conversations(), settings())
def test_entries_stand_in_the_order_of_the_originals(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is None:
        return
    kept = [origin for origin in made.projection.origins() if isinstance(origin, int)]
    assert kept == sorted(kept)
    place = next(place for place, origin in enumerate(made.projection.origins()) if isinstance(origin, str))
    covers = made.projection.notes[0].covers
    before, after = made.projection.origins()[:place], made.projection.origins()[place + 1 :]
    assert all(isinstance(origin, int) and origin < max(covers) for origin in before)
    assert all(isinstance(origin, int) and origin > min(covers) for origin in after)


@given(conversations(), settings())
def test_what_is_gone_says_why(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is None:
        return
    assert all(reason.strip() for reason in made.projection.dropped.values())
    for omission in made.projection.omissions:
        assert 0 <= omission.index < len(case.messages)
        assert omission.index not in made.kept
        assert omission.what.strip()
        assert omission.characters >= 0


@given(conversations(), settings())
def test_it_shrinks_or_nothing_is_made(case: Case, settings: ff.CompactSettings) -> None:
    compaction = ff.compact(case.messages, case.dialect, settings)
    if compaction is not None:
        assert len(compaction.messages) < len(case.messages)
        assert compaction.summary in compaction.messages
        assert (compaction.tokens_before, compaction.tokens_after) == (
            ff.Sizer().tokens(case.messages),
            ff.Sizer().tokens(compaction.messages),
        )


@given(legal(), settings())
def test_none_means_that_there_is_nothing_to_gain(case: Case, settings: ff.CompactSettings) -> None:
    """A legal conversation is never left alone because a strategy went wrong."""
    made = project(case.messages, case.dialect, settings)
    assert (made is None) == (ff.compact(case.messages, case.dialect, settings) is None)


@given(legal(), settings())
def test_there_is_one_note_and_no_note_inside(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is not None:
        assert [text.count(ff.SUMMARY_HEADER) for text in made.note_texts] == [1]
        assert made.note_texts[0].startswith(ff.SUMMARY_HEADER)


@given(legal(), settings())
def test_an_earlier_note_is_dropped_not_folded(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is None or made.note_texts == [ff.SUMMARY_HEADER]:
        return
    earlier = {index for index, message in enumerate(case.messages) if ff.SUMMARY_HEADER in text_of(message)}
    for index in earlier - made.kept - anchors(made):
        assert "earlier note" in made.projection.dropped[index]


def anchors(made: Made) -> set[int]:
    """The messages whose place the note may take without showing anything of them."""
    covers = made.projection.notes[0].covers
    return {min(covers), max(covers)}
