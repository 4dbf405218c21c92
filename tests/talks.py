"""WebSockets for tests of the proxy: the proxy before a provider, and a client of the Responses API."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from faithfold.core.values import as_list, as_object, as_text
from faithfold.proxy.app import App, create_app
from faithfold.proxy.logs import Log
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from faithfold.testing import Call, FakeProvider, tool_loop
from tests.pieces import Wire, message
from tests.wires import served

Event = Mapping[str, object]
PATH = "/v1/responses"
MOST = 64 * 1024 * 1024
LAST = ("response.completed", "response.incomplete", "response.failed")

STEPS = 12
RESULT = "some result of a tool " * 40
THRESHOLD = 2_000
WINDOW = THRESHOLD * 10 // 6
SMALL: Wire = {"threshold_tokens": THRESHOLD, "keep_recent": 1}

TOOLS: Wire = {"tools": [{"type": "function", "name": "read", "parameters": {}}]}
LOOP = tool_loop(Call("read", {"path": "a"}), STEPS)
USER = message("user", "the task")


def step(number: int) -> list[object]:
    """A call and its result."""
    call = {"type": "function_call", "call_id": f"c{number}", "name": "read", "arguments": '{"path":"a"}'}
    return [call, {"type": "function_call_output", "call_id": f"c{number}", "output": RESULT}]


MORE = [item for number in range(STEPS) for item in step(number)]
HISTORY = [USER, *MORE]
"""A whole history, over the threshold, that can be made shorter."""

CLIENT: dict[str, Any] = {"max_size": None, "compression": None, "proxy": None, "close_timeout": 1}
SERVER = {"ws": "websockets-sansio", "ws_max_size": MOST, "ws_per_message_deflate": False, "ws_ping_interval": None}
"""What a server needs so that it adds nothing to WebSockets."""


@dataclass(frozen=True)
class Talk:
    """One WebSocket of a client."""

    line: ClientConnection

    async def ask(self, *items: object, **fields: object) -> list[Event]:
        """One request; all events that answer it."""
        await self.send(*items, **fields)
        return await self.answer()

    async def send(self, *items: object, **fields: object) -> None:
        """A request."""
        made = {"type": "response.create", "model": "m", "store": False, "input": list(items), **fields}
        await self.line.send(json.dumps({name: value for name, value in made.items() if value is not None}))

    async def answer(self) -> list[Event]:
        """The events up to the last one of an answer."""
        events: list[Event] = []
        while not events or not is_last(events[-1]):
            events.append(as_object(json.loads(await self.line.recv())))
        return events


@dataclass(frozen=True)
class SocketProxy:
    """A proxy that is served, and speaks WebSocket."""

    url: str
    app: App
    log: io.StringIO

    @asynccontextmanager
    async def talk(self, path: str = PATH, **headers: str) -> AsyncGenerator[Talk]:
        """A client's WebSocket; it has a key."""
        told = {"authorization": "Bearer sk-sesame", **{name.replace("_", "-"): told for name, told in headers.items()}}
        address = self.url.replace("http", "ws") + path
        async with connect(address, additional_headers=told, **CLIENT) as line:
            yield Talk(line)

    @property
    def ended(self) -> list[Event]:
        """What the log tells of each exchange."""
        lines = [as_object(json.loads(line)) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if "fate" in line]

    @property
    def notices(self) -> Sequence[object]:
        """What the status tells the user."""
        return as_list(self.app.watching.status.to_json(0)["notices"])


@asynccontextmanager
async def proxying(upstream: str, *, policy: object = "cliff", **settings: object) -> AsyncGenerator[SocketProxy]:
    """A proxy before an upstream."""
    known: dict[str, object] = {"threshold_tokens": 1_000_000, "max_body_bytes": MOST}
    known |= {"openai_upstream": upstream, "anthropic_upstream": upstream}
    made = ProxySettings(**{**known, **settings, "policy": policy})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deciding = Engine(made.engine())
    log = io.StringIO()
    app = create_app(made, deciding, watching=Watching(deciding, made, log=Log(file=log)))
    async with served(app, **SERVER) as url:
        yield SocketProxy(url, app, log)


