"""The oracle: the reference implementation of cliff, behind typed functions; and the same question put to ours."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from faithfold.compaction import compact
from faithfold.core.media import media
from faithfold.core.sizes import QUARTERS
from faithfold.core.values import as_list, is_list, is_object
from faithfold.engine.options import EngineSettings
from faithfold.resending import Decision
from faithfold.strategies.options import CompactSettings

DIALECTS = ("anthropic", "openai", "openai-responses")
_MODULES = ("anthropic", "openai_chat", "openai_responses")


@dataclass(frozen=True)
class Outcome:
    """What a compaction gives, of either implementation."""

    messages: list[object]
    head_len: int
    summary: object
    cut: int


class _Result(Protocol):
    messages: list[object]
    head_len: int
    summary: object
    cut: int


class _Dialect(Protocol):
    def digest_message(self, message: object) -> str: ...

    def summarize_message(self, message: object, settings: object) -> list[str]: ...


class _Cliff(Protocol):
    def compact(self, messages: object, dialect: _Dialect, settings: object) -> _Result | None: ...


class _Prepared(Protocol):
    substituted: list[object]
    base_cut: int
    base_head: int
    modified: bool
    compacted: bool
    rung: int
    over_budget: bool
    est_tokens_in: int
    est_tokens_out: int
    chain: list[str]


class _Resending(Protocol):
    def prepare(self, body: object, dialect: _Dialect) -> _Prepared: ...

    def reactive(self, ctx: _Prepared) -> bool: ...


class _Engine(Protocol):
    def Engine(self, cfg: object) -> _Resending: ...  # noqa: N802  it is a class over there

    def billable_chars(self, value: object) -> int: ...

    def estimate_tokens(self, value: object) -> int: ...


class _Images(Protocol):
    def tokens_for_payload(self, payload: str) -> int: ...

    def image_payloads(self, value: object) -> list[str]: ...


class _Hashing(Protocol):
    def chain_hashes(self, digests: list[str]) -> list[str]: ...


class _Config(Protocol):
    def Config(self, **settings: object) -> object: ...  # noqa: N802  it is a class over there


def _module(name: str) -> object:
    return import_module(f"cliffcompaction.{name}")


_CLIFF = cast("_Cliff", _module("cliff"))
_ENGINE = cast("_Engine", _module("engine"))
_IMAGES = cast("_Images", _module("images"))
_HASHING = cast("_Hashing", _module("hashing"))
_CONFIG = cast("_Config", _module("config"))
_DIALECTS = {
    name: cast("_Dialect", _module(f"dialects.{module}").__getattribute__("DIALECT"))
    for name, module in zip(DIALECTS, _MODULES, strict=True)
}
_SETTINGS = (
    "keep_recent",
    "thought_max_chars",
    "thinking_max_chars",
    "keep_thinking",
    "cmd_max_chars",
    "result_max_chars",
    "human_max_chars",
)


def theirs(messages: Sequence[object], dialect: str, settings: CompactSettings) -> Outcome | None:
    """What the oracle makes of a conversation."""
    config = _CONFIG.Config(**{name: getattr(settings, name) for name in _SETTINGS})
    made = _CLIFF.compact(list(messages), _DIALECTS[dialect], config)
    return None if made is None else Outcome(made.messages, made.head_len, made.summary, made.cut)


def ours(messages: Sequence[object], dialect: str, settings: CompactSettings) -> Outcome | None:
    """What we make of it."""
    made = compact(messages, dialect, settings)
    return None if made is None else Outcome([*made.messages], made.head_len, made.summary, made.cut)


@dataclass(frozen=True)
class Sent:
    """What an engine makes of a request, of either implementation."""

    messages: list[object]
    cut: int
    head_len: int
    summary: object
    tokens_in: int
    tokens_out: int
    modified: bool
    compacted: bool
    rung: int
    over_budget: bool
    chain: list[str]


class Engine:
    """The oracle's engine."""

    def __init__(self, settings: EngineSettings) -> None:
        shared = {name: getattr(settings, name) for name in (*_SETTINGS, "threshold_tokens", "strict")}
        self._engine = _ENGINE.Engine(_CONFIG.Config(**shared))
        self._last: _Prepared | None = None

    def prepare(self, body: Mapping[str, object], dialect: str) -> Sent:
        self._last = self._engine.prepare(body, _DIALECTS[dialect])
        return _as_sent(self._last)

    def overflow(self) -> Sent | None:
        """The next try after the last request was refused, or None."""
        last = self._last
        return _as_sent(last) if last is not None and self._engine.reactive(last) else None


def _as_sent(made: _Prepared) -> Sent:
    return Sent(
        messages=made.substituted,
        cut=made.base_cut,
        head_len=made.base_head,
        summary=made.substituted[made.base_head] if made.base_cut else None,
        tokens_in=made.est_tokens_in,
        tokens_out=made.est_tokens_out,
        modified=made.modified,
        compacted=made.compacted,
        rung=made.rung,
        over_budget=made.over_budget,
        chain=made.chain,
    )


def as_sent(decision: Decision) -> Sent:
    """What our engine decided, to be compared with the oracle's."""
    return Sent(
        messages=[*as_list(decision.messages)],
        cut=decision.cut,
        head_len=decision.head_len,
        summary=decision.summary,
        tokens_in=decision.tokens_in,
        tokens_out=decision.tokens_out,
        modified=decision.modified,
        compacted=decision.compacted,
        rung=decision.rung,
        over_budget=decision.over_budget,
        chain=decision.chain,
    )


def parts(message: object, dialect: str) -> list[str]:
    """What the oracle's summary shows of a message, by its defaults."""
    return _DIALECTS[dialect].summarize_message(message, _CONFIG.Config())


def digest(message: object, dialect: str) -> str:
    """The oracle's digest of a message."""
    return _DIALECTS[dialect].digest_message(message)


def chain(digests: Sequence[str]) -> list[str]:
    """The oracle's chain."""
    return _HASHING.chain_hashes(list(digests))


def tokens(value: object) -> int:
    """The oracle's estimate."""
    return _ENGINE.estimate_tokens(value)


def quarters(value: object) -> int:
    """The oracle's estimate in quarter tokens."""
    return _ENGINE.billable_chars(value)


def image(payload: str) -> int:
    """What the oracle counts for a picture, in tokens."""
    return _IMAGES.tokens_for_payload(payload)


def price_difference(value: object) -> int:
    """By how many quarter tokens our prices of the media in `value` differ from the oracle's, medium by medium.

    The oracle knows the pictures of each API as inline data or URL; what it doesn't know counts as text.
    """
    known = list(_IMAGES.image_payloads(value))
    difference = 0
    for payload, price in media(value):
        as_text = len(json.dumps(payload, ensure_ascii=False)) - 2
        counted = image(payload) * QUARTERS if payload in known else as_text
        difference += price * QUARTERS - counted
    return difference


def plain(value: object) -> object:
    """`value` with every character that isn't ASCII replaced by one that is."""
    if isinstance(value, str):
        return "".join(character if character.isascii() else "x" for character in value)
    if is_list(value):
        return [plain(inner) for inner in value]
    return {name: plain(inner) for name, inner in value.items()} if is_object(value) else value
