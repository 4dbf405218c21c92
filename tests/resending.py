"""Clients that resend their whole history, for the tests of the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from faithfold.core.values import as_list, as_object
from faithfold.dialects import DIALECTS
from faithfold.engine.options import EngineSettings
from faithfold.resending import Decision, Engine

Wire = dict[str, object]


def body_of(dialect: str, messages: Sequence[object], **fields: object) -> Wire:
    """A request with these messages; they stand neither first nor last in it."""
    return {"model": "m", DIALECTS[dialect].messages_key: list(messages), "stream": True, **fields}


def wire(body: Mapping[str, object]) -> bytes:
    """A body as a client writes it that is not ours: spaced, and with escapes."""
    return json.dumps(body, indent=1).encode()


def sent_messages(decision: Decision) -> list[object]:
    """The messages in the bytes that are sent."""
    return [*as_list(as_object(json.loads(decision.body)).get(DIALECTS[decision.dialect].messages_key))]


def grow(engine: Engine, dialect: str, histories: Sequence[Sequence[object]]) -> Iterator[Decision]:
    """What becomes of each request of a client."""
    return (engine.prepare(wire(body_of(dialect, history)), dialect) for history in histories)


def small(threshold: int, keep_recent: int = 3, **more: object) -> EngineSettings:
    """Settings with a threshold that a test's conversation gets over."""
    return EngineSettings(**{"threshold_tokens": threshold, "keep_recent": keep_recent, **more})  # type: ignore[arg-type]
