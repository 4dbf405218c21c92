"""The fake provider by the providers' own SDKs: whole tool loops over each API, and their errors as they know them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import anthropic
import openai
import pytest

from faithfold.core.values import as_object
from faithfold.testing import Asked, Call, FakeProvider, Refusal, Reply, says, sequence, tool_loop
from tests.sdks import (
    KEY,
    SYNC,
    History,
    Turn,
    chat_sync,
    messages_sync,
    messages_turn,
    responses_sync,
    responses_tools,
    responses_turn,
    turn,
)

if TYPE_CHECKING:
    from openai.types.responses import ResponseInputParam

HI: History = [{"role": "user", "content": "hi"}]


def reads(asked: Asked) -> Call:
    return Call("read", {"path": f"src/größe/语 {asked.rounds}.py"})


@pytest.mark.parametrize("wait", [True, False], ids=["sync", "async"])
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("dialect", SYNC)
def test_a_tool_loop(dialect: str, stream: bool, wait: bool) -> None:
    history: History = [{"role": "user", "content": "Read the files."}]
    turns: list[Turn] = []
    with FakeProvider(tool_loop(reads, 3, "Done: größe, 语, 🎉."), strict_faults=True) as provider:
        while not turns or turns[-1].paths:
            turns.append(turn(dialect, provider.url, history, stream=stream, wait=wait))
            history += turns[-1].history
    assert [told.text for told in turns] == ["Round 1.", "Round 2.", "Round 3.", "Done: größe, 语, 🎉."]
    assert [path for told in turns for path in told.paths] == [f"src/größe/语 {number}.py" for number in range(3)]
    assert [(asked.dialect, asked.rounds, asked.turns) for asked in provider.asked] == [
        (dialect, rounds, rounds) for rounds in range(4)
    ]
    assert [told.tokens_in for told in turns] == [asked.tokens for asked in provider.asked]
    assert [received.status for received in provider.requests] == [200] * 4


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("dialect", SYNC)
def test_several_calls_at_once_and_thinking(dialect: str, stream: bool) -> None:
    calls = [Call("read", {"path": "a"}), Call("read", {"path": "b"})]
    with FakeProvider(says("")) as quiet:
        assert turn(dialect, quiet.url, HI, stream=stream, wait=True).text == ""
    with FakeProvider(lambda _: Reply("Two.", "Which ones?", calls, tokens_in=77), strict_faults=True) as provider:
        history: History = [{"role": "user", "content": "hi"}]
        told = turn(dialect, provider.url, history, stream=stream, wait=True)
        turn(dialect, provider.url, [*history, *told.history], stream=stream, wait=True)
    assert (told.text, told.paths, told.tokens_in) == ("Two.", ["a", "b"], 77)
    assert "Which ones?" in json.dumps(told.history)
    assert provider.asked[1].rounds == 1


def test_responses_go_on_from_a_stored_response() -> None:
    with (
        FakeProvider(tool_loop(reads, 1), strict_faults=True) as provider,
        openai.OpenAI(base_url=f"{provider.url}/v1", api_key=KEY, max_retries=0) as client,
    ):
        first = client.responses.create(model="m", input="hi", tools=responses_tools())
        told = responses_turn(first)
        more = cast("ResponseInputParam", told.history[-1:])
        second = client.responses.create(model="m", input=more, previous_response_id=first.id, store=False)
        with pytest.raises(openai.BadRequestError) as refused:
            client.responses.create(model="m", input="hi", previous_response_id=second.id)
    assert second.output_text == "done"
    kinds = [as_object(item).get("type") for item in provider.asked[1].messages]
    assert kinds == [None, "message", "function_call", "function_call_output"]
    assert provider.asked[1].rounds == 1
    assert refused.value.code == "previous_response_not_found"


def test_models_and_counts() -> None:
    with FakeProvider(says("hi"), models=["one", "two"]) as provider:
        with openai.OpenAI(base_url=f"{provider.url}/v1", api_key=KEY) as client:
            assert [model.id for model in client.models.list()] == ["one", "two"]
        with anthropic.Anthropic(base_url=provider.url, api_key=KEY) as other:
            assert [model.id for model in other.models.list()] == ["one", "two"]
            counted = other.messages.count_tokens(model="m", messages=[{"role": "user", "content": "word " * 100}])
    assert 100 < counted.input_tokens < 200
    assert provider.asked == []


# ---------------------------------------------------------------- errors

ANTHROPIC: Sequence[tuple[Refusal, type[anthropic.APIStatusError], int, str]] = [
    (Refusal("overflow"), anthropic.BadRequestError, 400, "prompt is too long: "),
    (Refusal("too large"), anthropic.RequestTooLargeError, 413, "request_too_large"),
    (Refusal("invalid", message="no such model"), anthropic.BadRequestError, 400, "no such model"),
    (Refusal("rate limit"), anthropic.RateLimitError, 429, "rate_limit_error"),
    (Refusal("quota"), anthropic.BadRequestError, 400, "credit balance"),
    (Refusal("server error"), anthropic.InternalServerError, 500, "api_error"),
    (Refusal("overloaded"), anthropic.OverloadedError, 529, "overloaded_error"),
]
OPENAI: Sequence[tuple[Refusal, type[openai.APIStatusError], int, str | None]] = [
    (Refusal("overflow"), openai.BadRequestError, 400, "context_length_exceeded"),
    (Refusal("too large"), openai.APIStatusError, 413, "request_too_large"),
    (Refusal("invalid"), openai.BadRequestError, 400, None),
    (Refusal("rate limit"), openai.RateLimitError, 429, "rate_limit_exceeded"),
    (Refusal("quota"), openai.RateLimitError, 429, "insufficient_quota"),
    (Refusal("server error"), openai.InternalServerError, 500, None),
    (Refusal("overloaded", status=529), openai.InternalServerError, 529, None),
]


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("row", ANTHROPIC, ids=lambda row: row[0].trouble)
def test_errors_of_anthropic(row: tuple[Refusal, type[anthropic.APIStatusError], int, str], stream: bool) -> None:
    refusal, kind, status, words = row
    with FakeProvider(lambda _: refusal) as provider, pytest.raises(kind, match=words) as raised:
        messages_sync(provider.url, HI, stream=stream)
    assert raised.value.status_code == provider.requests[0].status == status
    assert (raised.value.response.headers.get("retry-after") is not None) == (refusal.trouble == "rate limit")


@pytest.mark.parametrize("api", [chat_sync, responses_sync], ids=["chat", "responses"])
@pytest.mark.parametrize("row", OPENAI, ids=lambda row: row[0].trouble)
def test_errors_of_openai(row: tuple[Refusal, type[openai.APIStatusError], int, str | None], api: Api) -> None:
    refusal, kind, status, code = row
    with FakeProvider(lambda _: refusal) as provider, pytest.raises(kind) as raised:
        api(provider.url, HI, stream=False)
    assert (raised.value.status_code, raised.value.code) == (status, code)
    assert (raised.value.response.headers.get("retry-after") is not None) == (refusal.trouble == "rate limit")


Api = Callable[..., Turn]


@pytest.mark.parametrize("dialect", SYNC)
def test_an_error_inside_a_stream(dialect: str) -> None:
    script = sequence(Reply("Half", breaks=Refusal("overloaded")))
    with (
        FakeProvider(script) as provider,
        pytest.raises((anthropic.APIStatusError, openai.APIError), match="verloaded"),
    ):
        SYNC[dialect](provider.url, HI, stream=True)
    assert provider.requests[0].status == 200


def test_the_sdks_try_again() -> None:
    with (
        FakeProvider(sequence(Refusal("server error"), says("hi"))) as provider,
        anthropic.Anthropic(base_url=provider.url, api_key=KEY, max_retries=1) as client,
    ):
        told = client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert messages_turn(told).text == "hi"
    assert [received.status for received in provider.requests] == [500, 200]
