"""Every message is accounted for: kept, covered by a note, or dropped with a reason, in the order of the originals.

Source: spec 00-model, Entries of a projection; invariants 3, 5, 6 and 7.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence

from hypothesis import given

import faithfold as ff
from faithfold.core.parts import Call, Document, Image, Opaque, Part, Reading, Reference, Result, Text, Thinking
from faithfold.core.projection import breaches
from faithfold.core.values import utf8
from tests.generate.conversations import Case, conversations, legal, settings
from tests.generate.mutations import is_list, is_object
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
def test_every_part_of_a_folded_message_is_in_the_note_or_named(case: Case, settings: ff.CompactSettings) -> None:
    made = project(case.messages, case.dialect, settings)
    if made is None:
        return
    for index in set(range(len(case.messages))) - made.kept:
        assert lost(made.conversation.reading(index), "\n".join(made.note_texts), named(made, index)) == []


@given(legal(), settings())
def test_a_block_that_does_not_belong_is_named_wherever_it_stands(case: Case, settings: ff.CompactSettings) -> None:
    messages = [copy.deepcopy(message) for message in case.messages]  # one object may stand in two places
    planted = [plant(message) for message in messages]
    made = project(messages, case.dialect, settings)
    if made is None:
        return
    for index in set(range(len(messages))) - made.kept:
        assert lost(made.conversation.reading(index), "\n".join(made.note_texts), named(made, index)) == []
        assert named(made, index)["hologram block"] == planted[index]
        assert named(made, index)["no object block"] == planted[index]


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


def named(made: Made, index: int) -> Counter[str]:
    """What is named as left out of a message."""
    return Counter(omission.what for omission in made.projection.omissions if omission.index == index)


def lost(reading: Reading, note: str, named: Counter[str]) -> list[Part | str]:
    """What of a message is neither in the note nor named."""
    if reading.speaker == "other":
        return [] if any(what.startswith("message of kind") for what in named) else [*reading.parts]
    never_shown = Counter(what for part in reading.parts for what in map(name_of, pieces(part)) if what)
    return [*(never_shown - named), *(part for part in reading.parts if not shown(part, reading.role, note, {*named}))]


def pieces(part: Part) -> Sequence[Part]:
    return (part, *part.others) if isinstance(part, Result) else (part,)


def name_of(part: Part) -> str:
    """The name of what no note shows; empty for all else."""
    match part:
        case Image() | Document():
            return type(part).__name__.lower()
        case Thinking(text=""):
            return "sealed thinking"
        case Reference():
            return "item reference"
        case Opaque(kind=kind):
            return f"{kind or 'unknown'} block"
        case _:
            return ""


def shown(part: Part, role: str, note: str, named: set[str]) -> bool:
    """Whether the note shows all of a part, or what it lacks is named."""
    if "over the note's budget" in named:
        return True
    match part:
        case Text(text=text):
            excuses = {"human text", "assistant text", f"{role} text", "earlier note", "task notification"}
        case Thinking(text=text):
            excuses = {"thinking"}
        case Result(text=text):
            excuses = {"tool result", "tool block"}
        case Call(name=name, arguments=arguments):
            text = f"[{name}] {arguments}"
            excuses = {"tool block", *([f"arguments of {name}"] if utf8(f"[{name}] ") in note else [])}
        case _:
            return True
    return utf8(text.strip()) in note or not excuses.isdisjoint(named)


def plant(message: object) -> int:
    """Puts odd blocks behind the content of the message, and of each result in it; returns how many of each."""
    contents: list[object] = []
    if is_object(message):
        contents = [message.get("content") if "role" in message else None, message.get("output")]
        contents = contents if message.get("type") in (None, "message", "function_call_output") else []
    blocks = [block for content in contents if is_list(content) for block in content if is_object(block)]
    contents += [block.get("content") for block in blocks if block.get("type") == "tool_result"]
    lists = [content for content in contents if is_list(content)]
    for content in lists:
        content.extend(({"type": "hologram"}, 7, {"type": "thinking", "thinking": "planted"}))
    return len(lists)
