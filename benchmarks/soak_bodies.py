"""Bodies of requests in the soak: a session's own, in all codings, and such that lie.

Each is made of a session; with it come its headers, and whether it has to arrive as the very bytes that were sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from benchmarks.soak_acts import bomb
from benchmarks.soak_sessions import Session
from faithfold.dialects import DIALECTS
from faithfold.testing.codings import packed

MOST_BYTES = 4 * 1024 * 1024
"""The proxy's bound."""


@dataclass(frozen=True)
class Load:
    """A body.

    Attributes:
        body: the bytes.
        headers: that go with it.
        untouched: whether it can't be read, and so has to arrive as it is.
    """

    body: bytes
    headers: tuple[str, ...] = ()
    untouched: bool = False

    @property
    def hash(self) -> str:
        """Of the bytes."""
        return sha256(self.body).hexdigest()


Body = Callable[[Session], Load]


def own(session: Session) -> Load:
    """The history of the session."""
    return Load(session.body())


def coded(coding: str) -> Body:
    """The same in a coding."""
    return lambda session: Load(b"".join(packed([session.body()], coding)), (f"content-encoding: {coding}",))


def lies_about_its_coding(session: Session) -> Load:
    """It says gzip, and isn't."""
    return Load(session.body(), ("content-encoding: gzip",), untouched=True)


def cut_in_its_coding(session: Session) -> Load:
    """A gzip without its end."""
    whole = coded("gzip")(session)
    return Load(whole.body[:-20], whole.headers, untouched=True)


def bombing(*codings: str) -> Body:
    """Small, and too large when it is unpacked."""
    data = bomb(64) if len(codings) == 1 else b"".join(packed([bomb(64)], codings[-1]))
    return lambda _: Load(data, (f"content-encoding: {', '.join(codings)}",))


def large(session: Session) -> Load:
    """Many times the window, and allowed."""
    return Load(session.body(padding="p" * (MOST_BYTES // 2)))


def too_large(session: Session) -> Load:
    """More than the proxy takes."""
    return Load(session.body(padding="p" * MOST_BYTES))


def no_json(session: Session) -> Load:
    """A form."""
    return Load(b"model=claude&marker=" + session.marker, untouched=True)


def cut(session: Session) -> Load:
    """JSON without its end."""
    return Load(session.body()[:-40], untouched=True)


def nesting_deeply(session: Session) -> Load:
    """Deeper than any parser goes."""
    deep = b"[" * 60_000 + b"]" * 60_000
    return Load(b'{"model": "m", "%b": %b}' % (_key(session), deep), untouched=True)


def nesting_in_a_message(session: Session) -> Load:
    """The same inside one of the messages."""
    deep = b"[" * 20_000 + b"]" * 20_000
    return Load(session.body()[:-2] + b', {"role": "user", "content": %b}]}' % deep)


def with_keys_twice(session: Session) -> Load:
    """The messages are there twice, and so is the model."""
    return Load(b'{"model": "m", "%b": [], ' % _key(session) + session.body()[1:])


def with_lone_surrogates(session: Session) -> Load:
    """Halves of characters, as escapes."""
    return Load(session.body(title="MARK").replace(b"MARK", rb"\ud83d and \udc00"))


def in_no_utf8(session: Session) -> Load:
    """Bytes that are no text."""
    return Load(session.body(title="MARK").replace(b"MARK", b"\xff\xfe\xc3"), untouched=True)


def with_huge_numbers(session: Session) -> Load:
    """Of more digits than Python reads."""
    return Load(session.body(seed="MARK").replace(b'"MARK"', b"9" * 6_000))


def with_other_types(session: Session) -> Load:
    """Messages that are none."""
    return Load(b'{"model": 7, "%b": [1, null, "x", [[]], {"role": []}, {"content": {}}]}' % _key(session))


def empty(_: Session) -> Load:
    """Nothing."""
    return Load(b"", untouched=True)


def _key(session: Session) -> bytes:
    return DIALECTS[session.dialect].messages_key.encode()
