"""An engine that is sent a growing history, request after request: what it sends in place of each.

Source: spec 10-cliff, Engine; spec 90-decisions (the prefix law); faults B061, B078 to B083, B104 to B106, B109, B121.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import faithfold as ff
from faithfold.core.values import as_list, as_object, is_list, is_object
from faithfold.dialects import DIALECTS
from faithfold.resending import Decision, Engine
from faithfold.wire import split
from tests.generate.conversations import DIALECT_NAMES, Case, any_json, legal, odd
from tests.laws.running import text_of
from tests.providers import problems
from tests.resending import body_of, wire

every_dialect = pytest.mark.parametrize("dialect", DIALECT_NAMES)
# Each example is a whole session of requests.
sessions_each = examples(max_examples=max(examples().max_examples // 3, 1))


@dataclass(frozen=True)
class Session:
    """A conversation that grows past its threshold, and how it is compacted."""

    case: Case
    settings: ff.EngineSettings

    def bodies(self) -> Iterator[dict[str, object]]:
        return (body_of(self.case.dialect, history) for history in self.case.grown())

    def decisions(self, engine: Engine) -> Iterator[Decision]:
        return (engine.prepare(wire(body), self.case.dialect) for body in self.bodies())


@st.composite
def sessions(draw: st.DrawFn, dialect: str, cases: st.SearchStrategy[Case] | None = None) -> Session:
    case = draw(legal(dialect, least=2, most=12) if cases is None else cases)
    total = ff.Sizer().tokens(body_of(dialect, case.messages))
    settings = ff.EngineSettings(
        threshold_tokens=total // draw(st.integers(1, 8)),
        keep_recent=draw(st.integers(0, 3)),
        result_max_chars=draw(st.sampled_from((500, 100))),
        strict=draw(st.booleans()),
    )
    return Session(case, settings)


@every_dialect
@sessions_each
@given(data=st.data())
def test_bytes_and_objects_come_to_the_same(dialect: str, data: st.DataObject) -> None:
    session = data.draw(sessions(dialect))
    objects = Engine(session.settings)
    for body, told in zip(session.bodies(), session.decisions(Engine(session.settings)), strict=True):
        made = objects.prepare(body, dialect)
        assert text_of(json.loads(told.body)) == text_of(json.loads(made.body))
        assert text_of(told.messages) == text_of(made.messages)
        assert text_of(as_object(json.loads(told.body)).get(DIALECTS[dialect].messages_key)) == text_of(told.messages)
        for name in ("modified", "compacted", "rung", "over_budget", "tokens_in", "tokens_out", "cut", "chain"):
            assert getattr(told, name) == getattr(made, name)
        assert (told.tokens_in, told.tokens_out) == tuple(map(ff.estimate_tokens, (body, json.loads(told.body))))


@every_dialect
@sessions_each
@given(data=st.data())
def test_what_is_kept_is_the_clients_own_bytes(dialect: str, data: st.DataObject) -> None:
    session = data.draw(sessions(dialect))
    for body, made in zip(session.bodies(), session.decisions(Engine(session.settings)), strict=True):
        came = split(wire(body), DIALECTS[dialect].messages_key)
        goes = split(made.body, DIALECTS[dialect].messages_key)
        assert came is not None
        assert goes is not None
        assert goes.rest == came.rest
        own = [came.message(index) for index in range(len(came.messages))]
        sent = [goes.message(index) for index in range(len(goes.messages))]
        assert sent[: made.head_len] == own[: made.head_len]
        assert sent[len(sent) - (len(own) - made.cut) :] == own[made.cut :]
        assert sum(text not in own for text in sent) <= 1  # the note


@every_dialect
@sessions_each
@given(data=st.data())
def test_a_request_that_is_left_alone_is_the_same_object(dialect: str, data: st.DataObject) -> None:
    session = data.draw(sessions(dialect))
    engine = Engine(session.settings)
    for body in session.bodies():
        raw = wire(body)
        made = engine.prepare(raw, dialect)
        assert (made.body is raw) == (not made.modified)


@every_dialect
@sessions_each
@given(data=st.data())
def test_nothing_moves_between_two_drops(dialect: str, data: st.DataObject) -> None:
    """The prefix law, for a client that repeats its bytes."""
    session = data.draw(sessions(dialect))
    before, emergency = b"", False  # what an emergency made is for its request alone
    for made in session.decisions(Engine(session.settings)):
        found = split(made.body, DIALECTS[dialect].messages_key)
        assert found is not None
        array = made.body[found.array[0] : found.messages[-1][1] if found.messages else found.array[1]]
        assert array.startswith(before) or made.prefix == "drop"
        assert made.prefix != "drop" or made.compacted or emergency
        before, emergency = array, made.rung > 0


@every_dialect
@sessions_each
@given(data=st.data())
def test_moved_markers_and_flipped_texts_change_nothing(dialect: str, data: st.DataObject) -> None:
    """Also for a client that marks its newest message and says a text in two ways: its history is known (B083)."""
    session = data.draw(sessions(dialect))
    engine = Engine(session.settings)
    for number, body in enumerate(session.bodies()):
        told = engine.prepare(wire(body), dialect)
        made = engine.prepare(wire(marked(body, dialect, number)), dialect)
        if told.rung or told.over_budget or made.over_budget or made.compacted:
            return  # markers have a size too
        assert (made.cut, made.head_len, made.summary) == (told.cut, told.head_len, told.summary)
        assert made.chain == told.chain
        assert [text_of(unmarked(one)) for one in made.messages] == [text_of(unmarked(one)) for one in told.messages]


def marked(body: dict[str, object], dialect: str, number: int) -> dict[str, object]:
    """The body as such a client sends it the next time."""
    told = copy.deepcopy(body)
    messages = [as_object(message) for message in as_list(told[DIALECTS[dialect].messages_key])]
    if dialect != "anthropic":
        return told
    for place, message in enumerate(messages):
        content = message.get("content")
        if isinstance(content, str) and (number + place) % 2 and isinstance(message, dict):
            message["content"] = [{"type": "text", "text": content}]
    last = as_list(messages[-1].get("content"))
    if last and isinstance(last[-1], dict):
        last[-1]["cache_control"] = {"type": "ephemeral"}
    return told


def unmarked(value: object) -> object:
    """A message without markers, its text a list of blocks."""
    if is_list(value):
        return [unmarked(inner) for inner in value]
    if not is_object(value):
        return value
    content = value.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) and "role" in value else content
    fields = {**value, "content": blocks} if "content" in value else value
    return {name: unmarked(inner) for name, inner in fields.items() if name != "cache_control"}


@every_dialect
@sessions_each
@given(data=st.data())
def test_legal_in_legal_out_and_never_larger(dialect: str, data: st.DataObject) -> None:
    session = data.draw(sessions(dialect))
    for body, made in zip(session.bodies(), session.decisions(Engine(session.settings)), strict=True):
        assert (ff.faults([*made.messages], dialect), problems(dialect, [*made.messages])) == ([], [])
        assert made.tokens_out <= made.tokens_in == ff.estimate_tokens(body)
        assert made.over_budget == (made.tokens_out > (session.settings.threshold_tokens or 0))


@every_dialect
@sessions_each
@given(data=st.data())
def test_after_a_restart_the_same_is_sent(dialect: str, data: st.DataObject) -> None:
    """An engine that has seen nothing comes to the same, as long as no rung was needed (fault B121).

    Not where a request ended just below the threshold: fed message by message, as the oracle does it, the separator
    after the last message counts too.
    """
    session = data.draw(sessions(dialect))
    again = session.decisions(Engine(session.settings))
    for body, made in zip(session.bodies(), session.decisions(Engine(session.settings)), strict=True):
        assert next(again).body == made.body
        just_below = made.tokens_out + 1 >= (session.settings.threshold_tokens or 0)
        if made.rung or just_below:
            return
        assert Engine(session.settings).prepare(wire(body), dialect).body == made.body


@every_dialect
@sessions_each
@given(data=st.data())
def test_each_answer_to_an_overflow_is_smaller_and_legal(dialect: str, data: st.DataObject) -> None:
    session = data.draw(sessions(dialect))
    engine = Engine(session.settings)
    last = list(session.decisions(engine))[-1]
    for _ in range(4):
        tried = engine.overflow(last)
        if tried is None:
            return
        assert (tried.tokens_out, tried.rung) != (last.tokens_out, last.rung)
        assert tried.tokens_out <= last.tokens_out
        assert (ff.faults([*tried.messages], dialect), problems(dialect, [*tried.messages])) == ([], [])
        last = tried
    assert engine.overflow(last) is None


@every_dialect
@sessions_each
@given(data=st.data())
def test_odd_conversations_are_compacted_too(dialect: str, data: st.DataObject) -> None:
    """What of them is legal stays legal; the others do no harm."""
    session = data.draw(sessions(dialect, odd(dialect)))
    for body, made in zip(session.bodies(), session.decisions(Engine(session.settings)), strict=True):
        came = as_list(body[DIALECTS[dialect].messages_key])
        if not ff.faults([*came], dialect) and not problems(dialect, came):
            assert (ff.faults([*made.messages], dialect), problems(dialect, made.messages)) == ([], [])
        assert made.tokens_out <= made.tokens_in


@every_dialect
@given(value=any_json(), fields=st.dictionaries(st.sampled_from(("messages", "input", "model")), any_json()))
def test_no_value_makes_it_raise(dialect: str, value: object, fields: dict[str, object]) -> None:
    engine = Engine(ff.EngineSettings(threshold_tokens=1))
    for body in (value, fields, [fields], {"messages": [value], "input": [value, value]}):
        raw = json.dumps(body).encode()
        assert not engine.prepare(raw, dialect).modified
        assert engine.prepare(raw, dialect).body is raw
        if is_object(body):
            assert text_of(json.loads(engine.prepare(body, dialect).body)) == text_of(json.loads(raw))


@every_dialect
@given(raw=st.binary())
def test_no_bytes_make_it_raise(dialect: str, raw: bytes) -> None:
    engine = Engine(ff.EngineSettings(threshold_tokens=1))
    for body in (raw, b'{"messages":[' + raw + b'],"input":[' + raw + b"]}"):
        made = engine.prepare(body, dialect)
        assert (made.body is body, made.modified, engine.overflow(made)) == (True, False, None)
