"""What an engine remembers of bodies changes nothing but its speed: one that has seen them decides as one that hasn't.

The bodies are long enough to be known block by block. A client may repeat, lengthen, cut, or change them anywhere.

Source: spec 80-benchmarks, Speed; faults B110, B113, B120.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import faithfold as ff
from faithfold.core.values import as_list, as_object
from faithfold.resending import Decision, Engine
from tests.pieces import session, user

PATIENT = ff.EngineSettings(threshold_tokens=10_000_000)
LENGTHS = st.sampled_from((10, 5_000, 40_000, 65_000, 65_536, 70_000, 140_000))
Change = Callable[[bytes, int], bytes]


def body_of(messages: Sequence[object], model: str = "m") -> bytes:
    return json.dumps({"model": model, "messages": messages, "stream": True}).encode()


def longer(body: bytes, number: int) -> bytes:
    """One more message, of so many characters."""
    told = as_list(as_object(json.loads(body)).get("messages"))
    return body_of([*told, user("x" * number)])


def cut(body: bytes, number: int) -> bytes:
    """The history up to some message, and another one after it."""
    told = as_list(as_object(json.loads(body)).get("messages"))
    return body_of([*told[: number % (len(told) + 1)], user("otherwise")])


def changed(body: bytes, number: int) -> bytes:
    """One byte is another, somewhere: of a text, of a name, of what holds all together."""
    at = number % len(body)
    return body[:at] + b"y" + body[at + 1 :]


def longer_by_a_byte(body: bytes, number: int) -> bytes:
    at = number % len(body)
    return body[:at] + b"1" + body[at:]


def another_model(body: bytes, number: int) -> bytes:
    return body_of(as_list(as_object(json.loads(body)).get("messages")), model="m" * (number % 100))


def messages_twice(body: bytes, number: int) -> bytes:
    """The field again at the end: there the last one counts."""
    more = [*(user("y" * 70_000) for _ in range(number % 4)), user("mine")]
    return body[:-1] + b', "messages": ' + json.dumps(more).encode() + b"}"


def same(body: bytes, number: int) -> bytes:
    del number
    return body


CHANGES: tuple[Change, ...] = (longer, longer, cut, changed, longer_by_a_byte, another_model, messages_twice, same)


@examples(max_examples=max(examples().max_examples // 2, 1))
@given(
    lengths=st.lists(LENGTHS, min_size=2, max_size=6),
    changes=st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 300_000)), min_size=1, max_size=4),
    visits=st.lists(st.integers(0, 4), min_size=2, max_size=7),
)
def test_what_was_seen_before_changes_nothing(
    lengths: list[int], changes: list[tuple[Change, int]], visits: list[int]
) -> None:
    bodies = [body_of([1, *(user("x" * length) for length in lengths), 2.5])]
    for change, number in changes:
        bodies.append(change(next(body for body in reversed(bodies) if told_in(body)), number))
    alone = [seen(Engine(PATIENT).prepare(body, "openai")) for body in bodies]
    engine = Engine(PATIENT)
    for visit in visits:
        at = visit % len(bodies)
        assert seen(engine.prepare(bodies[at], "openai")) == alone[at]


@pytest.mark.parametrize("order", [(0, 1, 0, 0), (1, 0, 0, 1), (1, 1, 0, 0), (0, 0, 1, 1)])
def test_a_body_that_holds_its_messages_twice_is_not_taken_for_one_that_does_not(order: tuple[int, ...]) -> None:
    """They begin alike, but what begins them are messages in one of them alone."""
    once = body_of([user("x" * 60_000) for _ in range(8)])
    bodies = [once, messages_twice(once, 3)]
    alone = [seen(Engine(PATIENT).prepare(body, "openai")) for body in bodies]
    engine = Engine(PATIENT)
    for at in order:
        assert seen(engine.prepare(bodies[at], "openai")) == alone[at]


def told_in(body: bytes) -> Sequence[object]:
    """The messages, where the body can be changed further."""
    try:
        return as_list(as_object(json.loads(body)).get("messages"))
    except ValueError:
        return ()


def seen(decision: Decision) -> tuple[object, ...]:
    request = decision.outcome.request
    spans = None if request is None or request.whole is None else [*request.whole.messages]
    messages = [*decision.messages]
    return spans, [*decision.chain], decision.tokens_in, messages, decision.body


@examples(max_examples=max(examples().max_examples // 5, 1))
@given(least=st.integers(0, 65_600), dialects=st.permutations(("openai", "anthropic", "pi")))
def test_bodies_of_one_dialect_are_not_taken_for_those_of_another(least: int, dialects: list[str]) -> None:
    """The same bytes come as each of them."""
    engine = Engine(PATIENT)
    body = body_of([user("x" * least), *session("anthropic", 3, "y" * 40_000)])
    for dialect in dialects:
        assert seen(engine.prepare(body, dialect)) == seen(Engine(PATIENT).prepare(body, dialect))
