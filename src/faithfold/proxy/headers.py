"""Which headers go on: raw lists in, raw lists out, in the order, case and number in which they came.

The idea: a proxy leaves out what was said to it alone, and passes on all else untouched. What was said to it alone is
what HTTP names so, what the `Connection` header names, and what is faithfold's own.

Invariant: no header is changed, merged or added; what goes on is a selection.

Source: spec 40-proxy; faults B091, B094 to B097.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

Header = tuple[bytes, bytes]

OWN_PREFIX = b"x-faithfold-"

_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
# The client of the upstream sets the first two. The server has met the third: it asked for the whole body.
_SET_ANEW = frozenset({b"host", b"content-length", b"expect"})


def upward(headers: Iterable[Header]) -> list[Header]:
    """The headers of a request that go on to the upstream.

    Args:
        headers: as the client sent them.
    """
    return _without(list(headers), _SET_ANEW)


def downward(headers: Iterable[Header]) -> list[Header]:
    """The headers of an answer that go back to the client.

    The content encoding and length stay, as they describe the bytes, which go back as they came (fault B091); but for a
    length beside a transfer encoding, which overrules it.

    Args:
        headers: as the upstream sent them.
    """
    listed = list(headers)
    framed = any(name.lower() == b"transfer-encoding" for name, _ in listed)
    return _without(listed, frozenset({b"content-length"}) if framed else frozenset())


def value(headers: Iterable[Header], name: bytes) -> str:
    """What a header says, or the empty string; several of one name are joined by commas, as HTTP has it.

    Args:
        headers: raw.
        name: in small letters.
    """
    return ", ".join(said.strip().decode("latin-1") for key, said in headers if key.lower() == name)


def _without(headers: Sequence[Header], names: Set[bytes]) -> list[Header]:
    dropped = _HOP_BY_HOP | names | _named_by_connection(headers)
    return [
        (name, said)
        for name, said in headers
        if (small := name.lower()) not in dropped and not small.startswith(OWN_PREFIX)
    ]


def _named_by_connection(headers: Iterable[Header]) -> set[bytes]:
    said = b",".join(said for name, said in headers if name.lower() == b"connection")
    return {name.strip().lower() for name in said.split(b",")}
