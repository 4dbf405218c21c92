"""The known beginning of a body: with it, a request is read as without it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold import dialects
from faithfold.engine.beginning import LARGE, SMALL, recalled
from faithfold.engine.recognition import Recognition
from faithfold.engine.request import Request, of_bytes


def text_of(length: int) -> str:
    return f'{{"role": "user", "content": "{"x" * length}"}}'


OPENAI = dialects.dialect("openai")
ROOM = 1 << 26

MESSAGES = st.lists(
    st.one_of(
        st.integers(0, SMALL).map(text_of),
        st.sampled_from(('{"role":"user","content":"\\ud800"}', "12", "1.10", "NaN", "[]", '"]"', ' {"a": 1} ')),
    ),
    min_size=1,
    max_size=8,
)


def body_of(messages: list[str], before: str = '"model": "m", ', after: str = "") -> bytes:
    return f'{{{before}"messages": [{", ".join(messages)}]{after}}}'.encode()


def read(body: bytes, recognition: Recognition) -> object:
    """All that is known of a request, or None."""
    request = of_bytes(body, OPENAI, 0, recognition)
    return None if request is None else facts(request)


def facts(request: Request) -> object:
    assert request.whole is not None
    spans = [*request.whole.messages]
    return spans, request.whole.array, [*request.known], [*request.chain], request.rest, request.fixed


def fresh(body: bytes) -> object:
    return read(body, Recognition(0))


@given(messages=MESSAGES, more=MESSAGES, count=st.integers(0, 12), after=st.sampled_from(("", ', "stream": true')))
def test_a_history_that_comes_again(messages: list[str], more: list[str], count: int, after: str) -> None:
    """It grew, or was cut, or went another way."""
    recognition = Recognition(ROOM)
    for body in (body_of(messages), body_of([*messages[:count], *more], after=after), body_of(messages)):
        assert read(body, recognition) == fresh(body)


LONG = text_of(SMALL)
KNOWN = body_of([LONG, "12", LONG, "3"])
OTHERS: list[tuple[str, bytes]] = [
    ("a comma too many", body_of([LONG, "12", LONG, ""])),
    ("cut short", KNOWN[:-10]),
    ("cut after the last known message", KNOWN[: KNOWN.rindex(b'"}') + 3]),
    ("the field again", KNOWN[:-1] + b', "messages": [1]}'),
    ("another field first", body_of([LONG, "12", LONG, "3"], before='"model": "other", ')),
    ("a byte changed in the middle", KNOWN.replace(b"12", b"13")),
    ("no list in the field", b'{"messages": "' + b"x" * 2 * SMALL + b'"}'),
]


@pytest.mark.parametrize("body", [row[1] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_what_only_begins_like_it(body: bytes) -> None:
    recognition = Recognition(ROOM)
    assert read(KNOWN, recognition) == fresh(KNOWN)
    assert read(body, recognition) == fresh(body)


@pytest.mark.parametrize("shift", range(-3, 4))
def test_a_number_that_goes_on_behind_a_block(shift: int) -> None:
    """Up to the end of a block `12` and `12.5` may be the same."""
    start = len(body_of([], before="")) - 2
    length = SMALL - start - len(', 12{"role": "user", "content": ""}') + shift
    first, second = (body_of([text_of(length), number, LONG], before="") for number in ("12", "12.5"))
    assert abs(first.index(b", 12") + 4 - SMALL) == abs(shift)
    recognition = Recognition(ROOM)
    assert [read(first, recognition), read(second, recognition)] == [fresh(first), fresh(second)]


def test_known_messages_are_neither_parsed_nor_looked_up() -> None:
    recognition = Recognition(ROOM)
    read(KNOWN, recognition)
    hashed, past = recalled(KNOWN, 0, recognition)
    assert (hashed.end, len(past.known)) == (2 * SMALL, 2)
    assert json.loads(KNOWN[slice(*past.spans[1])]) == 12
    assert recalled(KNOWN, 1, recognition)[0].end == 0  # another dialect's


def test_large_blocks_pass_over_a_long_history() -> None:
    """A history that grows past several of them, is cut there, and goes another way behind them."""
    recognition = Recognition(ROOM)
    told = [text_of(SMALL // 3 + number) for number in range(60)]
    for count in (10, 24, 25, 40, 60, 27, 60):
        body = body_of(told[:count])
        assert read(body, recognition) == fresh(body)
    hashed, past = recalled(body_of(told), 0, recognition)
    assert hashed.end // LARGE == 2
    assert len(past.known) > 50
    other = body_of([*told[:40], "[]", *told[41:]])
    assert read(other, recognition) == fresh(other)
    assert recalled(body_of([*told[:30], "1"]), 0, recognition)[0].end > LARGE


def test_blocks_before_the_list_say_nothing_of_where_it_opens() -> None:
    """Two requests begin with the same long text; in one of them the list opens sooner."""
    recognition = Recognition(ROOM)
    text = "x" * (2 * SMALL)
    for gap in ("", " " * 9):
        body = body_of([LONG, "12", LONG, "3"], before=f'"system": "{text}",{gap} ')
        assert [read(body, recognition), read(body, recognition)] == [fresh(body)] * 2


def test_the_memory_is_bounded() -> None:
    recognition = Recognition(20_000)
    for number in range(100):
        body = body_of([f'{{"role": "user", "content": "{number}{"x" * SMALL}"}}', *map(str, range(20))])
        assert read(body, recognition) == fresh(body)
        assert recognition.size <= 20_000
