"""The requests of a WebSocket that wait for their answers, and which of them an event belongs to.

The idea: answers come in the order of the requests, lane by lane. Where two wait in one lane at once, or an event
names another response than it should, nobody can be sure; then it is not guessed, and what is behind the answer stays
unknown: later requests that go on from it go up as they come.

Invariant: a request is given to whoever wants to know its end exactly once, and not many wait, whatever is sent.

Source: the API's reference, `response.create` over a WebSocket (lanes, steering); fault B102.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter

from faithfold.proxy.deciding import Plan
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.sockets_history import Create, Event, History, can_be_sent

_MOST = 64  # that wait at once
_GONE = 8  # responses that ended or were given up, and may still be told of


@dataclass(slots=True, eq=False)
class Turn:
    """A request, and its answer as far as it has come.

    Attributes:
        message: as it came.
        create: what it asks.
        exchange: where is noted what becomes of it.
        began: when it came.
        history: all that it asks on, as the client knows it, and what stands for its beginning as it was sent; None
            where that isn't known.
        plan: the decision on it that was followed; None where none was.
        previous: the response that it goes on from, as it was sent.
        sent: whether it went up.
        alone: whether no other request waited at any time; else it can't be sent again without a change of order.
        response: the id of its answer.
        output: the items of the answer that are whole.
        held: events that the client was not sent yet.
        shown: whether the client was sent any of the answer.
    """

    message: str
    create: Create
    exchange: Exchange
    began: float = field(default_factory=perf_counter)
    history: History | None = None
    plan: Plan | None = None
    previous: str = ""
    sent: bool = False
    alone: bool = True
    response: str = ""
    output: list[bytes] = field(default_factory=list[bytes])
    held: list[str] = field(default_factory=list[str])
    shown: bool = False

    @property
    def seconds(self) -> float:
        """How long ago it came."""
        return perf_counter() - self.began

    def follow(self, made: Plan) -> bytes:
        """It goes up with its whole history, as it was decided; the bytes that go up."""
        body = made.body
        if self.history is not None and made.decision is not None:
            self.history = replace(self.history, standing=made.decision.outcome.standing)
        self.previous = ""
        return body

    def hear(self, event: Event) -> None:
        """Takes in an event of its answer."""
        if not self.response:
            self.response = event.id
        elif event.type == "response.output_item.done":
            self.output.append(bytes(event.item))

    def left(self, event: Event) -> History | None:
        """What is behind its answer, which ended with an event; None where that isn't known.

        Whether it could be sent again can't be told by the client's `store` alone: the provider has the last word.
        """
        if self.history is None or event.type not in ("response.completed", "response.incomplete"):
            return None
        told = event.response
        output = [bytes(item) for item in (told and told.output) or ()] or self.output
        stored = self.create.stored and not (told and told.store is False)
        return self.history.then(output) if stored or can_be_sent(output) else None

    def begin_anew(self) -> None:
        """Forgets an answer of which the client has seen nothing."""
        self.response = ""
        self.output.clear()
        self.held.clear()


class Turns:
    """The requests that wait, in the order in which they came.

    Attributes:
        only: the one that waits for its answer, where no other does.
    """

    def __init__(self) -> None:
        """None waits."""
        self.only: Turn | None = None
        self._waiting: list[Turn] = []
        self._over: deque[str] = deque(maxlen=_GONE)
        self._given_up: deque[str] = deque(maxlen=_GONE)

    def __iter__(self) -> Iterator[Turn]:
        """All that wait."""
        return iter([*self._waiting])

    def add(self, turn: Turn) -> Turn | None:
        """Takes in a request; the one that waited longest is returned and no longer waited for, where too many are."""
        self._waiting.append(turn)
        oldest = self._waiting[0] if len(self._waiting) > _MOST else None
        if oldest is not None:
            self.remove(oldest)
        return oldest

    def send(self, turn: Turn) -> None:
        """It goes up now."""
        turn.sent = True
        waiting = [each for each in self._waiting if each.sent]
        if len(waiting) > 1:
            for each in waiting:
                each.alone = False
        same = [each for each in waiting if each.create.lane == turn.create.lane]
        if len(same) > 1:
            self._blur(same)
        self._count()

    def remove(self, turn: Turn) -> bool:
        """It waits no longer; whether it did."""
        if turn not in self._waiting:
            return False
        self._waiting.remove(turn)
        if turn.response:
            self._over.append(turn.response)
        self._count()
        return True

    def blur(self) -> None:
        """What is behind the answers that wait can't be known any more."""
        self._blur(self._waiting)

    def ahead(self, turn: Turn) -> bool:
        """Whether another one of its lane waits for its answer."""
        return any(each.sent and each.create.lane == turn.create.lane for each in self._waiting)

    def give_up(self, turn: Turn) -> None:
        """Its answer is not wanted any more: it is sent again."""
        if turn.response:
            self._given_up.append(turn.response)
        turn.begin_anew()

    def is_given_up(self, event: Event) -> bool:
        """Whether an event tells of an answer that isn't wanted any more."""
        return event.id in self._given_up

    def of(self, event: Event) -> Turn | None:
        """The one that an event belongs to, where that is sure."""
        if event.id in self._over or self.is_given_up(event) or not event.is_answer:
            return None
        turn = next((each for each in self._waiting if each.sent and self._is_lane(each, event)), None)
        return None if turn is None or _is_another(turn, event) else turn

    def _is_lane(self, turn: Turn, event: Event) -> bool:
        return event.lane == turn.create.lane or (not event.lane and turn is self.only)

    def _count(self) -> None:
        waiting = [each for each in self._waiting if each.sent]
        self.only = waiting[0] if len(waiting) == 1 else None

    @staticmethod
    def _blur(turns: list[Turn]) -> None:
        for each in turns:
            each.history = None


def _is_another(turn: Turn, event: Event) -> bool:
    """Whether an event names another response than the one that answers a request."""
    told = event.response
    if told is None or not told.id:
        return False
    if turn.response:
        return told.id != turn.response
    return bool(told.previous_response_id) and told.previous_response_id != turn.previous
