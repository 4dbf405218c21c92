"""For callers who resend their history: one engine, request after request.

The engine remembers what stood for the beginning of a history and puts it in when that beginning comes again, so that
between two compactions the provider sees a prefix that only grows.

Source: spec 05-api, Engine; spec 10-cliff, Engine.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from faithfold import dialects
from faithfold.core.commands import Command, Lookup, Remember
from faithfold.core.dialect import Dialect, Message
from faithfold.core.errors import FaithfoldError, InputError, SettingsError
from faithfold.core.projection import Kept
from faithfold.core.sizes import QUARTERS
from faithfold.drivers import run
from faithfold.engine import decide, standing
from faithfold.engine.decide import Outcome
from faithfold.engine.histories import Histories, Prefix
from faithfold.engine.options import EngineSettings
from faithfold.engine.policies import strategies_of
from faithfold.engine.recognition import Recognition
from faithfold.engine.request import Request, of_bytes, of_dict
from faithfold.engine.store import PrefixEntry, PrefixStore
from faithfold.engine.threshold import Window, threshold
from faithfold.models.catalogue import window as known_window

Body = bytes | bytearray | memoryview | Mapping[str, object]


class Decision:
    """What to send in place of a request.

    Attributes:
        dialect: of the request.
        outcome: how it came about.
    """

    def __init__(self, outcome: Outcome, dialect: str) -> None:
        """Of an outcome."""
        self.outcome = outcome
        self.dialect = dialect

    @cached_property
    def body(self) -> bytes:
        """The bytes to send; the client's own bytes object where nothing was changed.

        Raises:
            InputError: the body is a dict that JSON can't express.
        """
        outcome = self.outcome
        request, source = outcome.request, outcome.source
        try:
            if request is not None and (outcome.standing is not None or request.whole is None):
                return standing.body(request, outcome.standing)
            return source if isinstance(source, bytes) else json.dumps({**source}, separators=(",", ":")).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"the body is not JSON: {error}") from error

    @cached_property
    def messages(self) -> list[Message]:
        """The messages to send; those kept are the client's own objects where it gave objects."""
        request = self.outcome.request
        if request is None:
            return []
        return cast("list[Message]", standing.messages(request, self.outcome.standing))

    @property
    def modified(self) -> bool:
        """Whether what is sent differs from what came."""
        return self.outcome.standing is not None

    @property
    def compacted(self) -> bool:
        """Whether the request was compacted now, and not only before."""
        return self.outcome.compacted

    @property
    def rung(self) -> int:
        """The highest rung of the ladder that was needed; 0 is an ordinary compaction, or none."""
        return self.outcome.rung

    @property
    def over_budget(self) -> bool:
        """Whether it is over the threshold all the same."""
        return self.outcome.over_budget

    @property
    def tokens_in(self) -> int:
        """The size of the request as it came, by the reference estimate."""
        request = self.outcome.request
        return 0 if request is None else request.quarters // QUARTERS

    @property
    def tokens_out(self) -> int:
        """The size of the request as it is sent, by the reference estimate."""
        request = self.outcome.request
        return 0 if request is None else standing.quarters(request, self.outcome.standing) // QUARTERS

    @property
    def threshold(self) -> int:
        """The size over which the request is compacted, in tokens; 0 where it couldn't be read."""
        return self.outcome.threshold

    @property
    def prefix(self) -> Prefix:
        """Whether the messages that are sent go on from those of the request before, and if not, why."""
        return self.outcome.prefix

    @property
    def problem(self) -> str:
        """One line on why the request is sent as it came, or can't be small enough; empty where all is well."""
        return self.outcome.problem

    @property
    def head_len(self) -> int:
        """How many messages at the beginning are kept as they are; 0 where nothing was changed."""
        entries = self.outcome.standing.entries if self.outcome.standing else ()
        return next((index for index, entry in enumerate(entries) if entry != Kept(index)), len(entries))

    @property
    def cut(self) -> int:
        """Index into the request's messages: from there on all are kept; 0 where nothing was changed."""
        return standing.cut(self.outcome.standing)

    @property
    def summary(self) -> Message | None:
        """The note's message, if there is one."""
        return standing.note(self.outcome.standing)

    @property
    def failed(self) -> bool:
        """Whether the policy or the store failed; `problem` says how. What is sent is legal all the same."""
        return self.outcome.failed

    @property
    def chain(self) -> list[str]:
        """Identifies each prefix of the request's messages."""
        request = self.outcome.request
        return [] if request is None else [*request.chain]


