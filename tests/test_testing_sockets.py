"""The Responses API of the fake provider over a WebSocket, by the `websockets` library and by OpenAI's SDK."""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import httpx2
import openai
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from faithfold.core.values import as_list, as_object, as_text
from faithfold.testing import Asked, Call, Delivery, FakeProvider, Raw, Refusal, Reply, says, sequence, tool_loop
from tests.posting import raw
from tests.sdks import KEY, responses_tools

Event = dict[str, object]
USER: Event = {"role": "user", "content": "hi"}


@contextmanager
def opened(provider: FakeProvider, path: str = "/v1/responses") -> Generator[ClientConnection]:
    with connect(provider.url.replace("http", "ws") + path, max_size=None) as line:
        yield line


def ask(line: ClientConnection, *items: Event, **fields: object) -> list[Event]:
    """One request; all events that answer it."""
    line.send(json.dumps({"type": "response.create", "model": "m", "input": items, "store": False, **fields}))
    return answer(line)


def answer(line: ClientConnection) -> list[Event]:
    events: list[Event] = []
    while not events or not is_last(events[-1]):
        events.append(json.loads(line.recv(timeout=10)))
    return events


def is_last(event: Event) -> bool:
    """An error inside a stream is followed by the failed response; a refusal, which has a status, by nothing."""
    return event["type"] in ("response.completed", "response.failed") or "status" in event


def id_of(events: Sequence[Event]) -> str:
    return as_text(as_object(events[-1]["response"])["id"])


def output_of(events: Sequence[Event]) -> Sequence[object]:
    return as_list(as_object(events[-1]["response"])["output"])


def code_of(events: Sequence[Event]) -> object:
    return as_object(events[-1]["error"])["code"]


def test_a_tool_loop_in_increments() -> None:
    with FakeProvider(tool_loop(Call("read", {"path": "a"}), 2), strict_faults=True) as provider:
        with opened(provider) as line:
            events = ask(line, USER, tools=responses_tools())
            for _ in range(2):
                [call] = [item for item in map(as_object, output_of(events)) if item["type"] == "function_call"]
                result: Event = {"type": "function_call_output", "call_id": call["call_id"], "output": "x"}
                events = ask(line, result, previous_response_id=id_of(events), tools=responses_tools())
        assert provider.requests[0].wait()
    assert [as_object(item)["type"] for item in output_of(events)] == ["message"]
    assert [(asked.rounds, asked.turns, len(asked.messages)) for asked in provider.asked] == [
        (0, 0, 1),
        (1, 1, 4),
        (2, 2, 7),
    ]
    assert [asked.body.get("previous_response_id") for asked in provider.asked] == [None] * 3
    usage = as_object(as_object(events[-1]["response"])["usage"])
    assert usage["input_tokens"] == provider.asked[2].tokens
    assert [(seen.status, seen.websocket) for seen in provider.requests] == [(101, True), *[(200, True)] * 3]
    assert as_object(provider.requests[2].json())["previous_response_id"] == "resp_000001_round1"


def test_the_events_are_those_of_a_stream() -> None:
    script = sequence(Reply("Some words.", "A thought.", [Call("read", {"path": "a"}), Call("exec", "free text")]))
    with FakeProvider(script) as provider, opened(provider) as line:
        events = ask(line, USER)
        streamed = httpx2.post(f"{provider.url}/v1/responses", json={"model": "m", "input": [USER], "stream": True})
    told = [line[6:] for line in streamed.text.splitlines() if line.startswith("data: ")]
    assert [event["type"] for event in events] == [json.loads(each)["type"] for each in told]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    deltas = [as_text(event["delta"]) for event in events if event["type"] == "response.custom_tool_call_input.delta"]
    assert "".join(deltas) == "free text"


def test_a_warm_up_says_nothing_and_can_be_gone_on_from() -> None:
    with FakeProvider(says("hi"), strict_faults=True) as provider, opened(provider) as line:
        events = ask(line, generate=False, tools=responses_tools())
        told = ask(line, USER, previous_response_id=id_of(events))
    assert [event["type"] for event in events] == ["response.created", "response.in_progress", "response.completed"]
    assert (output_of(events), len(output_of(told))) == ([], 1)
    assert [asked.warms_up for asked in provider.asked] == [True, False]


def test_a_compaction_is_exactly_one_item() -> None:
    def never(asked: Asked) -> Reply:
        raise AssertionError(asked)

    with FakeProvider(never) as provider, opened(provider) as line:
        events = ask(line, USER, {"type": "compaction_trigger"})
    [item] = output_of(events)
    done = [as_object(event["item"]) for event in events if event["type"] == "response.output_item.done"]
    assert (done, as_object(item)["type"]) == ([item], "compaction")


def test_a_connection_remembers_its_latest_response_alone() -> None:
    with FakeProvider(says("hi")) as provider, opened(provider) as line, opened(provider) as other:
        first = id_of(ask(line, USER))
        second = id_of(ask(line, USER, previous_response_id=first))
        assert code_of(ask(other, USER, previous_response_id=second)) == "previous_response_not_found"
        assert code_of(ask(line, USER, previous_response_id=first)) == "previous_response_not_found"
        third = id_of(ask(line, USER, previous_response_id=second, store=True))
        assert id_of(ask(other, USER, previous_response_id=third))


