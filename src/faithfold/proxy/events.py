"""Events: what may be told of an exchange, the recent ones, and who listens.

An `Event` is the one list of what leaves the request path: status, metrics, spans, logs and the live feed all read it,
and nothing else of an exchange. It holds numbers, names of ours, and a few short texts that may come from outside
(model, method, path, policy, problem), made fit to show. So no key, header, query or word of a conversation can get
out by another way.

Invariant: publishing never waits and never raises, however slow a listener is: it loses its oldest events, and is told
how many. Everything here belongs to the event loop's thread.

Source: spec 40-proxy, What a person sees and Safety; faults B122, B128.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Literal

from faithfold.proxy.exchange import Exchange, Fate
from faithfold.resending import Decision

Kind = Literal["decided", "ended"]
"""What happened: it was decided what to send (once more after each overflow), or the answer is through."""

Told = Mapping[str, object]
"""An event as JSON, with its `id`; or `{"kind": "dropped", "count": n}` where n events were lost."""

_RECENT = 1_000
_LONGEST = {"method": 16, "model": 80, "path": 120, "policy": 80, "problem": 200}  # characters
_PLAIN = re.compile(r"[a-z_]{0,24}|v\d{1,2}(?:beta)?")


@dataclass(frozen=True, slots=True)
class Event:
    """What may be told of an exchange.

    Attributes:
        kind: what happened.
        number: of the exchange.
        time: when the request came, in seconds since the epoch.
        method: of the request.
        path: of the request, as far as it is made of plain words; other segments may hold anything and are left out.
        session, dialect, model, policy, fate, shadow: as in `Exchange`.
        status: of the answer; 0 where there was none.
        tries: how many requests went to the provider.
        bytes_in, bytes_up, bytes_out: sizes of the client's body, of the one that went up, of the answer.
        overhead_ms: milliseconds that were spent on deciding and writing.
        first_byte_ms: milliseconds until the client was sent the first byte of the answer; None where it was sent none.
        seconds: how long it took in all; 0 while it goes on.
        problem: one line about what went wrong; empty where nothing did.
        modified, compacted, over_budget, rung, cut, threshold, prefix, tokens_in, tokens_out: as in `Decision`; false,
            0 and empty where nothing was decided.
    """

    kind: Kind
    number: int
    time: float
    method: str
    path: str
    session: str
    dialect: str
    model: str
    policy: str
    fate: Fate
    shadow: bool
    status: int
    tries: int
    bytes_in: int
    bytes_up: int
    bytes_out: int
    overhead_ms: float
    first_byte_ms: float | None
    seconds: float
    problem: str
    modified: bool = False
    compacted: bool = False
    over_budget: bool = False
    rung: int = 0
    cut: int = 0
    threshold: int = 0
    prefix: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens_saved(self) -> int:
        """How many tokens less were sent than came; none where the decision wasn't followed."""
        followed = not self.shadow and self.fate not in {"refused", "failed"}
        return max(0, self.tokens_in - self.tokens_out) if followed else 0

    @property
    def failed(self) -> bool:
        """Whether something went wrong, with us or with the provider. What was refused was refused on purpose."""
        return self.fate == "failed" or (self.fate != "refused" and bool(self.problem))

    def to_json(self) -> dict[str, object]:
        """All fields, by name."""
        return {name: getattr(self, name) for name in _NAMES}


_NAMES = tuple(field.name for field in fields(Event))


def event_of(exchange: Exchange, kind: Kind) -> Event:
    """What may be told of an exchange as it stands now. It holds on to nothing of the exchange."""
    event = Event(
        kind=kind,
        number=exchange.number,
        time=exchange.began,
        method=shown(exchange.method, _LONGEST["method"]),
        path=shown(_plain(exchange.path), _LONGEST["path"]),
        session=exchange.session,
        dialect=exchange.dialect,
        model=shown(exchange.model, _LONGEST["model"]),
        policy=shown(exchange.policy, _LONGEST["policy"]),
        fate=exchange.fate,
        shadow=exchange.shadow,
        status=exchange.status,
        tries=exchange.tries,
        bytes_in=exchange.bytes_in,
        bytes_up=exchange.bytes_up,
        bytes_out=exchange.bytes_out,
        overhead_ms=round(exchange.overhead * 1_000, 3),
        first_byte_ms=None if exchange.first_byte is None else round(exchange.first_byte * 1_000, 3),
        seconds=round(exchange.seconds, 3),
        problem=shown(exchange.problem, _LONGEST["problem"]),
    )
    return event if exchange.decision is None else _with_decision(event, exchange.decision)