class Engine:
    """Compacts requests that are too large, and puts in what was compacted before.

    Many threads may use one engine at once.

    Args:
        settings: how and when.
        store: what is remembered of earlier compactions; one in memory by default.
        window: the context window of a model, in tokens, or None where it isn't known; by default from a data package.

    Raises:
        SettingsError: the policy is unknown.
    """

    def __init__(
        self, settings: EngineSettings | None = None, store: PrefixStore | None = None, window: Window = known_window
    ) -> None:
        """An engine that has seen nothing yet."""
        self.settings = settings if settings is not None else EngineSettings()
        limits = (self.settings.store_max_entries, self.settings.store_max_bytes)
        self.store = store if store is not None else PrefixStore(*limits)
        self.recognition = Recognition(self.settings.recognition_max_bytes)
        strategies_of(self.settings)  # an unknown policy shows now, not with the first large request
        self._scope = decide.scope_of(self.settings, secrets.token_hex(16))
        self._window = window
        self._histories = Histories(self.settings.store_max_entries)
        # Two dialects' messages of the same bytes are not one; and nobody outside can know two bodies of one hash.
        self._seeds = {name: secrets.randbits(64) for name in dialects.DIALECTS}

    def prepare(self, body: Body, dialect: str, betas: str | Sequence[str] = ()) -> Decision:
        """Decides what to send in place of a request.

        A body never makes it raise: one that can't be read, or that the policy fails on, is sent as it came, and the
        decision's `problem` says why.

        Args:
            body: of the request: bytes, as on the wire, or a dict.
            dialect: of its messages.
            betas: what the request's beta header asks for: it may widen the model's window.

        Raises:
            InputError: the dialect is unknown, or `body` is neither bytes nor a dict.
        """
        row = dialects.dialect(dialect)
        plain = bytes(body) if isinstance(body, (bytearray, memoryview)) else body
        if not isinstance(plain, (bytes, Mapping)):  # pyright: ignore[reportUnnecessaryIsInstance]  callers may not be typed
            raise InputError(f"a body must be bytes or a dict, not {type(plain).__name__}")
        try:
            request = self._read(plain, row)
        except (InputError, ValueError, RecursionError) as error:
            return Decision(Outcome(plain, problem=_line("the body can't be read", error)), dialect)
        if request is None:
            return Decision(Outcome(plain, problem=f"the body has no list of {row.messages_key} to be read"), dialect)
        limit = threshold(self.settings, request.rest, self._window, [betas] if isinstance(betas, str) else betas)
        answers = _Answers(self.store)
        outcome = run(decide.prepare(request, self.settings, self._scope, limit), answers)
        if answers.problem and not outcome.failed:
            outcome = replace(outcome, problem=answers.problem, failed=True)
        return self._decision(outcome, request, dialect)

    def overflow(self, decision: Decision) -> Decision | None:
        """Decides anew after the provider refused a decision for its length; None when nothing is left to try."""
        request = decision.outcome.request
        if request is None:
            return None
        steps = decide.overflow(decision.outcome, request, self.settings, self._scope)
        outcome = run(steps, _Answers(self.store))
        if outcome is None:
            return None
        made = self._decision(outcome, request, decision.dialect)
        return Decision(replace(made.outcome, prefix="overflow"), decision.dialect)

    def _read(self, body: bytes | Mapping[str, object], dialect: Dialect) -> Request | None:
        if isinstance(body, bytes):
            return of_bytes(body, dialect, self._seeds[dialect.name], self.recognition)
        return of_dict(body, dialect)

    def _decision(self, outcome: Outcome, request: Request, dialect: str) -> Decision:
        """The decision; what is sent for the history is remembered, so that the next one can be held against it."""
        sent = 0 if outcome.standing is None else outcome.standing.shown
        return Decision(replace(outcome, prefix=self._histories.prefix(request.chain, sent)), dialect)


class _Answers:
    """Answers what a decision asks for. The store is a cache: where it fails, nothing was remembered."""

    def __init__(self, store: PrefixStore) -> None:
        self._store = store
        self.problem = ""

    def __call__(self, command: Command) -> object:
        if not isinstance(command, (Lookup, Remember)):
            name = type(command).__name__.lower()
            raise SettingsError(f"this policy needs {name} answered, and nothing here can")
        try:
            return self._stored(command)
        except Exception as error:  # noqa: BLE001  whatever it is, the request must go out
            self.problem = _line(
                "the store failed", error if isinstance(error, FaithfoldError) else type(error).__name__
            )
            return None

    def _stored(self, command: Lookup | Remember) -> object:
        if isinstance(command, Lookup):
            return self._store.longest(command.scope, command.chain)
        if isinstance(command.entry, PrefixEntry):
            self._store.put(command.scope, command.link, command.entry)
        return None


def _line(what: str, why: object) -> str:
    return " ".join(f"{what}: {why}".split())
