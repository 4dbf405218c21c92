"""The watcher that the proxy uses: it tells status, events, metrics, spans, log and dumps of each exchange.

Invariant: it never raises and never waits. Where one of them fails, the others are told all the same, the request goes
on, and the failure is counted and logged once. All is called in the event loop's thread.

Source: spec 40-proxy, What a person sees and Safety.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

import faithfold
from faithfold.proxy.dumps import KEEP, Dumps
from faithfold.proxy.events import Event, Events, event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.logs import Log
from faithfold.proxy.metrics import Metrics
from faithfold.proxy.settings import ANTHROPIC, OPENAI, ProxySettings
from faithfold.proxy.spans import Spans
from faithfold.proxy.status import Status
from faithfold.resending import Engine

_T = TypeVar("_T")


class Watching:
    """Who is told of each exchange; a `Watcher`.

    Args:
        engine: whose memory the metrics gauge.
        settings: of the proxy.
        log: where lines go; standard error by default.
        spans: by default for whatever the process has set up.
        debug_keep: of so many exchanges the dumps are kept, the newest; where the settings name a folder for them.

    Attributes:
        status, events, metrics: what the pages show.
        failures: how often one of those who are told failed.

    Raises:
        SettingsError: the folder for dumps can't be made or made private.
    """

    def __init__(
        self,
        engine: Engine,
        settings: ProxySettings,
        *,
        log: Log | None = None,
        spans: Spans | None = None,
        debug_keep: int = KEEP,
    ) -> None:
        """Nothing has happened yet."""
        version = faithfold.__version__
        self.status = Status(version, time.time(), _by_name(settings), _upstreams(settings))
        self.events = Events()
        self.metrics = Metrics(engine, lambda: self.status.in_flight)
        self.failures = 0
        self._log = log if log is not None else Log()
        self._spans = spans if spans is not None else Spans(version)
        self._failed: set[str] = set()
        folder = settings.debug_dir
        self._dumps = Dumps(Path(folder), self.notice, debug_keep) if folder else None

    def began(self, exchange: Exchange) -> None:
        """A request came."""
        self.status.in_flight += 1
        self._tell(self._spans.began, exchange)

    def decided(self, exchange: Exchange) -> None:
        """It was decided what to send in its place; once more after each overflow."""
        self._tell(self._spread_decision, exchange)
        if self._dumps is not None:
            self._tell(self._dumps.decided, exchange)

    def answered(self, exchange: Exchange, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """The provider's answer began, with these headers as they came. Only the dumps look at them."""
        dumps = self._dumps
        if dumps is not None:
            self._tell(lambda one: dumps.answered(one, headers), exchange)

    def ended(self, exchange: Exchange) -> None:
        """The answer is through, or the client is gone."""
        self.status.in_flight -= 1
        self._tell(self._spread_end, exchange)
        if self._dumps is not None:
            self._tell(self._dumps.ended, exchange)

    def notice(self, line: str) -> None:
        """Something that the user should know: in the status, and in the log. Any thread may call it."""
        self._tell(self.status.notice, line)
        self._tell(self._log.warn, line)

    def close(self) -> None:
        """Ends the live feeds, and writes the dumps that wait; in bounded time."""
        self.events.close()
        if self._dumps is not None:
            self._dumps.close()

    def _spread_decision(self, exchange: Exchange) -> None:
        event = event_of(exchange, "decided")
        for told in (self.status.decided, self.events.publish, self._spans.decided):
            self._tell(told, event)

    def _spread_end(self, exchange: Exchange) -> None:
        event = event_of(exchange, "ended")
        listeners: tuple[Callable[[Event], None], ...] = (
            self.status.ended,
            self.events.publish,
            self.metrics.ended,
            self._spans.ended,
            self._log.ended,
        )
        for told in listeners:
            self._tell(told, event)

    def _tell(self, told: Callable[[_T], None], what: _T) -> None:
        """Tells one of them; what goes wrong there stays there."""
        try:
            told(what)
        except Exception as error:  # noqa: BLE001 - the request goes on, whatever fails beside it
            self._failure(told.__qualname__, type(error).__name__)

    def _failure(self, listener: str, error: str) -> None:
        """Counts it, and says so the first time. What the error says is not told: it may hold anything."""
        self.failures += 1
        if listener not in self._failed:
            self._failed.add(listener)
            self.notice(f"{listener} failed with {error}; requests go on")


def _by_name(settings: ProxySettings) -> dict[str, object]:
    return {each.name: getattr(settings, each.name) for each in fields(settings)}


def _upstreams(settings: ProxySettings) -> dict[str, str]:
    return {
        "anthropic": settings.anthropic_upstream or ANTHROPIC,
        "openai": settings.openai_upstream or OPENAI,
    }
