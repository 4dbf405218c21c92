"""What stands for the beginning of a request: in short, as entries of a projection, and as bytes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from faithfold.core.projection import Edited, Entry, Kept, Note, Projection, breaches
from faithfold.core.sizes import Sizer, estimate_tokens
from faithfold.dialects import DIALECTS
from faithfold.engine import standing as standings
from faithfold.engine.recognition import Recognition
from faithfold.engine.request import Request, of_bytes, of_dict
from faithfold.engine.store import PrefixEntry
from tests.pieces import Wire, fc, fo, item, message, res, says, use, user
from tests.resending import body_of, wire

NOTE = Note(user("what was é"), frozenset({2, 3}), "cliff")
TEXT = '{"role":"user","content":"what was é"}'.encode()


def kept(*indices: int) -> list[Entry]:
    return [Kept(index) for index in indices]


def of(cut: int, before: tuple[int, ...], after: tuple[int, ...] = ()) -> PrefixEntry:
    return PrefixEntry(cut, (*kept(*before), NOTE, *kept(*after)), (TEXT,), Sizer().quarters(NOTE.message))


def requested(dialect: str, messages: list[Wire]) -> Request:
    request = of_bytes(wire(body_of(dialect, messages)), DIALECTS[dialect], 0, Recognition(1_000_000))
    assert request is not None
    return request


CUT = Edited(0, user("cut é"), "cut")
BOTH = PrefixEntry(4, (CUT, *kept(1), NOTE), ('{"role":"user","content":"cut é"}'.encode(), TEXT), 35)

SHORT: list[tuple[str, list[Entry], PrefixEntry]] = [
    ("head, note, tail", [*kept(0, 1), NOTE, *kept(4, 5)], of(4, (0, 1))),
    ("no tail", [*kept(0, 1), NOTE], of(6, (0, 1))),
    ("no head", [NOTE, *kept(4, 5)], of(4, ())),
    ("kept before the note", [*kept(0, 2), NOTE, *kept(5)], of(5, (0, 2))),
    ("kept behind the note", [*kept(0), NOTE, *kept(2, 5)], of(5, (0,), (2,))),
    ("dropped and no note", kept(0, 1, 4, 5), PrefixEntry(4, (*kept(0, 1),), (), 0)),
    ("an edited message and a note", [CUT, *kept(1), NOTE, *kept(4, 5)], BOTH),
    ("as they came", kept(0, 1, 2, 3, 4, 5), PrefixEntry(0, (), (), 0)),
]


@pytest.mark.parametrize(("entries", "short"), [row[1:] for row in SHORT], ids=[row[0] for row in SHORT])
def test_a_projection_in_short(entries: list[Entry], short: PrefixEntry) -> None:
    made = standings.entry_of(Projection(6, tuple(entries)))
    assert replace(made, quarters=0) == replace(short, quarters=0)
    assert made.quarters == sum(Sizer().quarters(json.loads(text)) for text in short.texts)
    again = standings.projection(made)
    assert [*again.entries, *kept(*range(short.cut, 6))] == entries


def test_a_lone_surrogate_of_a_policy_goes_as_an_escape() -> None:
    note = Note(user("half \ud83d of it, é"), frozenset({0}), "own")
    (sent,) = standings.entry_of(Projection(1, (note,))).texts
    assert b"\\ud83d" in sent
    assert json.loads(sent) == note.message


def test_each_message_is_accounted_for() -> None:
    again = standings.projection(of(6, (0,), (4,)))
    assert breaches(again) == []
    assert [*again.dropped] == [1, 5]


def test_before_anything_was_compacted_nothing_stands_for_anything() -> None:
    request = requested("anthropic", [user("a")])
    assert (standings.projection(None), standings.cut(None)) == (Projection(0, ()), 0)
    assert standings.quarters(request, None) == request.quarters


TOLD = [user(f"message {number}") for number in range(8)]


@pytest.mark.parametrize(
    ("place", "indices"),
    [
        (of(4, (0, 1)), [0, 1, -1, 4, 5, 6, 7]),
        (of(6, (0, 2), (4,)), [0, 2, -1, 4, 6, 7]),
        (of(8, ()), [-1]),
        (PrefixEntry(4, (*kept(0, 1, 3),), (), 0), [0, 1, 3, 4, 5, 6, 7]),
        (
            PrefixEntry(3, (NOTE, NOTE, *kept(1)), (TEXT, TEXT), 2 * Sizer().quarters(NOTE.message)),
            [-1, -1, 1, *range(3, 8)],
        ),
    ],
)
def test_it_is_sent_in_the_clients_own_bytes_and_sized_as_sent(place: PrefixEntry, indices: list[int]) -> None:
    expected = [NOTE.message if index < 0 else TOLD[index] for index in indices]
    body = body_of("anthropic", expected)
    from_bytes = requested("anthropic", TOLD)
    from_dict = of_dict(body_of("anthropic", TOLD), DIALECTS["anthropic"])
    assert from_dict is not None
    for request in (from_bytes, from_dict):
        assert json.loads(standings.body(request, place)) == body
        assert standings.messages(request, place) == expected
        assert standings.quarters(request, place) // 4 == estimate_tokens(body)
    assert standings.body(from_bytes, place).count(TEXT) == indices.count(-1)


def reference(name: str) -> Wire:
    return item("item_reference", id=name)


CALLED: list[tuple[str, str, list[Wire], PrefixEntry, bool]] = [
    ("all is folded", "anthropic", [user(""), says(use(1)), user(res(1)), user("")], of(3, (0,)), True),
    ("the result comes late", "anthropic", [user(""), says(use(1)), user(res(1)), user("")], of(2, (0,)), False),
    ("and its call stays", "anthropic", [user(""), says(use(1)), user(res(1)), user("")], of(2, (0, 1)), True),
    (
        "and its call stays behind the note",
        "anthropic",
        [user(""), says(use(1)), user(res(1))],
        of(2, (0,), (1,)),
        True,
    ),
    (
        "its call is the nearest of its id",
        "anthropic",
        [says(use(1)), user(res(1)), says(use(1)), user(res(1))],
        of(3, (0, 1)),
        False,
    ),
    (
        "two calls of one id",
        "anthropic",
        [user(""), says(use(1)), says(use(1)), user(res(1)), user(res(1))],
        of(2, (0,)),
        False,
    ),
    ("a result without a call", "anthropic", [user(""), says(""), user(res(1))], of(2, (0,)), True),
    ("its call comes too", "anthropic", [user(""), says(use(1)), user(res(1))], of(1, ()), True),
    ("a reference is folded", "openai-responses", [message("user"), reference("fc"), fo(1)], of(2, (0,)), False),
    ("a reference stays", "openai-responses", [message("user"), reference("fc"), fo(1)], of(2, (0, 1)), True),
    (
        "a reference comes too",
        "openai-responses",
        [message("user"), reference("fc"), reference("fc"), fo(1)],
        of(2, (0,)),
        True,
    ),
    ("no reference is needed", "openai-responses", [message("user"), reference("fc"), fc(1), fo(1)], of(2, (0,)), True),
]


@pytest.mark.parametrize(
    ("dialect", "messages", "place", "holds"), [row[1:] for row in CALLED], ids=[row[0] for row in CALLED]
)
def test_an_entry_holds_where_no_later_result_needs_what_it_stands_for(
    dialect: str, messages: list[Wire], place: PrefixEntry, *, holds: bool
) -> None:
    assert standings.holds(requested(dialect, messages), place) == holds
