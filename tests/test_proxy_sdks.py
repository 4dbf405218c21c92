"""The providers' own SDKs through the proxy: overflows, errors as they know them, and what only passes through."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Generator
from contextlib import contextmanager

import anthropic
import openai
import pytest
import uvloop

from faithfold.proxy.app import App, create_app
from faithfold.proxy.logs import Log
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from faithfold.testing import Asked, Call, FakeProvider, Refusal, Reply
from faithfold.testing.model import Overflow
from faithfold.testing.scripts import says, tool_loop
from tests.sdks import KEY, SYNC, loop
from tests.wires import served

ROUNDS = 9
WINDOW = 500  # tokens


@contextmanager
def through(provider: FakeProvider, **settings: object) -> Generator[tuple[str, App]]:
    """A proxy before a fake provider, in a thread of its own: its address, and the app."""
    known = {"anthropic_upstream": provider.url, "openai_upstream": provider.url, "keep_recent": 1}
    made = ProxySettings(**{**known, **settings})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    engine = Engine(made.engine())
    app = create_app(made, engine, watching=Watching(engine, made, log=Log(file=io.StringIO())))
    ready, over, urls = threading.Event(), threading.Event(), list[str]()

    async def serve() -> None:
        async with served(app) as url:
            urls.append(url)
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=uvloop.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield urls[0], app
    finally:
        over.set()
        thread.join()


def reads(asked: Asked) -> Call:
    return Call("read", {"path": f"src/größe/语 {asked.rounds}.py"})


@pytest.mark.parametrize("overflow", ["400", "413", "stream"])
@pytest.mark.parametrize("dialect", SYNC)
def test_b055_b056_an_overflow_goes_unnoticed(dialect: str, overflow: Overflow) -> None:
    script = tool_loop(reads, ROUNDS, "Done.")
    with (
        FakeProvider(script, window=WINDOW, overflow=overflow, strict_faults=True) as provider,
        through(provider, threshold_tokens=WINDOW * 3 // 2) as (url, app),
    ):
        turns = loop(dialect, url, stream=overflow == "stream", wait=True)
    assert (turns[-1].text, len(turns)) == ("Done.", ROUNDS + 1)
    assert app.watching.status.totals.replays >= 1
    assert app.watching.status.totals.failures == 0


def hello(client: anthropic.Anthropic) -> anthropic.types.Message:
    return client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])


def test_b094_a_rate_limit_is_what_the_sdk_says_it_is() -> None:
    refusal = Refusal(trouble="rate limit")
    with FakeProvider(lambda _: refusal) as provider, through(provider) as (url, _):
        client = anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0)
        with client, pytest.raises(anthropic.RateLimitError) as raised:
            hello(client)
        assert (raised.value.response.headers["retry-after"], len(provider.requests)) == ("1", 1)


def test_strict_is_an_overflow_to_the_sdks() -> None:
    with FakeProvider(says("no")) as provider, through(provider, strict=True, threshold_tokens=1) as (url, _):
        with anthropic.Anthropic(base_url=url, api_key=KEY) as client, pytest.raises(anthropic.BadRequestError):
            hello(client)
        with openai.OpenAI(base_url=f"{url}/v1", api_key=KEY) as chat, pytest.raises(openai.BadRequestError) as raised:
            chat.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        assert (raised.value.code, provider.requests) == ("context_length_exceeded", [])


def test_lists_and_counts_pass() -> None:
    with FakeProvider(says("no"), models=("one", "two")) as provider, through(provider, threshold_tokens=1) as (url, _):
        with anthropic.Anthropic(base_url=url, api_key=KEY) as client:
            assert (
                client.messages.count_tokens(model="m", messages=[{"role": "user", "content": "hi"}]).input_tokens > 1
            )
        with openai.OpenAI(base_url=f"{url}/v1", api_key=KEY) as chat:
            assert [model.id for model in chat.models.list()] == ["one", "two"]


def test_b089_a_stream_that_is_left_is_closed_at_the_provider() -> None:
    words = Reply("word " * 100_000)
    with FakeProvider(lambda _: words) as provider, through(provider) as (url, _):
        client = anthropic.Anthropic(base_url=url, api_key=KEY)
        stream = client.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
        with client, stream as events:
            next(iter(events))
        assert provider.requests[0].wait(1)
        assert provider.requests[0].hung_up