@asynccontextmanager
async def upstream(script: Callable[[ServerConnection], Awaitable[None]], **options: object) -> AsyncGenerator[str]:
    """A provider that does what a script does with each WebSocket; its address."""
    known: dict[str, object] = {"max_size": None, "compression": None, "ping_interval": None, "close_timeout": 1}
    made = cast("dict[str, Any]", {**known, **options})
    async with serve(script, "127.0.0.1", 0, **made) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def is_last(event: Event) -> bool:
    """An error inside a stream is followed by the failed response; a refusal, which has a status, by nothing."""
    return event["type"] in LAST or "status" in event


def id_of(events: Sequence[Event]) -> str:
    return as_text(as_object(events[-1]["response"])["id"])


def output_of(events: Sequence[Event]) -> Sequence[Event]:
    return [as_object(item) for item in as_list(as_object(events[-1]["response"])["output"])]


def code_of(events: Sequence[Event]) -> object:
    return as_object(events[-1]["error"])["code"]


def results_of(events: Sequence[Event], result: str) -> list[object]:
    """A result for each call in an answer."""
    calls = [item for item in output_of(events) if item["type"] == "function_call"]
    return [{"type": "function_call_output", "call_id": call["call_id"], "output": result} for call in calls]


async def loop(talk: Talk, *, first: Sequence[Event] | None = None, **fields: object) -> list[list[object]]:
    """Takes a whole tool loop in increments; the history of each request, as the client knows it."""
    new, previous = list[object]([USER]), id_of(first) if first else None
    histories, history = list[list[object]](), list[object]()
    while new:
        events = await talk.ask(*new, previous_response_id=previous, **{**TOOLS, **fields})
        history = [*history, *new]
        histories.append(history)
        new, previous = results_of(events, RESULT), id_of(events)
        history = [*history, *output_of(events)]
    return histories


def sent(provider: FakeProvider) -> list[Event]:
    """The requests, as they came over the wire."""
    return [as_object(received.json()) for received in provider.requests if received.body]


def whole(provider: FakeProvider) -> list[bool]:
    """Of each request whether it brought its whole history."""
    return ["previous_response_id" not in body for body in sent(provider)]


def fates(proxy: SocketProxy) -> list[object]:
    """What became of each request."""
    return [ended["fate"] for ended in proxy.ended]


# ---------------------------------------------------------------- a provider by the book

LIMITS: Event = {"type": "codex.rate_limits", "used": 1}


def created(answer: str, **fields: object) -> Event:
    return {"type": "response.created", "response": {"id": answer, "output": [], "error": None}, **fields}


def delta(words: str = "hi") -> Event:
    return {"type": "response.output_text.delta", "delta": words}


def completed(answer: str, *output: object, kind: str = "completed", **fields: object) -> Event:
    return {"type": f"response.{kind}", "response": {"id": answer, "output": list(output)}, **fields}


def answer(name: str, *output: object) -> list[Event]:
    return [created(name), delta(), completed(name, *output)]


@dataclass
class Scripted:
    """A provider that answers the nth message with the nth list of events."""

    answers: Sequence[Sequence[Event]]
    messages: list[Event] = field(default_factory=list[Event])
    more: asyncio.Queue[Event] = field(default_factory=asyncio.Queue[Event])

    async def talk(self, line: ServerConnection) -> None:
        saying = asyncio.create_task(self._say_more(line))
        async for told in line:
            self.messages.append(as_object(json.loads(told)))
            for event in self.answers[len(self.messages) - 1]:
                await line.send(json.dumps(event))
        saying.cancel()

    async def _say_more(self, line: ServerConnection) -> None:
        while True:
            await line.send(json.dumps(await self.more.get()))

    @property
    def whole(self) -> list[bool]:
        return ["previous_response_id" not in told for told in self.messages]

    async def came(self, number: int) -> None:
        """Waits for so many messages."""
        while len(self.messages) < number:
            await asyncio.sleep(0.01)


@asynccontextmanager
async def talking(*answers: Sequence[Event], **settings: object) -> AsyncGenerator[tuple[Talk, Scripted, SocketProxy]]:
    provider = Scripted(answers)
    async with upstream(provider.talk) as url, proxying(url, **settings) as proxy, proxy.talk() as talk:
        yield talk, provider, proxy


async def hears(talk: Talk, *events: Event) -> None:
    """What comes next, in this order."""
    assert [json.loads(await talk.line.recv()) for _ in events] == list(events)
