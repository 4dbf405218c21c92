"""Content codings: bodies of requests are read through them, answers are written in them.

What is written piece by piece can be read piece by piece: each piece is flushed, as streams need it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import NamedTuple, Protocol, cast

import zstandard


class _Compressor(Protocol):
    def process(self, string: bytes) -> bytes: ...
    def flush(self) -> bytes: ...
    def finish(self) -> bytes: ...


class _Brotli(Protocol):
    """The module `brotli`, which comes without types."""

    Compressor: Callable[[], _Compressor]
    decompress: Callable[[bytes], bytes]
    error: type[Exception]


brotli = cast("_Brotli", import_module("brotli"))


class _Packer(NamedTuple):
    """Packs pieces one after the other; `flush` makes readable what came so far, `end` ends it."""

    pack: Callable[[bytes], bytes]
    flush: Callable[[], bytes]
    end: Callable[[], bytes]


def _zlib(window: int) -> _Packer:
    packer = zlib.compressobj(wbits=window)
    return _Packer(packer.compress, partial(packer.flush, zlib.Z_SYNC_FLUSH), packer.flush)


def _brotli() -> _Packer:
    packer = brotli.Compressor()
    return _Packer(packer.process, packer.flush, packer.finish)


def _zstandard() -> _Packer:
    packer = zstandard.ZstdCompressor().compressobj()
    return _Packer(packer.compress, partial(packer.flush, zstandard.COMPRESSOBJ_FLUSH_BLOCK), packer.flush)


_GZIP = 31
_ZLIB = 15
_PACKERS: Mapping[str, Callable[[], _Packer]] = {
    "gzip": lambda: _zlib(_GZIP),
    "deflate": lambda: _zlib(_ZLIB),
    "br": _brotli,
    "zstd": _zstandard,
}
_UNPACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: zlib.decompress(body, _GZIP),
    "deflate": lambda body: zlib.decompress(body, _ZLIB),
    "br": brotli.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompressobj().decompress(body),
    "identity": bytes,
}

CODINGS = tuple(_PACKERS)
"""The codings that an answer can be written in."""

UNREADABLE = (zlib.error, brotli.error, zstandard.ZstdError, KeyError)
"""What `unpacked` raises where a body is not what it says, or its coding is unknown."""


def packed(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """The pieces, each readable as soon as it is there; as they are where there is no coding."""
    if not coding:
        yield from pieces
        return
    packer = _PACKERS[coding]()
    for piece in pieces:
        yield packer.pack(piece) + packer.flush()
    yield packer.end()


def unpacked(body: bytes, codings: str) -> bytes:
    """A body without its codings, those of a `content-encoding` header, the last one outermost."""
    for coding in reversed([name.strip().lower() for name in codings.split(",") if name.strip()]):
        body = _UNPACKERS[coding](body)
    return body
