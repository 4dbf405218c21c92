"""Trips: a real client goes to the fake provider by way of the proxy, and what was seen of it on the way.

The proxy's own dumps tell what came from the client and what was sent in its place; the provider tells what it was
asked. The laws of `tests/agents_laws.py` hold the one against the other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, cast

import uvloop

from faithfold import dialects
from faithfold.core.values import as_list, as_object, as_text
from faithfold.proxy.status import Totals
from faithfold.testing import Asked, FakeProvider, Received, Script
from tests.talks import proxying

Told_co = TypeVar("Told_co", covariant=True)


@dataclass(frozen=True)
class Sent:
    """A request that was decided on.

    Attributes:
        came: the body, as the client sent it; over a WebSocket with the history behind it.
        up: the body that was to be sent.
        decision: what is told of the decision.
    """

    came: bytes
    up: bytes
    decision: Mapping[str, object]

    @property
    def dialect(self) -> str:
        return as_text(self.decision["dialect"])

    @property
    def tokens_in(self) -> int:
        return cast("int", self.decision["tokens_in"])

    @property
    def tokens_out(self) -> int:
        return cast("int", self.decision["tokens_out"])

    @property
    def compacted(self) -> bool:
        return self.decision["compacted"] is True


@dataclass(frozen=True)
class Trip(Generic[Told_co]):
    """What came of it.

    Attributes:
        told: what the client says of it.
        window: of the provider, in tokens.
        requests: that came to the provider.
        sent: the requests that were decided on, in the order in which they came.
        ended: what the proxy's log tells of each request.
        totals: what the proxy's status shows.
    """

    told: Told_co
    window: int
    requests: Sequence[Received]
    sent: Sequence[Sent]
    ended: Sequence[Mapping[str, object]]
    totals: Totals

    @property
    def asked(self) -> Sequence[Asked]:
        """What the model was asked, whether it answered or not; warm-ups ask nothing."""
        return [asked for received in self.requests if (asked := received.asked) is not None and not asked.warms_up]

    @property
    def accepted(self) -> Sequence[Asked]:
        """What the model answered."""
        return [received.asked for received in self.requests if received.asked is not None and received.status == 200]


def travel(
    client: Callable[[str], Told_co],
    script: Script,
    folder: Path,
    threshold: int,
    **provider: object,
) -> Trip[Told_co]:
    """Sends a client on its way.

    Args:
        client: is given the proxy's address, and returns what it has to say at the end.
        script: what the model says.
        folder: of the test's own.
        threshold: of the proxy, in tokens.
        provider: settings of the provider. By default the threshold is 60 % of its window, and it takes no illegal
            messages.
    """
    options = {"window": threshold * 10 // 6, "strict_faults": True, **provider}
    with FakeProvider(script, **options) as fake:  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

        async def scenario() -> Trip[Told_co]:
            dumps = folder / "dumps"
            settings = {"threshold_tokens": threshold, "debug_dir": str(dumps), "hold_ms": 5_000}
            async with proxying(fake.url, **settings) as proxy:
                told = await asyncio.to_thread(client, proxy.url)
            window, totals = cast("int", options["window"]), proxy.app.watching.status.totals
            return Trip(told, window, fake.requests, _dumped(dumps), proxy.ended, totals)

        return uvloop.run(scenario())


def messages(body: bytes, dialect: str) -> list[object]:
    """The messages in a body."""
    return [*as_list(as_object(json.loads(body)).get(dialects.dialect(dialect).messages_key))]


def _dumped(folder: Path) -> list[Sent]:
    """The requests in the dumps, in the order of their numbers."""
    came = sorted(folder.glob("*-came.body"), key=lambda path: path.name.split("-")[1])
    return [_request(path) for path in came]


def _request(came: Path) -> Sent:
    last = max(came.parent.glob(came.name.replace("-came.body", "-decision-*.json")))
    up = last.with_suffix(".body")
    decision = as_object(json.loads(last.read_bytes()))
    return Sent(came.read_bytes(), (up if up.exists() else came).read_bytes(), decision)
