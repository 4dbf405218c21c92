"""A request's bytes, split into the client's own messages without building their objects, and spliced again.

What is kept is the client's bytes: numbers, key order, escapes, white space, duplicate keys. Nothing is decoded that is
not looked at, and nothing is encoded but a note of ours.

Two readers find where messages begin and end. The fast one lets msgspec walk the text and counts along. What msgspec
refuses but JSON's own reader takes (lone surrogates, NaN), and bodies with a field twice, go to the slow one, which
walks token by token. What neither takes is not ours to touch.

Source: ARCHITECTURE, choose, never rebuild; faults B078, B079, B104 to B106, B109.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from faithfold.core.joined import Joined

if TYPE_CHECKING:
    import msgspec

Span = tuple[int, int]
"""Where a piece of the body begins and ends, in bytes."""

_SPACE = re.compile(rb"[ \t\r\n]*")
# Possessive, so that a string of many megabytes leaves no way back to remember.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{},:]', re.DOTALL)
_NAME = re.compile(rb'[{,][ \t\r\n]*+("(?:[^"\\]++|\\.)*+")[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Split:
    """A request body and where its messages are.

    Attributes:
        body: as the client sent it.
        array: the span of the message list, brackets included.
        messages: the span of each message.
    """

    body: bytes
    array: Span
    messages: Sequence[Span]

    def message(self, index: int) -> bytes:
        """The bytes of one message."""
        start, end = self.messages[index]
        return self.body[start:end]

    @property
    def rest(self) -> bytes:
        """The body with an empty list in place of the messages."""
        return self.body[: self.array[0]] + b"[]" + self.body[self.array[1] :]


def split(body: bytes, key: str) -> Split | None:
    """Where the messages are in a request body.

    Args:
        body: as it came over the wire.
        key: the field that holds the messages.

    Returns:
        The spans, or None where the body is no JSON object with a list in that field.
    """
    import msgspec  # which takes as long to import as all of the rest

    try:
        return _fast(body, key) or _slow(body, key)
    except (msgspec.DecodeError, ValueError, IndexError, RecursionError):
        return _slow(body, key)


def resume(body: bytes, key: str, opening: int, spans: Sequence[Span]) -> Split | None:
    """As `split`, for a body whose first messages are known: only what follows them is read.

    Args:
        body: as it came over the wire.
        key: the field that holds the messages.
        opening: where the list of messages opens.
        spans: of the messages that are known to stand at its beginning.

    Returns:
        The spans, or None where none were known or the body goes on in another way.
    """
    if not spans:
        return None
    end = spans[-1][1]
    shorter = split(b"".join((body[: opening + 1], b"0", body[end:])), key)  # one number for all that is known
    if shorter is None or shorter.array[0] != opening:
        return None
    left_out = end - (opening + 2)
    read = [(start + left_out, stop + left_out) for start, stop in shorter.messages[1:]]
    return Split(body, (opening, shorter.array[1] + left_out), Joined([spans, read]))


def splice(whole: Split, pieces: Sequence[range | bytes]) -> bytes:
    """The body with other messages.

    Args:
        whole: the client's body.
        pieces: in order, ranges of the client's messages, which keep what stands between them, and the JSON text of
            messages of ours.
    """
    texts = [piece if isinstance(piece, bytes) else _run(whole, piece) for piece in pieces if piece]
    return b"".join((whole.body[: whole.array[0] + 1], b",".join(texts), whole.body[whole.array[1] - 1 :]))


def _run(whole: Split, indices: range) -> bytes:
    return whole.body[whole.messages[indices[0]][0] : whole.messages[indices[-1]][1]]


# ---------------------------------------------------------------- the fast reader


@cache
def _decoders() -> tuple[msgspec.json.Decoder[dict[str, msgspec.Raw]], msgspec.json.Decoder[list[msgspec.Raw]]]:
    """Of the body's fields, and of the items in a list: each value is left as it stands."""
    import msgspec

    return msgspec.json.Decoder(dict[str, msgspec.Raw]), msgspec.json.Decoder(list[msgspec.Raw])


def _fast(body: bytes, key: str) -> Split | None:
    """None where a field stands twice, so that msgspec's fields are not all that there are.

    That what is walked over is `{name: value, ...}` to the end of the body, each name and value the one that msgspec
    found, makes it the only reading.
    """
    fields = _decoders()[0].decode(body)
    array: Span | None = None
    at = _after_space(body, 0)
    for name, value in fields.items():
        token = _NAME.match(body, at)
        if token is None or json.loads(token[1]) != name or not body.startswith(value, token.end()):
            return None
        start, end = token.end(), token.end() + len(value)
        if name == key:
            array = (start, end)
        at = _after_space(body, end)
    closed = body[at : at + 1] == b"}" and _after_space(body, at + 1) == len(body)
    if array is None or body[array[0]] != ord("[") or not closed:
        return None
    return Split(body, array, list(_counted(body, array[0] + 1, _decoders()[1].decode(fields[key]))))


def _counted(body: bytes, at: int, items: Sequence[msgspec.Raw]) -> Iterator[Span]:
    space = b" \t\r\n,"
    for item in items:
        while body[at] in space:
            at += 1
        end = at + len(item)
        yield at, end
        at = end


def _after_space(body: bytes, at: int) -> int:
    found = _SPACE.match(body, at)
    return found.end() if found else at


# ---------------------------------------------------------------- the slow reader


def _slow(body: bytes, key: str) -> Split | None:
    try:
        value: object = json.loads(body.decode("utf-8", "surrogatepass"))  # as it reads bytes, but for UTF-16
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    array = None
    for name, span in _members(body):
        if json.loads(body[name[0] : name[1]]) == key:
            array = span  # of a field that stands twice the last one counts
    if array is None or body[array[0]] != ord("["):
        return None
    return Split(body, array, list(_elements(body, array)))


def _members(body: bytes) -> Iterator[tuple[Span, Span]]:
    """The spans of each field's name and value."""
    outer = _after_space(body, 0)
    name: Span | None = None
    for start, end, closer in _pieces(body, outer):
        if closer == b":":
            name = (start, end)
        elif name is not None:
            yield name, (start, end)


def _elements(body: bytes, array: Span) -> Iterator[Span]:
    return ((start, end) for start, end, _ in _pieces(body, array[0]) if start < end)


def _pieces(body: bytes, at: int) -> Iterator[tuple[int, int, bytes]]:
    """What stands in the object or list that opens at `at`, up to each separator: where it is, and the separator."""
    depth, start = 1, at + 1
    tokens = _TOKEN.finditer(body, start)
    while depth > 0:
        token = next(tokens)
        mark = token[0]
        depth += (mark in b"[{") - (mark in b"]}")
        if depth == 0 or (depth == 1 and mark in (b",", b":")):
            yield _trimmed(body, start, token.start(), mark)
            start = token.end()


def _trimmed(body: bytes, start: int, end: int, mark: bytes) -> tuple[int, int, bytes]:
    piece = body[start:end]
    return start + len(piece) - len(piece.lstrip(b" \t\r\n")), end - len(piece) + len(piece.rstrip(b" \t\r\n")), mark
