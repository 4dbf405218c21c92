"""What goes up in place of a request on a WebSocket: the client's own message, or the request with its whole history.

The idea: what the provider has is known, and so is what the engine wants it to have. Where the one goes on from the
other, the client's increment does it. Where something else stands for the beginning now, all that is to be seen goes
up, and no response is named.

Invariant: whatever goes wrong in deciding, the message goes up as it came.

Source: spec 90-decisions, Proxy (WebSocket); spec 40-proxy, Request path; faults B058, B102.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from faithfold.core.values import as_text
from faithfold.dialects.overflow import is_overflow, overflow_event
from faithfold.proxy import errors
from faithfold.proxy.caution import Caution
from faithfold.proxy.client import Asked, Headers
from faithfold.proxy.deciding import Plan, plan, shorter
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.gate import Passage, RefusedError
from faithfold.proxy.labels import label
from faithfold.proxy.noting import named, note, timed, where
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.sockets_history import DIALECT, Event, Seen
from faithfold.proxy.sockets_turns import Turn
from faithfold.proxy.watching import Watching

_METHOD = "WS"
_BAD_REQUEST = 400


@dataclass(frozen=True, slots=True)
class Place:
    """Where requests come from and go to: one connection.

    Attributes:
        settings: of the proxy.
        watching: is told of each request.
        caution: looks at the models that are asked.
        number: gives each request its own.
        asked: how the connection was asked for.
        passage: where it goes, and who decides.
        headers: with which the provider accepted it.
    """

    settings: ProxySettings
    watching: Watching
    caution: Caution
    number: Callable[[], int]
    asked: Asked
    passage: Passage
    headers: Headers

    @property
    def policy(self) -> str:
        """By which its requests are decided on; empty where nothing is."""
        engine = self.passage.engine
        return self.passage.policy or ("" if engine is None else named(engine.settings.policy))

    def exchange(self) -> Exchange:
        """The record of a request that came now."""
        path, shadow = self.asked.path.decode("latin-1"), self.settings.shadow
        made = Exchange(self.number(), time.time(), _METHOD, path, DIALECT, policy=self.policy, shadow=shadow)
        made.fate = "untouched"
        return made


class Decider:
    """Decides on the requests of one connection.

    Args:
        place: where they come from.
        seen: what is behind the responses that they go on from.
    """

    def __init__(self, place: Place, seen: Seen) -> None:
        """Nothing was asked yet."""
        self._in = place
        self._seen = seen

    async def decided(self, turn: Turn, data: bytes) -> bytes | None:
        """What goes up in place of a request; None where it goes up as it came.

        Args:
            turn: the request.
            data: its message.

        Raises:
            RefusedError: it doesn't go up.
        """
        return await self._openly(turn, self._first(turn, data))

    async def again(self, turn: Turn, event: Event, data: bytes) -> bytes | None:
        """What goes up after the provider refused a request; None where nothing is left to try.

        Too long, it is made shorter. If the provider has anything else against it, and it was made here out of what
        went by, then it may be that this can't be sent: the client's own message goes up.

        Args:
            turn: the request.
            event: by which the provider refuses it.
            data: the same as it came.
        """
        if not turn.alone or turn.plan is None or turn.history is None:
            return None
        if overflow_event(data) if event.refusal is None else is_overflow(event.refusal, data):
            return await self._openly(turn, self._shorter(turn, turn.plan))
        return self._own(turn) if event.refusal == _BAD_REQUEST and turn.previous != turn.create.previous else None

    async def _openly(self, turn: Turn, deciding: Awaitable[bytes | None]) -> bytes | None:
        try:
            return await deciding
        except RefusedError:
            raise
        except Exception as error:  # noqa: BLE001  the one fail-open: whatever it was, the message goes on as it came
            turn.exchange.fate, turn.exchange.problem = "failed", f"sent as it came, for {where(error)}"
            return None

    async def _first(self, turn: Turn, data: bytes) -> bytes | None:
        create, exchange, engine = turn.create, turn.exchange, self._in.passage.engine
        exchange.model = as_text(create.about.get("model"))
        exchange.session = label(self._in.asked.headers, create.about, ())
        if engine is None:
            return None
        before = self._seen.behind(create.previous)
        turn.history = create.history(before)
        if turn.history is None or create.warms_up:
            return None
        self._in.caution.see(exchange.model)
        body = data if before is None else create.whole(turn.history)
        limit = self._in.settings.max_body_bytes
        made = await timed(exchange, len(body), lambda: plan(self._in.asked, DIALECT, body, engine, limit))
        exchange.session = made.session
        note(self._in.watching, exchange, made)
        return self._followed(turn, made, strict=engine.settings.strict)

    def _followed(self, turn: Turn, made: Plan, *, strict: bool) -> bytes | None:
        decision, history = made.decision, turn.history
        if decision is None or history is None or turn.exchange.shadow or turn.exchange.fate == "failed":
            return None
        if strict and decision.over_budget:
            text = errors.over_budget(DIALECT, decision.tokens_out, decision.threshold)
            raise RefusedError(_BAD_REQUEST, text, "over the threshold, in strict mode")
        turn.plan = made
        return None if decision.outcome.standing == history.standing else turn.follow(made)

    async def _shorter(self, turn: Turn, tried: Plan) -> bytes | None:
        engine = self._in.passage.engine
        made = None if engine is None else await timed(turn.exchange, len(tried.body), lambda: shorter(tried, engine))
        if made is None:
            return None
        note(self._in.watching, turn.exchange, made)
        turn.plan = made
        return turn.follow(made)

    def _own(self, turn: Turn) -> bytes:
        """The client's own message. What is behind the answers of this connection is not built upon any more."""
        self._seen.forget()
        turn.plan = turn.history = None
        turn.previous = turn.create.previous
        turn.exchange.fate = "failed"
        turn.exchange.problem = "sent as it came, for the provider refused what was sent in its place"
        return turn.message.encode()
