"""What came of all requests of the soak, from the client's and from the provider's side, and what must not have been.

Each request has a number, so that both sides can be held against each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from benchmarks.soak_manners import Ended
from benchmarks.soak_sessions import Session, markers
from benchmarks.soak_troubles import Trouble
from benchmarks.soak_wire import Got

_OWN_WORDS = (b"faithfold", b"Invalid HTTP request")
_LABEL = "x-faithfold-session"


@dataclass
class Ledger:
    """The books.

    Attributes:
        wrong: what must not be, and how often it was.
        ends: how many requests of each kind ended how.
        kinds: the kind of each request.
        slowest: seconds that one took.
    """

    wrong: Counter[str] = field(default_factory=Counter[str])
    ends: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    kinds: dict[int, Trouble] = field(default_factory=dict[int, Trouble])
    slowest: float = 0.0
    _left: dict[int, float] = field(default_factory=dict[int, float])
    _came: Counter[int] = field(default_factory=Counter[int])
    _over: defaultdict[int, list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))
    _labels: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def begun(self, trouble: Trouble) -> int:
        """The number of a new request."""
        number = len(self.kinds) + 1
        self.kinds[number] = trouble
        return number

    def ended(self, number: int, session: Session, ended: Ended, seconds: float) -> None:
        """A client's request is over."""
        trouble = self.kinds[number]
        self.ends[trouble.name, ended.how] += 1
        self.slowest = max(self.slowest, seconds)
        if ended.how not in trouble.ends.split():
            self.wrong[f"{trouble.name}: ended with {ended.how}"] += 1
        if ended.at:
            self._left[number] = ended.at
        for got in ended.answers:
            for wrong in judged(got, number, session):
                self.wrong[f"{trouble.name}: {wrong}"] += 1
            if trouble.legal:
                self._labels.add((session.owner, got.value(_LABEL)))

    def told(self, what: str, number: int, at: float, more: str) -> None:
        """The provider says a line."""
        if what == "came":
            self._came[number] += 1
        elif what == "wrong":
            self.wrong[f"{self.kinds[number].name}: {more}"] += 1
        else:
            self._over[number].append((what, at))

    def hang_ups(self) -> list[float]:
        """How long after each client that left the provider saw it, in seconds."""
        return [at - left for number, left in self._left.items() for how, at in self._over[number] if how == "left"]

    def unfinished(self) -> Iterator[str]:
        """Requests that the provider never saw the end of, or saw too often."""
        for number, times in self._came.items():
            kind = self.kinds[number]
            if len(self._over[number]) < times:
                yield f"{kind.name}: the provider never saw its end"
            if times > kind.tries:
                yield f"{kind.name}: it went up {times} times"

    def mixed_up(self) -> bool:
        """Whether a session had two labels, or two sessions had one."""
        owners, labels = (set(names) for names in zip(*self._labels, strict=True))
        return not len(owners) == len(labels) == len(self._labels)


def judged(got: Got, number: int, session: Session) -> Iterator[str]:
    """What is wrong with an answer."""
    if markers(got.head + got.body) - {session.marker}:
        yield "an answer held another session's text"
    told = got.value("x-soak-number")
    if not told and not any(words in got.body for words in _OWN_WORDS):
        yield f"nobody knows who answered {got.status}"
    if told not in ("", str(number)):
        yield "an answer belonged to another request"
    told = got.value("x-soak-hash")
    if got.whole and told not in ("", sha256(got.body).hexdigest()):
        yield "an answer came down changed"
