"""Tool loops that the SDKs take by themselves: the caller gives a function, and gets the model's turns.

Anthropic's `tool_runner` and OpenAI's `ResponsesToolRunner`, as users run them: sync and async, streamed and not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import anthropic
import openai
from anthropic import beta_async_tool, beta_tool
from anthropic.lib.streaming import BetaAsyncMessageStream, BetaMessageStream
from anthropic.types.beta import BetaMessage, BetaMessageParam
from openai.lib.responses_tool_runner import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    RegisteredFunction,
    ResponsesToolRunner,
)
from openai.types.responses import FunctionToolParam, Response
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

from tests.sdks import KEY, SCHEMA

TASK = "Read the files."
RESULT = "语 text"

ASKED: list[BetaMessageParam] = [{"role": "user", "content": TASK}]
TOOL: FunctionToolParam = {"type": "function", "name": "read", "parameters": SCHEMA, "strict": False}
PARAMS: ResponseCreateParamsNonStreaming = {"model": "m", "input": [{"role": "user", "content": TASK}]}


@dataclass(frozen=True)
class Heard:
    """A turn of the model, as the caller gets it: its text, and the usage."""

    text: str
    tokens_in: int


# ---------------------------------------------------------------- Anthropic


def tool_runner(url: str, *, stream: bool) -> list[Heard]:

    @beta_tool
    def read(path: str) -> str:
        """Reads a file.

        Args:
            path: of the file.
        """
        return f"{RESULT} {path}"

    with anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0) as client:
        runner = client.beta.messages.tool_runner(
            model="m", max_tokens=9, messages=ASKED, tools=[read], stream=stream, thread=False
        )
        return [_heard(each.get_final_message() if isinstance(each, BetaMessageStream) else each) for each in runner]


def async_tool_runner(url: str, *, stream: bool) -> list[Heard]:
    @beta_async_tool
    async def read(path: str) -> str:
        """Reads a file.

        Args:
            path: of the file.
        """
        return f"{RESULT} {path}"

    async def loop() -> list[Heard]:
        async with anthropic.AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0) as client:
            runner = client.beta.messages.tool_runner(
                model="m", max_tokens=9, messages=ASKED, tools=[read], stream=stream, thread=False
            )
            return [
                _heard(await each.get_final_message() if isinstance(each, BetaAsyncMessageStream) else each)
                async for each in runner
            ]

    return asyncio.run(loop())


def _heard(message: BetaMessage) -> Heard:
    return Heard("".join(block.text for block in message.content if block.type == "text"), message.usage.input_tokens)


# ---------------------------------------------------------------- OpenAI


def responses_runner(url: str, *, stream: bool) -> list[Heard]:
    runner = ResponsesToolRunner(functions=[RegisteredFunction(TOOL, lambda told: f"{RESULT} {told}")])
    with openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        return [_responded(turn.response) for turn in runner.iterate(client, PARAMS, stream=stream, max_steps=99)]


def async_responses_runner(url: str, *, stream: bool) -> list[Heard]:
    async def read(told: dict[str, object]) -> str:
        return f"{RESULT} {told}"

    async def loop() -> list[Heard]:
        runner = AsyncResponsesToolRunner(functions=[AsyncRegisteredFunction(TOOL, read)])
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
            turns = runner.iterate(client, PARAMS, stream=stream, max_steps=99)
            return [_responded(turn.response) async for turn in turns]

    return asyncio.run(loop())


def _responded(response: Response) -> Heard:
    assert response.usage is not None
    return Heard(response.output_text, response.usage.input_tokens)


RUNNERS: Mapping[str, Callable[..., list[Heard]]] = {
    "anthropic": tool_runner,
    "anthropic, async": async_tool_runner,
    "openai": responses_runner,
    "openai, async": async_responses_runner,
}
