"""A request: its messages are parsed when somebody looks, known ones not at all, and sized as the whole is."""

from __future__ import annotations

import json

import pytest

from faithfold.core.errors import InputError
from faithfold.core.identity import chain
from faithfold.core.sizes import Sizer
from faithfold.dialects import DIALECTS
from faithfold.engine.recognition import Recognition
from faithfold.engine.request import Parsed, of_bytes, of_dict
from faithfold.wire import split
from tests.pieces import STEPS, digest_of, res, says, session, use, user
from tests.resending import body_of, wire

TOLD = [user("task"), says(use(1), use(2)), user(res(1), res(2))]


def test_messages_are_parsed_once_and_when_they_are_looked_at() -> None:
    whole = split(b'{"messages":[{"a":1},{"b":01},{"c":3}]}'.replace(b"01", b"10"), "messages")
    assert whole is not None
    parsed = Parsed(whole)
    assert len(parsed) == 3
    assert parsed[0] is parsed[0]
    assert parsed[-1] == {"c": 3}
    assert parsed[1:] == [{"b": 10}, {"c": 3}]
    assert [*parsed] == [{"a": 1}, {"b": 10}, {"c": 3}]
    with pytest.raises(IndexError):
        parsed[3]


@pytest.mark.parametrize("dialect", STEPS)
@pytest.mark.parametrize("steps", [0, 1, 400])
def test_both_ways_in_come_to_the_same(dialect: str, steps: int) -> None:
    """Also what is known already: the third is one that the memory has seen."""
    told = session(dialect, steps, "x" * 500)
    body, row, memory = body_of(dialect, told), DIALECTS[dialect], Recognition(10_000_000)
    made = [of_dict(body, row), *(of_bytes(wire(body), row, 7, memory) for _ in range(2))]
    for request in made:
        assert request is not None
        assert [*request.messages] == told
        assert [*request.chain] == chain(digest_of(dialect, message) for message in told)
        assert [*request.sizes] == [Sizer().quarters(message) for message in told]
        assert request.quarters == Sizer().quarters(body)
        assert (request.model, request.rest) == ("m", {**body, row.messages_key: []})
        assert [*request.conversation.messages] == told


def test_what_a_message_calls_and_answers_is_known() -> None:
    request = of_dict(body_of("anthropic", TOLD), DIALECTS["anthropic"])
    assert request is not None
    asked = tuple(known.calls for known in request.known)
    answered = tuple(known.results for known in request.known)
    assert asked == ((), answered[2], ())
    assert [name for _, name in answered[2]] == ["toolu_1", "toolu_2"]


@pytest.mark.parametrize("body", [{}, {"messages": "x"}, {"messages": {}}, {"input": []}])
def test_without_a_list_of_messages_there_is_no_request(body: dict[str, object]) -> None:
    row = DIALECTS["anthropic"]
    assert of_dict(body, row) is None
    assert of_bytes(json.dumps(body).encode(), row, 0, Recognition(1_000)) is None


@pytest.mark.parametrize("odd", [object(), {"role": "user", "content": [b"bytes"]}, {1: 1, "one": 2}])
def test_what_json_has_no_form_for_is_refused(odd: object) -> None:
    with pytest.raises(InputError, match=r"^not JSON: "):
        of_dict({"messages": [odd]}, DIALECTS["anthropic"])


def test_a_request_may_name_no_model() -> None:
    request = of_dict({"messages": [], "model": 3}, DIALECTS["anthropic"])
    assert request is not None
    assert (request.model, request.quarters) == ("", request.fixed)
