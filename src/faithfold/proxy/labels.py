"""Which conversation a request belongs to, for people to see: a short label, and whether it is a turn of one at all.

The idea: many clients say which session a request belongs to, each in a place of its own: a table names them. Where
none says it, the beginning of the history tells: it stays the same while the history grows.

Invariant: a label shows nothing of what it was made from, whatever that was. It is for display: no data are looked up
by it (faults B126, B129).

Source: spec 40-proxy, What a person sees.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from faithfold.core.parts import Reading
from faithfold.core.values import as_object, as_text
from faithfold.proxy.headers import Header, value

Fields = Mapping[str, object]

_DOMAIN = "faithfold session"
_DIGITS = 16

# Headers that name a session, the finest first. Those of a row make the name together: in Claude Code, the agents below
# a session share its id.
_HEADERS = (
    (b"x-claude-code-session-id", b"x-claude-code-agent-id"),
    (b"thread-id",),
    (b"session-id",),
    (b"x-session-id",),
    (b"x-session-affinity",),
)
_RESERVING = ("max_tokens", "max_output_tokens", "max_completion_tokens")


def label(headers: Sequence[Header], fields: Fields, chain: Sequence[str], opening: int = 0) -> str:
    """16 hex digits that are the same for all requests of one conversation; empty where nothing tells.

    Args:
        headers: of the request.
        fields: of its body.
        chain: identifies each prefix of its messages.
        opening: which message is the first that isn't the same in all conversations, see `beginning`.
    """
    said = [*_said_in_headers(headers), *_said_in_body(fields), *chain[opening : opening + 1]]
    return next((_hashed(name) for name in said if name), "")


def _hashed(name: str) -> str:
    return sha256(f"{_DOMAIN}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _said_in_headers(headers: Sequence[Header]) -> Iterable[str]:
    for first, *others in _HEADERS:
        if session := value(headers, first):
            yield "\0".join([session, *filter(None, (value(headers, other) for other in others))])


def _said_in_body(fields: Fields) -> Iterable[str]:
    metadata = as_object(fields.get("client_metadata"))
    yield _session_of_user(as_text(as_object(fields.get("metadata")).get("user_id")))
    yield as_text(metadata.get("thread_id")) or as_text(metadata.get("session_id"))
    yield as_text(fields.get("prompt_cache_key"))


def _session_of_user(user_id: str) -> str:
    """The session in Claude Code's `metadata.user_id`, a JSON text; older ones end in it. Others name a user alone."""
    if user_id.startswith("{"):
        try:
            return as_text(as_object(json.loads(user_id)).get("session_id"))
        except (ValueError, RecursionError):
            return ""
    return user_id.partition("_session_")[2]


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a history begins.

    Attributes:
        opening: index of the first message that is no instruction: instructions are the same in all of an agent's
            conversations. 0 where there is none.
        answered: whether the model has said anything yet.
    """

    opening: int
    answered: bool


def beginning(messages: Iterable[object], read: Callable[[object], Reading]) -> Beginning:
    """Looks at a history as far as the model's first turn.

    Args:
        messages: of the request.
        read: reads one, see `Dialect.read`.
    """
    opening: int | None = None
    for index, message in enumerate(messages):
        speaker = read(message).speaker
        if speaker == "model":
            return Beginning(index if opening is None else opening, answered=True)
        if opening is None and speaker != "instruction":
            opening = index
    return Beginning(opening or 0, answered=False)


def is_probe(fields: Fields) -> bool:
    """Whether a request asks for one token: it wants to know whether it is answered, or how much is left."""
    asked = [fields[name] for name in _RESERVING if name in fields]
    return bool(asked) and all(type(tokens) is int and tokens <= 1 for tokens in asked)


def is_side_call(fields: Fields, *, answered: bool) -> bool:
    """Whether a request is no turn of a conversation that goes on: a probe, or the first word of one.

    An agent's own calls, for a title or a summary of a page, look like the first turn of a conversation, and are told
    from it by what follows.

    Args:
        fields: of the body.
        answered: whether the model has said anything in its history yet.
    """
    return is_probe(fields) or not answered
