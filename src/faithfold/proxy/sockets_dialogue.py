"""What is said on one WebSocket: requests go up as they are decided, all else goes by as it comes.

The idea: the client sees the provider's own answers, ids included, and goes on from them. What it was shown of an
answer is never taken back, so only an answer of which it has seen nothing can be asked for again.

Invariant: what one side says reaches the other in its order. What is held back goes down in time, see `due`. Each
request's end is told exactly once.

Source: spec 90-decisions, Proxy (WebSocket, overflow inside a 200); faults B055, B058, B090, B099.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from faithfold.core.values import as_object
from faithfold.dialects.overflow import is_lifecycle
from faithfold.proxy.gate import RefusedError
from faithfold.proxy.sockets_deciding import Decider, Place
from faithfold.proxy.sockets_history import DIALECT, Event, Seen, kind_of, read_create, read_event
from faithfold.proxy.sockets_turns import Turn, Turns

Message = str | bytes
"""A message of a WebSocket: text, or not."""

Deliver = Callable[[Message], Awaitable[None]]

_OK = 200
_REFUSALS = frozenset({"error", "response.failed"})

# What else a client may say: these change no history; these only that of an answer that goes on.
_HARMLESS = frozenset({"response.processed"})
_ENDING = frozenset({"response.cancel", "response.interrupt"})


class Dialogue:
    """All that is said on one connection.

    Args:
        place: where.
        up, down: deliver a message to the provider, and to the client.

    Attributes:
        due: by the event loop's clock, when what is held back must go down; None where nothing is.
    """

    def __init__(self, place: Place, up: Deliver, down: Deliver) -> None:
        """Nothing was said yet."""
        self.due: float | None = None
        self._in = place
        self._up = up
        self._down = down
        self._reads = place.passage.dialect == DIALECT
        self._seen = Seen(place.settings.max_body_bytes)
        self._decider = Decider(place, self._seen)
        self._turns = Turns()
        self._holding: Turn | None = None
        self._order = asyncio.Lock()  # what goes up, one after the other
        self._moved = asyncio.Event()  # somebody waits no longer

    def close(self, problem: str) -> None:
        """Nothing more will be said.

        Args:
            problem: one line on why requests were not answered to the end; empty where the client left.
        """
        for turn in self._turns:
            turn.exchange.problem = turn.exchange.problem or problem
            self._turns.remove(turn)
            self._tell_end(turn)

    # ------------------------------------------------------------ up

    async def from_client(self, message: Message) -> None:
        """Takes a message of the client to the provider, or what is to be sent in its place."""
        if isinstance(message, str) and self._reads:
            data = message.encode()
            create = read_create(data)
            if create is not None:
                await self._ask(Turn(message, create, self._in.exchange(), previous=create.previous), data)
                return
            self._mind(kind_of(data))
        async with self._order:
            await self._up(message)

    def _mind(self, kind: str) -> None:
        """What is no request may change what requests go on from."""
        if not kind.startswith("response.") or kind in _HARMLESS:
            return
        self._turns.blur()
        if kind not in _ENDING:
            self._seen.forget()

    async def _ask(self, turn: Turn, data: bytes) -> None:
        turn.exchange.bytes_in = len(data)
        self._in.watching.began(turn.exchange)
        left_out = self._turns.add(turn)
        if left_out is not None:
            self._tell_end(left_out)
        try:
            body = await self._decider.decided(turn, data)
        except RefusedError as refused:
            await self._refuse(turn, refused)
            return
        async with self._order:
            self._turns.send(turn)
            await self._send(turn, body)

    async def _send(self, turn: Turn, body: bytes | None) -> None:
        turn.exchange.tries += 1
        turn.exchange.bytes_up = turn.exchange.bytes_in if body is None else len(body)
        await self._up(turn.message if body is None else body.decode())

    async def _refuse(self, turn: Turn, refused: RefusedError) -> None:
        """Answers a request that doesn't go up, when its answer is due."""
        turn.exchange.fate, turn.exchange.problem = "refused", refused.why
        while self._turns.ahead(turn):
            self._moved.clear()
            await self._moved.wait()
        lane = {"stream_id": turn.create.lane} if turn.create.lane else {}
        told = {"type": "error", "status": refused.status, **as_object(json.loads(refused.body)), **lane}
        await self._show_last(turn, json.dumps(told), refused.status)

    # ------------------------------------------------------------ down

    async def from_provider(self, message: Message) -> None:
        """Takes a message of the provider to the client, or holds it back, or asks again in its place."""
        event = self._event(message)
        if event is None:
            await self._pass(self._turns.only, message)
            return
        turn = self._turns.of(event)
        if turn is not None and await self._asks_again(turn, event, message):
            return
        if turn is not None:
            turn.hear(event)
        if turn is not None and event.is_last:
            self._remember(turn, event)
            await self.release()
            await self._show_last(turn, message, event.refusal or _OK)
        elif not self._turns.is_given_up(event) and not self._holds(turn, event, message):
            await self._pass(turn, message)

    async def release(self) -> None:
        """Sends on what is held back."""
        turn = self._holding
        self._holding = self.due = None
        while turn is not None and turn.held:
            await self._show(turn, turn.held.pop(0))

    def _event(self, message: Message) -> Event | None:
        """What a message tells, where that matters."""
        if not isinstance(message, str) or not self._reads:
            return None
        only = self._turns.only
        return read_event(message, closely=only is not None and not only.shown)

    async def _asks_again(self, turn: Turn, event: Event, message: Message) -> bool:
        """Whether an event refuses a request, and another went up in its place."""
        if turn.shown or event.type not in _REFUSALS or not isinstance(message, str):
            return False
        async with self._order:
            body = await self._decider.again(turn, event, message.encode())
            if body is None:
                return False
            asides = [held for held in turn.held if not _is_answer(held)]
            self._turns.give_up(turn)
            self._holding = self.due = None
            await self._send(turn, body)
        for aside in asides:
            await self._down(aside)
        return True

    def _holds(self, turn: Turn | None, event: Event, message: Message) -> bool:
        """Holds a message back that comes before any content, as long as an overflow may come in its place."""
        only = self._turns.only
        if only is None or only.shown or not isinstance(message, str) or not self._may_overflow(only):
            return False
        if not (turn is only and is_lifecycle(message.encode())) and not (only.held and not event.is_answer):
            return False
        only.held.append(message)
        if self._holding is None:
            self._holding, self.due = only, asyncio.get_running_loop().time() + self._in.settings.hold_ms / 1000
        return True

    def _may_overflow(self, turn: Turn) -> bool:
        decision = turn.plan.decision if turn.plan and turn.alone else None
        return decision is not None and bool(self._in.settings.hold_ms) and decision.tokens_out * 2 > decision.threshold

    async def _pass(self, turn: Turn | None, message: Message) -> None:
        await self.release()
        await self._show(turn, message)

    async def _show(self, turn: Turn | None, message: Message, status: int = _OK) -> None:
        """Sends the client a message, and notes of which answer it is a part."""
        if turn is not None:
            turn.exchange.bytes_out += len(message if isinstance(message, bytes) else message.encode())
            if not turn.shown:
                turn.shown = True
                turn.exchange.status, turn.exchange.first_byte = status, turn.seconds
                self._in.watching.answered(turn.exchange, self._in.headers)
        await self._down(message)

    async def _show_last(self, turn: Turn, message: Message, status: int) -> None:
        """The same with the last message of an answer: by the time the client has it, the next request may come."""
        waited = self._turns.remove(turn)
        self._moved.set()
        try:
            await self._show(turn, message, status)
        finally:
            if waited:
                self._tell_end(turn)

    def _remember(self, turn: Turn, event: Event) -> None:
        left = turn.left(event)
        if left is not None and turn.response:
            self._seen.add(turn.response, left)

    def _tell_end(self, turn: Turn) -> None:
        turn.exchange.seconds = turn.seconds
        self._in.watching.ended(turn.exchange)


def _is_answer(message: str) -> bool:
    event = read_event(message, closely=True)
    return event is not None and event.is_answer
