"""OpenAI's SDK over a WebSocket through the proxy."""

from __future__ import annotations

import asyncio

import openai
import pytest
from openai.types.responses import FunctionToolParam, ResponseInputParam

from faithfold.testing import FakeProvider
from tests.sdks import KEY
from tests.talks import LOOP, RESULT, SMALL, STEPS, WINDOW, fates, proxying
from tests.wires import run

TOOLS: list[FunctionToolParam] = [{"type": "function", "name": "read", "parameters": {}, "strict": False}]


def takes_the_loop(url: str) -> str:
    """A tool loop in increments, to its end; what the model says then."""
    with openai.OpenAI(base_url=f"{url}/v1", api_key=KEY) as client, client.responses.connect() as line:
        new: ResponseInputParam | str = "the task"
        previous: str | None = None
        while True:
            line.response.create(model="m", input=new, tools=TOOLS, store=False, previous_response_id=previous)
            told = next(event.response for event in line if event.type == "response.completed")
            calls = [item.call_id for item in told.output if item.type == "function_call"]
            if not calls:
                return told.output_text
            new = [{"type": "function_call_output", "call_id": call, "output": RESULT} for call in calls]
            previous = told.id


@pytest.mark.filterwarnings("ignore:connect.* must be used as a context manager")  # so the SDK calls `websockets`
def test_the_sdk_crosses_the_threshold_and_notices_nothing() -> None:
    with FakeProvider(LOOP, window=WINDOW, strict_faults=True) as provider:

        async def scenario() -> None:
            async with proxying(provider.url, **SMALL) as proxy:
                assert await asyncio.to_thread(takes_the_loop, proxy.url) == "done"
                assert fates(proxy).count("compacted") >= 2

        run(scenario())
    assert {received.status for received in provider.requests} == {101, 200}
    assert [asked.rounds for asked in provider.asked] == [*range(STEPS + 1)]
