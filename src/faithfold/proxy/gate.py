"""Whether a request goes on, and where to: judged by its first lines alone, before its body is read.

Invariant: no request chooses its upstream, and none comes back to this proxy by way of an upstream unnoticed.

Source: spec 40-proxy, Request path and Safety; faults B099, B101, B124, B125.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from faithfold.core.errors import SettingsError
from faithfold.proxy import errors
from faithfold.proxy.client import Asked
from faithfold.proxy.deciding import BYPASS, POLICY_HEADER, Engines
from faithfold.proxy.guard import refusal
from faithfold.proxy.headers import Header, upward, value
from faithfold.proxy.routes import route, upstream_of
from faithfold.proxy.settings import ANTHROPIC, OPENAI, ProxySettings
from faithfold.resending import Engine

_VIA = b"via"
_READ = "POST"  # the method of all requests that are read


class RefusedError(Exception):
    """A request goes no further.

    Attributes:
        status: of the answer.
        body: of the answer, JSON.
        why: one line.
    """

    def __init__(self, status: int, body: bytes, why: str) -> None:
        """With the answer."""
        super().__init__(why)
        self.status = status
        self.body = body
        self.why = why


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a request goes.

    Attributes:
        dialect: in which it is read; empty where it only passes through.
        upstream: the address that it goes to.
        headers: with which it goes.
        policy: that its own header asks for; empty where it asks for none.
        engine: that decides about it; None where nobody does.
    """

    dialect: str
    upstream: str
    headers: list[Header]
    policy: str
    engine: Engine | None


class Gate:
    """Lets requests through.

    Args:
        settings: of the proxy.
        engines: that may decide.
    """

    def __init__(self, settings: ProxySettings, engines: Engines) -> None:
        """Nobody has come yet."""
        self._settings = settings
        self._engines = engines
        self._name = f"faithfold-{secrets.token_hex(8)}"

    @property
    def threshold(self) -> int | None:
        """The threshold that was set."""
        return self._engines.own.settings.threshold_tokens

    def passage(self, asked: Asked) -> Passage:
        """Where a request goes.

        Raises:
            RefusedError: it goes nowhere.
        """
        dialect = route(asked.path) or ""
        self._judge(asked, dialect)
        upstream = upstream_of(asked.path, self._settings.anthropic_upstream, self._settings.openai_upstream)
        headers = upward(asked.headers)
        if upstream not in (ANTHROPIC, OPENAI):  # these don't lead back, and so are told nothing
            headers.append((_VIA, f"1.1 {self._name}".encode()))
        if asked.method != _READ or not dialect:
            return Passage("", upstream, headers, "", None)
        policy = value(asked.headers, POLICY_HEADER)
        return Passage(dialect, upstream, headers, policy, self._engine(policy, dialect))

    def _judge(self, asked: Asked, dialect: str) -> None:
        """Raises a RefusedError where a request may not be here."""
        why = refusal(asked.headers, self._settings.host, self._settings.token, own_page=False)
        if why is not None:
            raise RefusedError(403, errors.refused(dialect, why), why)
        if self._name in value(asked.headers, _VIA):
            why = "the upstream leads back to this proxy; set it to the address of a provider"
            raise RefusedError(508, errors.unreachable(dialect, why), why)
        if value(asked.headers, b"upgrade").lower() == "websocket":
            raise RefusedError(426, errors.http_only(dialect), "a WebSocket can't be had here")

    def _engine(self, policy: str, dialect: str) -> Engine | None:
        try:
            return None if policy == BYPASS else self._engines.by(policy)
        except SettingsError as error:
            raise RefusedError(400, errors.unusable(dialect, str(error)), str(error)) from None
