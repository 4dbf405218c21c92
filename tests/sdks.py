"""The providers' own SDKs, one turn at a time: sync and async, streamed and not, over each of the three APIs.

`turn` sends a history with one tool, `read`, and tells what the model said and what goes into the history. `loop` takes
turns until the model asks for nothing more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import anthropic
import openai

from faithfold.core.values import as_object, as_text

if TYPE_CHECKING:
    from anthropic.types import Message, MessageParam, ToolParam
    from openai.types.chat import (
        ChatCompletion,
        ChatCompletionMessageParam,
        ChatCompletionStreamOptionsParam,
        ChatCompletionToolParam,
    )
    from openai.types.responses import FunctionToolParam, Response, ResponseInputParam

History = list[object]
SCHEMA: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}}
KEY = "sk-fake"


@dataclass(frozen=True)
class Turn:
    """What the model said: its text, the paths that it asks to read, what goes into the history, and the usage."""

    text: str
    paths: Sequence[str]
    history: Sequence[object]
    tokens_in: int


def path_of(arguments: str) -> str:
    return as_text(as_object(json.loads(arguments)).get("path"))


# ---------------------------------------------------------------- Messages


def messages_turn(message: Message) -> Turn:
    calls = [block for block in message.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "语 text"} for call in calls]
    history: History = [{"role": "assistant", "content": [block.model_dump() for block in message.content]}]
    history += [{"role": "user", "content": results}] if results else []
    text = "".join(block.text for block in message.content if block.type == "text")
    return Turn(
        text, [as_text(as_object(call.input).get("path")) for call in calls], history, message.usage.input_tokens
    )


def messages_tools() -> list[ToolParam]:
    return [{"name": "read", "input_schema": SCHEMA}]


def messages_sync(url: str, history: History, *, stream: bool) -> Turn:
    told, tools = cast("list[MessageParam]", history), messages_tools()
    with anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0) as client:
        if not stream:
            return messages_turn(client.messages.create(model="m", max_tokens=9, messages=told, tools=tools))
        with client.messages.stream(model="m", max_tokens=9, messages=told, tools=tools) as events:
            return messages_turn(events.get_final_message())


async def messages_async(url: str, history: History, *, stream: bool) -> Turn:
    told, tools = cast("list[MessageParam]", history), messages_tools()
    async with anthropic.AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0) as client:
        if not stream:
            return messages_turn(await client.messages.create(model="m", max_tokens=9, messages=told, tools=tools))
        async with client.messages.stream(model="m", max_tokens=9, messages=told, tools=tools) as events:
            return messages_turn(await events.get_final_message())


# ---------------------------------------------------------------- Chat Completions


def chat_turn(completion: ChatCompletion) -> Turn:
    message = completion.choices[0].message
    calls = [call for call in message.tool_calls or [] if call.type == "function"]
    history: History = [message.model_dump(exclude_none=True)]
    history += [{"role": "tool", "tool_call_id": call.id, "content": "语 text"} for call in calls]
    assert completion.usage is not None
    paths = [path_of(call.function.arguments) for call in calls]
    return Turn(message.content or "", paths, history, completion.usage.prompt_tokens)


def chat_tools() -> list[ChatCompletionToolParam]:
    return [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}]


def chat_sync(url: str, history: History, *, stream: bool) -> Turn:
    told, tools = cast("list[ChatCompletionMessageParam]", history), chat_tools()
    with openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        if not stream:
            return chat_turn(client.chat.completions.create(model="m", messages=told, tools=tools))
        usage: ChatCompletionStreamOptionsParam = {"include_usage": True}
        with client.chat.completions.stream(model="m", messages=told, tools=tools, stream_options=usage) as events:
            return chat_turn(events.get_final_completion())


async def chat_async(url: str, history: History, *, stream: bool) -> Turn:
    told, tools = cast("list[ChatCompletionMessageParam]", history), chat_tools()
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        if not stream:
            return chat_turn(await client.chat.completions.create(model="m", messages=told, tools=tools))
        usage: ChatCompletionStreamOptionsParam = {"include_usage": True}
        streamed = client.chat.completions.stream(model="m", messages=told, tools=tools, stream_options=usage)
        async with streamed as events:
            return chat_turn(await events.get_final_completion())


# ---------------------------------------------------------------- Responses


def responses_turn(response: Response) -> Turn:
    calls = [item for item in response.output if item.type == "function_call"]
    history: History = [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in response.output]
    history += [{"type": "function_call_output", "call_id": call.call_id, "output": "语 text"} for call in calls]
    assert response.usage is not None
    return Turn(response.output_text, [path_of(call.arguments) for call in calls], history, response.usage.input_tokens)


def responses_tools() -> list[FunctionToolParam]:
    return [{"type": "function", "name": "read", "parameters": SCHEMA, "strict": False}]


def responses_sync(url: str, history: History, *, stream: bool) -> Turn:
    told, tools = cast("ResponseInputParam", history), responses_tools()
    with openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        if not stream:
            return responses_turn(client.responses.create(model="m", input=told, tools=tools))
        with client.responses.stream(model="m", input=told, tools=tools) as events:
            return responses_turn(events.get_final_response())


async def responses_async(url: str, history: History, *, stream: bool) -> Turn:
    told, tools = cast("ResponseInputParam", history), responses_tools()
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        if not stream:
            return responses_turn(await client.responses.create(model="m", input=told, tools=tools))
        async with client.responses.stream(model="m", input=told, tools=tools) as events:
            return responses_turn(await events.get_final_response())


# ---------------------------------------------------------------- the table

SYNC = {"anthropic": messages_sync, "openai": chat_sync, "openai-responses": responses_sync}
ASYNC = {"anthropic": messages_async, "openai": chat_async, "openai-responses": responses_async}


def turn(dialect: str, url: str, history: History, *, stream: bool, wait: bool) -> Turn:
    """One request, by the SDK's client that waits or by its async one."""
    if wait:
        return SYNC[dialect](url, history, stream=stream)
    return asyncio.run(ASYNC[dialect](url, history, stream=stream))


def loop(dialect: str, url: str, *, stream: bool, wait: bool) -> list[Turn]:
    """All turns of a client that does what the model asks for."""
    history: History = [{"role": "user", "content": "Read the files."}]
    turns: list[Turn] = []
    while not turns or turns[-1].paths:
        turns.append(turn(dialect, url, history, stream=stream, wait=wait))
        history += turns[-1].history
    return turns