def _with_decision(event: Event, decision: Decision) -> Event:
    return replace(
        event,
        modified=decision.modified,
        compacted=decision.compacted,
        over_budget=decision.over_budget,
        rung=decision.rung,
        cut=decision.cut,
        threshold=decision.threshold,
        prefix=decision.prefix,
        tokens_in=decision.tokens_in,
        tokens_out=decision.tokens_out,
    )


def shown(text: str, longest: int) -> str:
    """`text` as any page, log or terminal can show it: one line, `longest` characters, no controls, no surrogates."""
    cut = text if len(text) <= longest else f"{text[: longest - 3]}..."
    return cut if cut.isprintable() else "".join(one if one.isprintable() else "\ufffd" for one in cut)


class Subscription:
    """What one listener has yet to be told; iterate over it. It ends when the events are closed."""

    def __init__(self, backlog: Iterable[Told], limit: int, dropped: int) -> None:
        """Told first that `dropped` events were lost, then the backlog."""
        self._waiting = deque(backlog, maxlen=limit)
        self._dropped = dropped
        self._over = False
        self._news = asyncio.Event()

    def give(self, told: Told) -> None:
        """Takes in an event; the oldest one is lost where too many wait."""
        self._dropped += len(self._waiting) == self._waiting.maxlen
        self._waiting.append(told)
        self._news.set()

    def end(self) -> None:
        """Nothing more will come."""
        self._over = True
        self._news.set()

    def __aiter__(self) -> Subscription:
        """Itself."""
        return self

    async def __anext__(self) -> Told:
        """What comes next, as soon as it is there."""
        while not self._waiting and not self._over:
            self._news.clear()
            await self._news.wait()
        if self._dropped:
            count, self._dropped = self._dropped, 0
            return {"kind": "dropped", "count": count}
        if not self._waiting:
            raise StopAsyncIteration
        return self._waiting.popleft()


class Events:
    """The recent events, numbered from 1 on, and the live listeners.

    Args:
        keep: how many recent events are kept, and how many may wait for one listener.
    """

    def __init__(self, keep: int = _RECENT) -> None:
        """No events yet."""
        self._recent: deque[Told] = deque(maxlen=keep)
        self._keep = keep
        self._last = 0
        self._over = False
        self._subscriptions: set[Subscription] = set()

    @property
    def listeners(self) -> int:
        """How many listen now."""
        return len(self._subscriptions)

    def publish(self, event: Event) -> None:
        """Keeps an event, and gives it to all who listen. Only its JSON is kept."""
        self._last += 1
        told = {"id": self._last, **event.to_json()}
        self._recent.append(told)
        for subscription in self._subscriptions:
            subscription.give(told)

    @contextmanager
    def subscribe(self, since: int = 0) -> Generator[Subscription]:
        """Listens: to the recent events first, then to each as it comes.

        Args:
            since: only events after the one with this id; one that isn't known yet is another process's, and is taken
                for 0.
        """
        after = since if 0 < since <= self._last else 0
        gone = self._last - len(self._recent)
        backlog = list(self._recent)[max(0, after - gone) :]
        subscription = Subscription(backlog, self._keep, max(0, gone - after) if after else 0)
        if self._over:
            subscription.end()
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def close(self) -> None:
        """Ends all who listen, also those who come later: a server that stops waits for no open feed."""
        self._over = True
        for subscription in self._subscriptions:
            subscription.end()


def _plain(path: str) -> str:
    """The segments that are plain words or versions. Others hold ids and, with some gateways, keys."""
    segments = re.split(r"[?#]", path, maxsplit=1)[0].split("/")
    return "/".join(segment if _PLAIN.fullmatch(segment) else "..." for segment in segments)
