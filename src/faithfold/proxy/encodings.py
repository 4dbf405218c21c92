"""Bodies that came compressed, read within bounds.

The idea: a decoder takes a piece at a time and gives pieces of bounded size, and these are counted before they are
kept. So a small body that grows without end costs the limit and one piece, and no more.

Invariant: what is returned is the whole body, decoded. A body that ends too early, goes on behind its end, or is in no
such coding is not read at all, and so goes on as it came.

Source: spec 40-proxy, Request path; faults B091, B098, B128.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from importlib import import_module
from typing import Protocol

from faithfold.proxy.client import TooLargeError

# What goes into a decoder at once, and comes out of it.
_PIECE = 16 * 1024

# What comes out of zstd is bounded only by what goes in: four bytes can stand for 128 KiB.
_ZSTD_PIECE = 256
_ZSTD_MAX_WINDOW = 8 * 1024 * 1024  # no larger one is used on the web (RFC 9659)

# One is usual, and each is work.
_MOST_CODINGS = 3

_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS + 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class _Unreadable(Exception):  # noqa: N818  it never leaves this module
    """A body isn't what its coding says."""


class _Brotli(Protocol):
    """What is used of `brotli.Decompressor`, which has no types."""

    def process(self, data: bytes, *, output_buffer_limit: int) -> bytes: ...

    def is_finished(self) -> bool: ...

    def can_accept_more_data(self) -> bool: ...


Stretch = Generator[bytes, None, int]
"""The decoded pieces of one stretch of a body; it returns where in the body the stretch ends."""


def decoded(body: bytes, coding: str, limit: int) -> bytes | None:
    """A body without its content coding, or None where it can't be read.

    Args:
        body: as it came.
        coding: what the Content-Encoding header says: gzip, deflate, br, zstd, identity or nothing, or several in the
            order in which they were put on.
        limit: how many bytes the body may have, in the end and between two codings.

    Raises:
        TooLargeError: it has more.
    """
    names = [name.strip().lower() for name in coding.split(",")]
    put_on = [name for name in names if name not in ("", "identity")]
    if len(put_on) > _MOST_CODINGS or not _DECODERS.keys() >= set(put_on):
        return None
    _check(len(body), limit)
    try:
        for name in reversed(put_on):
            body = _collected(_DECODERS[name](body), limit)
    except _Unreadable:
        return None
    return body


def _check(size: int, limit: int) -> None:
    if size > limit:
        raise TooLargeError(f"the decoded body is larger than {limit} bytes, the setting max_body_bytes")


def _collected(pieces: Iterator[bytes], limit: int) -> bytes:
    whole = io.BytesIO()  # which gives its bytes away without a copy
    for piece in pieces:
        _check(whole.tell() + len(piece), limit)
        whole.write(piece)
    return whole.getvalue()


def _gzip(body: bytes) -> Iterator[bytes]:
    return _in_a_row(body, lambda start: _inflated(body, start, _GZIP))


def _deflate(body: bytes) -> Iterator[bytes]:
    """With zlib's frame, as HTTP has it, or without, as some clients do."""
    framed = body[:1] != b"" and body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2]) % 31 == 0
    return _alone(body, _inflated(body, 0, _ZLIB if framed else _RAW))


def _br(body: bytes) -> Iterator[bytes]:
    return _alone(body, _unbrotlied(body))


def _zstd(body: bytes) -> Iterator[bytes]:
    return _in_a_row(body, lambda start: _zstd_frame(body, start))


_DECODERS: Mapping[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _br,
    "zstd": _zstd,
}


def _in_a_row(body: bytes, stretch: Callable[[int], Stretch]) -> Iterator[bytes]:
    """A body of one stretch or several, as `cat` makes one of two files."""
    end = yield from stretch(0)
    while end < len(body):
        end = yield from stretch(end)


def _alone(body: bytes, stretch: Stretch) -> Iterator[bytes]:
    """A body of one stretch."""
    end = yield from stretch
    if end < len(body):
        raise _Unreadable


def _inflated(body: bytes, start: int, frame: int) -> Stretch:
    decoder = zlib.decompressobj(frame)
    end = start
    while not decoder.eof:
        fed = decoder.unconsumed_tail
        if not fed:
            fed = body[end : end + _PIECE]
            end += len(fed)
        try:
            piece = decoder.decompress(fed, _PIECE)
        except zlib.error as error:
            raise _Unreadable from error
        if not fed and not piece:
            raise _Unreadable
        yield piece
    return end - len(decoder.unused_data)


def _unbrotlied(body: bytes) -> Stretch:
    brotli = import_module("brotli")
    decoder: _Brotli = brotli.Decompressor()
    failure: type[Exception] = brotli.error
    end = 0
    while not decoder.is_finished():
        fed = body[end : end + _PIECE] if decoder.can_accept_more_data() else b""
        end += len(fed)
        try:
            piece = decoder.process(fed, output_buffer_limit=_PIECE)
        except failure as error:
            raise _Unreadable from error
        if not fed and not piece:
            raise _Unreadable
        yield piece
    return end


def _zstd_frame(body: bytes, start: int) -> Stretch:
    import zstandard

    decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_MAX_WINDOW).decompressobj()
    end = start
    while not decoder.eof:
        fed = body[end : end + _ZSTD_PIECE]
        end += len(fed)
        if not fed:
            raise _Unreadable
        try:
            yield decoder.decompress(fed)
        except zstandard.ZstdError as error:
            raise _Unreadable from error
    return end - len(decoder.unused_data)
