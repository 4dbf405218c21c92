"""What `status` shows: the settings in force, totals, notices, and a row for each recent session.

Invariant: it is bounded, whatever clients send, and holds nothing that an `Event` doesn't. No token and no credential
of an upstream is ever in it.

Source: spec 40-proxy, What a person sees and Safety; faults B122, B128.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import PurePath
from typing import get_args

from faithfold.core.values import is_list
from faithfold.proxy.events import Event, shown
from faithfold.proxy.exchange import Fate

_SESSIONS = 1_000
_NOTICES = 50
_SIZES = 60  # of the newest requests of a session
_NOTICE = 200  # characters
_SECRETS = frozenset({"token", "tenant"})  # a tenant may be named by its token
_SET = "(set)"
_USERINFO = re.compile(r"://[^/?#]*@")


@dataclass(slots=True)
class Session:
    """One conversation, as far as it was seen.

    Attributes:
        session: its label.
        dialect, model: of its newest request.
        requests: how many were decided on.
        compactions: how many of them were compacted, and not only written with an earlier compaction.
        tokens_in, tokens_out, rung: of its newest decision.
        threshold: over which its newest request was to be compacted, in tokens; None where that isn't known.
        last_seen: when it was last heard of, in seconds since the epoch.
        sizes: tokens of its newest requests as decided, each with whether it was compacted then (a drop).
    """

    session: str
    dialect: str = ""
    model: str = ""
    requests: int = 0
    compactions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    rung: int = 0
    threshold: int | None = None
    last_seen: float = 0.0
    sizes: deque[tuple[int, bool]] = field(default_factory=lambda: deque(maxlen=_SIZES))

    def decided(self, event: Event) -> None:
        """Takes in a decision; one after an overflow takes the place of the one before."""
        if event.tries and self.sizes:
            self.compactions -= self.sizes.pop()[1]
        else:
            self.requests += 1
        self.compactions += event.compacted
        self.sizes.append((event.tokens_out, event.compacted))
        self.tokens_in, self.tokens_out, self.rung = event.tokens_in, event.tokens_out, event.rung
        self.threshold = event.threshold or None
        self.seen(event)

    def seen(self, event: Event) -> None:
        """It was heard of."""
        self.dialect, self.model = event.dialect, event.model
        self.last_seen = max(self.last_seen, event.time + event.seconds)

    def to_json(self) -> dict[str, object]:
        """All fields, by name."""
        row: dict[str, object] = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**row, "sizes": [list(size) for size in self.sizes]}


@dataclass(slots=True)
class Totals:
    """Sums over all exchanges that ended.

    Attributes:
        requests: how many.
        compactions: how many were compacted, and not only written with an earlier compaction.
        tokens_in, tokens_out: as they came, and as was decided.
        tokens_saved: by which what was sent was smaller; none where decisions were not followed (shadow).
        over_budget: how many were sent though they were over the threshold.
        replays: how many more requests went to a provider, after overflows.
        failures: how many had a problem.
    """

    requests: int = 0
    compactions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_saved: int = 0
    over_budget: int = 0
    replays: int = 0
    failures: int = 0

    def add(self, event: Event) -> None:
        """Takes in an exchange."""
        self.requests += 1
        self.compactions += event.compacted
        self.tokens_in += event.tokens_in
        self.tokens_out += event.tokens_out
        self.tokens_saved += event.tokens_saved
        self.over_budget += event.over_budget and event.fate != "refused"
        self.replays += max(0, event.tries - 1)
        self.failures += event.failed


class Status:
    """What is known of the proxy as a whole.

    Args:
        version: of faithfold.
        started: when, in seconds since the epoch.
        settings: in force, by name; what must not be seen in them is left out here.
        upstreams: by name; credentials and queries in them are left out here.
    """

    def __init__(
        self, version: str, started: float, settings: Mapping[str, object], upstreams: Mapping[str, str]
    ) -> None:
        """Nothing has happened yet."""
        self.in_flight = 0
        self.totals = Totals()
        self._about = {"version": version, "started": started}
        self._settings = {name: _in_force(name, value) for name, value in settings.items()}
        self._upstreams = {name: without_credentials(url) for name, url in upstreams.items()}
        self._started = started
        self._fates: dict[str, int] = dict.fromkeys(get_args(Fate), 0)
        self._notices: dict[str, None] = {}  # the newest last
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def decided(self, event: Event) -> None:
        """A decision was made. Exchanges that belong to no session make no row."""
        if event.session:
            self._session(event.session).decided(event)

    def ended(self, event: Event) -> None:
        """An exchange is over."""
        self.totals.add(event)
        self._fates[event.fate] += 1
        if event.session:
            self._session(event.session).seen(event)

    def notice(self, line: str) -> None:
        """Something that the user should know. One that is known already becomes the newest."""
        line = shown(line, _NOTICE)
        self._notices.pop(line, None)
        self._notices[line] = None
        if len(self._notices) > _NOTICES:
            del self._notices[next(iter(self._notices))]

    def to_json(self, now: float) -> dict[str, object]:
        """All of it; the sessions that were heard of last come first.

        Args:
            now: in seconds since the epoch.
        """
        totals = {each.name: getattr(self.totals, each.name) for each in fields(self.totals)}
        return {
            **self._about,
            "uptime": round(max(0.0, now - self._started), 3),
            "settings": self._settings,
            "upstreams": self._upstreams,
            "in_flight": self.in_flight,
            "totals": {**totals, "fates": dict(self._fates)},
            "notices": [*self._notices],
            "sessions": [each.to_json() for each in reversed(self._sessions.values())],
        }

    def _session(self, label: str) -> Session:
        """The session's row, now the newest; the one longest unheard of goes where there are too many."""
        session = self._sessions.setdefault(label, Session(label))
        self._sessions.move_to_end(label)
        if len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        return session


def without_credentials(url: str) -> str:
    """`url` without user, password, query and fragment: some gateways take their key in one of them."""
    return re.split(r"[?#]", _USERINFO.sub("://", url), maxsplit=1)[0]


def _in_force(name: str, value: object) -> object:
    """A setting as it may be seen, as JSON."""
    if name in _SECRETS:
        return _SET if value else value
    if is_list(value):
        return [_in_force(name, one) for one in value]
    if isinstance(value, (str, PurePath)):
        text = str(value)
        return without_credentials(text) if "://" in text else text
    return value if value is None or isinstance(value, (bool, int, float)) else type(value).__name__
