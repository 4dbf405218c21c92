"""What goes up in place of a request: the client's own bytes, or the engine's.

The idea: all of it is one call without any waiting, so a large body can be decided on in a thread. What isn't read is
sent as it came: bodies in an encoding that can't be read, and those that hold a part of a history only (fault B102).

Invariant: bytes that were not changed go up as they came, in the client's own encoding; bytes that were changed go up
without any, and are never labelled otherwise.

Source: spec 40-proxy, Request path; spec 90-decisions, Policies and Proxy; faults B091, B102.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from faithfold import dialects
from faithfold.core.errors import SettingsError
from faithfold.core.values import as_object, as_text
from faithfold.engine.policies import POLICIES
from faithfold.engine.request import Request
from faithfold.proxy.client import Asked, Headers
from faithfold.proxy.encodings import decoded
from faithfold.proxy.headers import value
from faithfold.proxy.labels import beginning, label
from faithfold.resending import Decision, Engine
from faithfold.wire import split

POLICY_HEADER = b"x-faithfold-policy"
BYPASS = "none"
"""The policy by which a request is not even read."""

_PARTIAL: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("previous_message_id",),  # in its `thread`; one that is only begun is told the whole history
    "openai-responses": ("previous_response_id", "conversation"),
}
"""By dialect, the fields that say which history, held by the provider, a request goes on from."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to send.

    Attributes:
        body: the bytes.
        changed: whether they are other than the client's, and so have lost its encoding.
        decision: how it came about; None where nothing was decided.
        model: that the request asks; empty where it wasn't read.
        session: whose request it is, see `label`; empty where nothing tells.
    """

    body: bytes
    changed: bool = False
    decision: Decision | None = None
    model: str = ""
    session: str = ""


class Engines:
    """The engine, and one more for each policy that a request may name in its place.

    Args:
        engine: whose settings and memory the others share.
    """

    def __init__(self, engine: Engine) -> None:
        """Only the one."""
        self.own = engine
        self._named: dict[str, Engine] = {}

    def by(self, policy: str) -> Engine:
        """The engine that follows a policy.

        Raises:
            SettingsError: there is no policy of that name.
        """
        if policy in ("", self.own.settings.policy):
            return self.own
        if policy not in POLICIES:
            raise SettingsError(f"x-faithfold-policy names no policy; expected one of {', '.join(POLICIES)}")
        if policy not in self._named:
            self._named[policy] = Engine(replace(self.own.settings, policy=policy), self.own.store)
        return self._named[policy]


def plan(asked: Asked, dialect: str, body: bytes, engine: Engine, limit: int) -> Plan:
    """Decides about a request.

    Args:
        asked: the request.
        dialect: of its messages.
        body: as it came.
        engine: that decides.
        limit: how many bytes the body may have without its encoding.

    Raises:
        TooLargeError: it has more.
    """
    plain = decoded(body, value(asked.headers, b"content-encoding"), limit)
    if plain is None:
        return Plan(body, session=label(asked.headers, {}, ()))
    partial = _partial(plain, dialect)
    if partial is not None:
        return Plan(body, model=as_text(partial.get("model")), session=label(asked.headers, partial, ()))
    decision = engine.prepare(plain, dialect, _betas(asked.headers))
    request = decision.outcome.request
    if request is None:
        return Plan(body, decision=decision, session=label(asked.headers, {}, ()))
    up = decision.body if decision.modified else body
    return Plan(up, decision.modified, decision, request.model, _session(asked.headers, request))


def shorter(tried: Plan, engine: Engine) -> Plan | None:
    """Decides anew after the provider refused a request for its length; None where nothing is left to try."""
    decision = engine.overflow(tried.decision) if tried.decision else None
    return None if decision is None else replace(tried, body=decision.body, changed=True, decision=decision)


def _partial(body: bytes, dialect: str) -> Mapping[str, object] | None:
    """The fields of a body that goes on from what the provider has; None where it holds its whole history."""
    names = _PARTIAL.get(dialect, ())
    if not any(f'"{name}"'.encode() in body for name in names):
        return None
    whole = split(body, dialects.dialect(dialect).messages_key)
    fields = as_object(json.loads(whole.rest)) if whole is not None else as_object(None)
    said = as_object(fields.get("thread")) if dialect == "anthropic" else fields
    return fields if any(said.get(name) for name in names) else None


def _betas(headers: Headers) -> list[str]:
    return [beta.strip() for beta in value(headers, b"anthropic-beta").split(",")]


def _session(headers: Headers, request: Request) -> str:
    """Whose request it is. The history is looked at only where the client doesn't say it."""
    said = label(headers, request.rest, ())
    if said or not request.chain:
        return said
    opening = beginning(request.messages, request.dialect.read).opening
    return label(headers, request.rest, request.chain, opening)
