"""One request through the proxy: read, decide, send, try again where it is too long, and stream the answer back.

The idea: all that may be sent in place of a request is tried before the client is sent a byte; then what came is poured
through. Until then any failure of ours has the same answer: the client's own bytes go up. That is the one fail-open.

Invariant: no request is lost by a fault of ours, and an answer that has begun is never begun anew (fault B090). Nothing
is tried again for a rate, a quota or an upstream that fails: what the provider says goes back as it is.

Source: spec 40-proxy, Request path; spec 90-decisions, Proxy; faults B055, B056, B058, B086 to B103.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count

from faithfold.dialects.overflow import is_overflow
from faithfold.proxy import errors
from faithfold.proxy.caution import Caution
from faithfold.proxy.client import Asked, Client, Gone, Receive, Send, TooLargeError
from faithfold.proxy.deciding import Plan, plan, shorter
from faithfold.proxy.encodings import decoded
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.gate import Gate, Passage, RefusedError
from faithfold.proxy.headers import Header, downward, value
from faithfold.proxy.noting import named, note, timed, where
from faithfold.proxy.peek import Held, peek, whole
from faithfold.proxy.relay import Answer, BrokenOffError, Outgoing, UnreachableError, Upstream, pour
from faithfold.proxy.routes import target
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.telling import headers_of
from faithfold.proxy.watching import Watching

_MOST_DECODED = 1024 * 1024  # bytes of an error
_OK = 200
_BAD_REQUEST = 400
_NO_SOCKET = 426
_BODILESS = (204, 304)
_ON_PURPOSE = (RefusedError, TooLargeError, UnreachableError)  # they say what became of a request; nothing has failed


@dataclass(slots=True)
class _Turn:
    """A request on its way.

    Attributes:
        asked: the request.
        passage: where it goes.
        body: as it came.
        client: whose it is.
        exchange: where is noted what becomes of it.
    """

    asked: Asked
    passage: Passage
    body: bytes
    client: Client
    exchange: Exchange

    def outgoing(self, sent: Plan) -> Outgoing:
        """The request that goes up."""
        self.exchange.tries += 1
        self.exchange.bytes_up = len(sent.body)
        headers = [header for header in self.passage.headers if not (sent.changed and header[0] == b"content-encoding")]
        where = target(self.asked.path, self.asked.query)
        return Outgoing(self.asked.method, self.passage.upstream, where, headers, sent.body)


class Handler:
    """Takes requests to their upstreams.

    Args:
        settings: of the proxy.
        gate: lets them through.
        upstream: sends them.
        watching: is told of them.

    Attributes:
        number: gives each request its own.
        caution: looks at the models that are asked.
    """

    def __init__(self, settings: ProxySettings, gate: Gate, upstream: Upstream, watching: Watching) -> None:
        """No request has come yet."""
        self._settings = settings
        self._gate = gate
        self._upstream = upstream
        self._watching = watching
        self.caution = Caution(gate.threshold, watching.notice)
        self.number: Callable[[], int] = count(1).__next__

    async def __call__(self, asked: Asked, receive: Receive, send: Send) -> None:
        """Answers one request."""
        path = asked.path.decode("latin-1")
        exchange = Exchange(self.number(), time.time(), asked.method, path, shadow=self._settings.shadow)
        client = Client(receive, send, exchange)
        self._watching.began(exchange)
        try:
            await self._answer(asked, client, exchange)
        except Gone:
            pass
        except BrokenOffError as error:
            exchange.problem = f"{error} after {exchange.bytes_out} bytes and {client.seconds:.1f} seconds"
        except Exception as error:
            exchange.problem = f"cut off, for {where(error)}"
            raise
        finally:
            exchange.seconds = client.seconds
            self._watching.ended(exchange)

    async def _answer(self, asked: Asked, client: Client, exchange: Exchange) -> None:
        limit = self._settings.max_body_bytes
        try:
            passage = self._gate.passage(asked)
            exchange.dialect = passage.dialect
            body = await client.body(asked, limit)
            async with client.there():
                await self._forward(_Turn(asked, passage, body, client, exchange))
        except RefusedError as error:
            exchange.fate, exchange.problem = "refused", error.why
            if error.status == _NO_SOCKET:
                self._watching.notice("a client asked for a WebSocket, which can't be had here: it is to ask by HTTP")
            await _refuse(client, error.status, error.body)
        except TooLargeError as error:
            exchange.fate, exchange.problem = "refused", str(error)
            await _refuse(client, 413, errors.too_large(exchange.dialect, limit), linger=True)
        except UnreachableError as error:
            exchange.problem = str(error)
            await _refuse(client, 502, errors.unreachable(exchange.dialect, str(error)))

    async def _forward(self, turn: _Turn) -> None:
        """Sends a request, and what is answered back."""
        async with AsyncExitStack() as opened:
            try:
                answer, held = await self._accepted(turn, opened)
            except _ON_PURPOSE:
                raise
            except Exception as error:  # noqa: BLE001  the one fail-open: whatever it was, the request goes out as it came
                turn.exchange.fate, turn.exchange.problem = "failed", f"sent as it came, for {where(error)}"
                await opened.aclose()
                answer, held = await opened.enter_async_context(self._upstream.ask(turn.outgoing(Plan(turn.body)))), b""
            await self._relay(turn, answer, held)

    async def _accepted(self, turn: _Turn, opened: AsyncExitStack) -> tuple[Answer, bytes]:
        """The first answer that is no overflow, else the last; and what was read of it already."""
        sent = await self._plan(turn)
        while True:
            answer = await opened.enter_async_context(self._upstream.ask(turn.outgoing(sent)))
            held = await self._looked(answer, sent)
            tried = await self._shorter(turn, sent) if held.overflow else None
            if tried is None:
                return answer, held.data
            await opened.aclose()
            sent = tried

    async def _plan(self, turn: _Turn) -> Plan:
        """What to send at first."""
        engine, exchange, body = turn.passage.engine, turn.exchange, turn.body
        if not turn.passage.dialect:
            return Plan(body)
        if engine is None:
            exchange.policy, exchange.fate = turn.passage.policy, "untouched"
            return Plan(body)
        exchange.policy = turn.passage.policy or named(engine.settings.policy)
        limit = self._settings.max_body_bytes
        made = await timed(exchange, len(body), lambda: plan(turn.asked, turn.passage.dialect, body, engine, limit))
        exchange.model, exchange.session = made.model, made.session
        self.caution.see(made.model)
        note(self._watching, exchange, made)
        refused = made.decision if engine.settings.strict and not self._settings.shadow else None
        if refused is not None and refused.over_budget:
            text = errors.over_budget(turn.passage.dialect, refused.tokens_out, refused.threshold)
            raise RefusedError(400, text, "over the threshold, in strict mode")
        return Plan(body, decision=made.decision) if self._settings.shadow else made

    async def _shorter(self, turn: _Turn, sent: Plan) -> Plan | None:
        """What to send after an overflow, or None."""
        engine, exchange = turn.passage.engine, turn.exchange
        made = None if engine is None else await timed(exchange, len(turn.body), lambda: shorter(sent, engine))
        if made is not None:
            note(self._watching, exchange, made)
        return made

    async def _looked(self, answer: Answer, sent: Plan) -> Held:
        """Whether an answer is an overflow that a shorter request may help against, and what was read to see it."""
        decision = sent.decision
        if decision is None or not decision.threshold or self._settings.shadow:
            return Held(b"", overflow=False)
        coding = value(answer.headers, b"content-encoding")
        if answer.status >= _BAD_REQUEST:
            said = await whole(answer.read)
            return Held(said, is_overflow(answer.status, _readable(said, coding)))
        streams = value(answer.headers, b"content-type").lower().startswith("text/event-stream")
        near = decision.tokens_out * 2 > decision.threshold
        if answer.status == _OK and streams and near and not coding and self._settings.hold_ms:
            return await peek(answer.read, self._settings.hold_ms / 1000)
        return Held(b"", overflow=False)

    async def _relay(self, turn: _Turn, answer: Answer, held: bytes) -> None:
        """Sends an answer to the client: what was read of it, and the rest as it comes."""
        headers = downward(answer.headers)
        if answer.status in _BODILESS:  # a length would be that of another answer, and servers take it at its word
            headers = [header for header in headers if header[0].lower() != b"content-length"]
        own = headers_of(turn.exchange) if self._settings.answer_headers else []
        await turn.client.begin(answer.status, [*headers, *own])
        self._watching.answered(turn.exchange, answer.headers)
        if held:
            await turn.client.send(held)
        await pour(answer, turn.client)


def _readable(body: bytes, coding: str) -> bytes:
    """An error without its encoding, as far as that can be had."""
    try:
        return decoded(body, coding, _MOST_DECODED) or b""
    except TooLargeError:
        return b""


async def _refuse(client: Client, status: int, body: bytes, *, linger: bool = False) -> None:
    """An answer of our own."""
    headers: list[Header] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if linger:
        headers.append((b"connection", b"close"))
    await client.begin(status, headers)
    await client.send(body)
    if linger:
        await client.linger()
    await client.end()
