"""One request: the client's messages, what is known of each, and where they stand in its bytes.

A request comes as bytes, as on the wire, or as a dict. Of bytes, messages that are known are not parsed; the others,
and those that somebody looks at, are parsed when they are looked at.

Source: spec 10-cliff, Engine; ARCHITECTURE, choose, never rebuild.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from xxhash import xxh3_128_digest

from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Dialect
from faithfold.core.errors import InputError
from faithfold.core.identity import chain, digest
from faithfold.core.pairing import Key
from faithfold.core.parts import Call, Reference, Result
from faithfold.core.sizes import SEPARATOR, Sizer
from faithfold.core.values import as_object, as_text, is_list
from faithfold.engine.beginning import NOTHING, recalled, remember
from faithfold.engine.recognition import REFERRED, Known, Recognition, Stretch
from faithfold.wire import Split, resume, split


class Parsed(Sequence[object]):
    """Messages out of their bytes, each parsed when it is first looked at."""

    def __init__(self, whole: Split) -> None:
        """Parses nothing yet."""
        self._whole = whole
        self._made: dict[int, object] = {}

    def __len__(self) -> int:
        """How many messages there are."""
        return len(self._whole.messages)

    @overload
    def __getitem__(self, index: int) -> object: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[object]: ...

    def __getitem__(self, index: int | slice) -> object:
        """A message, or several."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        if at not in self._made:
            self._made[at] = json.loads(self.text(at))
        return self._made[at]

    def text(self, index: int) -> bytes:
        """The bytes of a message."""
        return self._whole.message(index)


@dataclass(frozen=True)
class Request:
    """A request, and what is known of its messages.

    Attributes:
        dialect: of its messages.
        source: the body as it came.
        whole: where the messages are in it; None where it came as a dict.
        messages: the messages, in order.
        known: what is known of each.
        chain: identifies each prefix of the messages.
        rest: the body with no messages in it.
        fixed: the size of that, in quarter tokens.
    """

    dialect: Dialect
    source: bytes | Mapping[str, object]
    whole: Split | None
    messages: Sequence[object]
    known: Sequence[Known]
    chain: Sequence[str]
    rest: Mapping[str, object]
    fixed: int

    @cached_property
    def conversation(self) -> Conversation:
        """The messages, to be read."""
        return Conversation(self.messages, self.dialect)

    @cached_property
    def sizes(self) -> list[int]:
        """The size of each message, in quarter tokens."""
        return [known.quarters for known in self.known]

    @property
    def model(self) -> str:
        """The model that is asked."""
        return as_text(self.rest.get("model"))

    @property
    def quarters(self) -> int:
        """The size of the request, in quarter tokens."""
        return self.fixed + sum(self.sizes) + SEPARATOR * max(0, len(self.sizes) - 1)


def of_bytes(body: bytes, dialect: Dialect, seed: int, recognition: Recognition) -> Request | None:
    """The request in a body as it came over the wire, or None if it holds no list of messages.

    Args:
        body: the bytes.
        dialect: of its messages.
        seed: of the hash, so that two dialects' messages of the same bytes are not taken for one.
        recognition: messages seen before.

    Raises:
        ValueError, RecursionError: the body, or a message in it, is nothing that a reader takes.
    """
    hashed, past = recalled(body, seed, recognition)
    whole = resume(body, dialect.messages_key, past.opening, past.spans)
    if whole is None:
        past, whole = NOTHING, split(body, dialect.messages_key)
    if whole is None:
        return None
    messages, first = Parsed(whole), len(past.known)
    new = [_recognised(messages, index, dialect, seed, recognition) for index in range(first, len(messages))]
    known = past.known.followed_by(new)
    links = past.chain.followed_by(chain((one.digest for one in new), *past.chain[-1:]))
    remember(hashed, Stretch(whole.array[0], whole.messages, known, links), recognition)
    rest = as_object(json.loads(whole.rest))
    return Request(dialect, body, whole, messages, known, links, rest, Sizer().quarters(rest))


def _recognised(messages: Parsed, index: int, dialect: Dialect, seed: int, recognition: Recognition) -> Known:
    """What is known of a message, by its bytes; one that is new is learned."""
    key = xxh3_128_digest(messages.text(index), seed)
    found = recognition.get(key)
    if found is None:
        found = learned(messages[index], dialect)
        recognition.put(key, found)
    return found


def of_dict(body: Mapping[str, object], dialect: Dialect) -> Request | None:
    """The request in a dict, or None if it holds no list of messages.

    Raises:
        InputError: it holds something that JSON has no form for.
    """
    messages = body.get(dialect.messages_key)
    if not is_list(messages):
        return None
    rest: dict[str, object] = {**body, dialect.messages_key: []}
    known = [learned(message, dialect) for message in messages]
    links = chain(one.digest for one in known)
    return Request(dialect, body, None, tuple(messages), known, links, rest, Sizer().quarters(rest))


def learned(message: object, dialect: Dialect) -> Known:
    """What there is to know of a message.

    Raises:
        InputError: it holds something that JSON has no form for.
    """
    quarters = Sizer().quarters(message)
    parts = dialect.read(message).parts
    return Known(
        _digest(message, dialect),
        quarters,
        tuple(_call(part) for part in parts if isinstance(part, (Call, Reference))),
        tuple((part.family, part.id) for part in parts if isinstance(part, Result)),
    )


def _call(part: Call | Reference) -> Key:
    return (part.family, part.id) if isinstance(part, Call) else REFERRED


def _digest(message: object, dialect: Dialect) -> str:
    try:
        return digest(dialect.canonical(message))
    except TypeError as error:  # names that can't be put in order
        raise InputError(f"not JSON: {error}") from error