def test_a_response_is_forgotten_when_going_on_from_it_fails() -> None:
    failing = sequence(says("hi"), Refusal("server error"), says("hi"))
    with FakeProvider(failing) as provider, opened(provider) as line:
        first = id_of(ask(line, USER))
        assert ask(line, USER, previous_response_id=first)[-1]["status"] == 500
        assert code_of(ask(line, USER, previous_response_id=first)) == "previous_response_not_found"


def test_refusals_are_error_events() -> None:
    script = sequence(Refusal("rate limit"), Reply("Half", breaks=Refusal("overflow")))
    with FakeProvider(script, window=10_000) as provider, opened(provider) as line:
        [limited] = ask(line, USER)
        [too_long] = ask(line, {**USER, "content": "word " * 10_000})
        broken = ask(line, USER)
        line.send("no json")
        [odd] = answer(line)
    assert (limited["status"], as_object(limited["headers"])["retry-after"]) == (429, "1")
    assert (too_long["status"], code_of([too_long])) == (400, "context_length_exceeded")
    assert [event["type"] for event in broken[-2:]] == ["error", "response.failed"]
    assert (
        code_of(broken[:-1])
        == as_object(as_object(broken[-1]["response"])["error"])["code"]
        == "context_length_exceeded"
    )
    assert (odd["status"], as_object(odd["error"])["type"]) == (400, "invalid_request_error")
    assert [seen.status for seen in provider.requests] == [101, 429, 400, 200, 400]


@pytest.mark.parametrize(("delivery", "seen"), [(Delivery(die_after=2), 2), (Delivery(hang_up=True), 0)])
def test_a_connection_dies(delivery: Delivery, seen: int) -> None:
    events: list[object] = []
    with FakeProvider(says("hi"), delivery=delivery) as provider, opened(provider) as line:
        line.send(json.dumps({"type": "response.create", "model": "m", "input": [USER]}))
        with pytest.raises(ConnectionClosed):
            events.extend(iter(lambda: line.recv(timeout=10), None))
        assert provider.requests[1].wait()
    assert len(events) == seen
    assert not provider.requests[1].hung_up


def test_a_client_that_leaves_is_noticed() -> None:
    with FakeProvider(says("hi"), delivery=Delivery(pause=math.inf)) as provider:
        with opened(provider) as line:
            line.send(json.dumps({"type": "response.create", "model": "m", "input": [USER]}))
            line.recv(timeout=10)
        assert provider.requests[1].wait()
        assert provider.requests[0].wait()
    assert [seen.hung_up for seen in provider.requests] == [False, True]


def test_a_provider_without_websockets_asks_for_http() -> None:
    with FakeProvider(says("hi"), websockets=False) as provider, pytest.raises(InvalidStatus) as refused:
        connect(provider.url.replace("http", "ws") + "/v1/responses")
    assert refused.value.response.status_code == provider.requests[0].status == 426
    assert b"upgrade_required" in (refused.value.response.body or b"")


def test_other_paths_echo_each_message() -> None:
    with FakeProvider(says("hi")) as provider, opened(provider, "/v1/realtime?a=%20b") as line:
        for message in ("größe", b"\xff\x00", "x" * 2_000_000):
            line.send(message)
            assert line.recv(timeout=10) == message
    assert {seen.target for seen in provider.requests} == {b"/v1/realtime?a=%20b"}
    assert [seen.body for seen in provider.requests[:2]] == [b"", "größe".encode()]


def test_any_answer_can_be_given_as_it_stands() -> None:
    with FakeProvider(sequence(Raw([b"no json", b"{}"]))) as provider, opened(provider) as line:
        line.send('{"type":"response.create","input":[]}')
        assert [line.recv(timeout=10), line.recv(timeout=10)] == ["no json", "{}"]


def test_a_bad_opening_is_refused() -> None:
    with FakeProvider(says("hi")) as provider:
        told = b"GET /v1/responses HTTP/1.1\r\nhost: h\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
        assert raw(provider, told).startswith(b"HTTP/1.1 400 ")
    assert provider.requests == []


@pytest.mark.filterwarnings("ignore:connect.* must be used as a context manager")  # so the SDK calls `websockets`
def test_the_sdk_of_openai_speaks_it() -> None:
    with (
        FakeProvider(tool_loop(Call("read", {"path": "a"}), 1)) as provider,
        openai.OpenAI(base_url=f"{provider.url}/v1", api_key=KEY) as client,
        client.responses.connect() as line,
    ):
        line.response.create(model="m", input="hi", tools=responses_tools())
        first = next(event.response for event in line if event.type == "response.completed")
        [call] = [item for item in first.output if item.type == "function_call"]
        line.response.create(
            model="m",
            previous_response_id=first.id,
            input=[{"type": "function_call_output", "call_id": call.call_id, "output": "x"}],
        )
        second = next(event.response for event in line if event.type == "response.completed")
    assert second.output_text == "done"
    assert provider.asked[1].rounds == 1
