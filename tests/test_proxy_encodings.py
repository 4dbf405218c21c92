"""Encodings: compressed bodies are read to the end or not at all, and never past the limit."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable
from importlib import import_module

import pytest
import zstandard

from faithfold.proxy.client import TooLargeError
from faithfold.proxy.encodings import decoded

MEGABYTE = 1024 * 1024
BODY = json.dumps({"messages": [{"role": "user", "content": f"message {n}"} for n in range(2_000)]}).encode()
NOISE = bytes(number * number * 31 % 251 for number in range(100_000))


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def streamed_zstd(body: bytes) -> bytes:
    """Without the size of the body in its head."""
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(body) + packer.flush()


def zip_(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


def brotlied(body: bytes) -> bytes:
    packed: bytes = import_module("brotli").compress(body)  # which has no types
    return packed


CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", zip_),
    ("x-gzip", zip_),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", brotlied),
    ("zstd", zstandard.compress),
    ("zstd", streamed_zstd),
]
ALL = pytest.mark.parametrize(("coding", "pack"), CODINGS, ids=[f"{name}-{pack.__name__}" for name, pack in CODINGS])


@ALL
@pytest.mark.parametrize(
    "body", [b"", b"x", BODY, NOISE, b"\0" * MEGABYTE], ids=["none", "one", "json", "noise", "zeros"]
)
def test_a_body_is_read_through_its_coding(coding: str, pack: Callable[[bytes], bytes], body: bytes) -> None:
    assert decoded(pack(body), coding, MEGABYTE) == body


@pytest.mark.parametrize("coding", ["", "identity", " Identity ", "identity,identity", ","])
def test_a_body_without_a_coding_is_the_same_object(coding: str) -> None:
    assert decoded(BODY, coding, MEGABYTE) is BODY


@pytest.mark.parametrize("coding", ["GZip", " gzip\t", "gzip, identity", "identity,,gzip"])
def test_a_coding_is_read_however_it_is_written(coding: str) -> None:
    assert decoded(zip_(BODY), coding, MEGABYTE) == BODY


@pytest.mark.parametrize("coding", ["compress", "gzip2", "aes128gcm", "gzip, x", "dcb", "*", "gzip;q=1"])
def test_an_unknown_coding_is_not_read(coding: str) -> None:
    assert decoded(zip_(BODY), coding, MEGABYTE) is None


def test_several_codings_are_taken_off_from_the_last_to_the_first() -> None:
    packed = zstandard.compress(brotlied(zip_(BODY)))
    assert decoded(packed, "gzip, br, zstd", MEGABYTE) == BODY
    assert decoded(packed, "zstd, br, gzip", MEGABYTE) is None


def test_more_codings_than_anybody_means_are_not_read() -> None:
    packed = zip_(zip_(zip_(zip_(BODY))))
    assert decoded(packed, "gzip, gzip, gzip, gzip", MEGABYTE) is None


@pytest.mark.parametrize(("coding", "pack"), [("gzip", zip_), ("zstd", zstandard.compress)], ids=["gzip", "zstd"])
def test_stretches_in_a_row_are_one_body(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(BODY) + pack(b"") + pack(NOISE) + pack(b"x")
    assert decoded(packed, coding, MEGABYTE) == BODY + NOISE + b"x"


def test_a_zstd_frame_to_be_skipped_is_skipped() -> None:
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    assert decoded(skipped + zstandard.compress(BODY) + skipped, "zstd", MEGABYTE) == BODY


@ALL
def test_a_body_that_ends_too_early_is_not_read(coding: str, pack: Callable[[bytes], bytes]) -> None:
    for body in (NOISE, b"x"):
        packed = pack(body)
        for end in {0, 1, 2, len(packed) // 2, len(packed) - 1}:
            assert decoded(packed[:end], coding, MEGABYTE) is None


@ALL
@pytest.mark.parametrize("body", [NOISE, b"x"], ids=["noise", "one"])
def test_a_body_that_goes_on_behind_its_end_is_not_read(
    coding: str, pack: Callable[[bytes], bytes], body: bytes
) -> None:
    assert decoded(pack(body) + b"junk", coding, MEGABYTE) is None
    assert decoded(pack(body) + b"\0", coding, MEGABYTE) is None


@ALL
def test_a_body_in_no_such_coding_is_not_read(coding: str, pack: Callable[[bytes], bytes]) -> None:
    for body in (BODY, b"\x78\x9c" + NOISE, pack(NOISE)[:20] + NOISE):
        assert decoded(body, coding, MEGABYTE) is None


@ALL
def test_a_body_of_just_the_limit_is_read_and_one_byte_more_is_not(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(NOISE)
    limit = max(len(NOISE), len(packed))
    assert decoded(packed, coding, limit) == NOISE
    with pytest.raises(TooLargeError):
        decoded(packed, coding, len(NOISE) - 1)


def test_the_limit_holds_without_a_coding_too() -> None:
    assert decoded(BODY, "", len(BODY)) is BODY
    with pytest.raises(TooLargeError, match=r"^the decoded body is larger than 5 bytes, the setting max_body_bytes$"):
        decoded(BODY, "", 5)


def test_the_limit_holds_between_two_codings() -> None:
    inner = zip_(b"\0" * MEGABYTE)
    assert decoded(zip_(inner), "gzip, gzip", 2 * MEGABYTE) == b"\0" * MEGABYTE
    with pytest.raises(TooLargeError):
        decoded(zip_(NOISE), "gzip, gzip", 1_000)


@ALL
def test_a_bomb_costs_the_limit_and_a_piece(coding: str, pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(b"\0" * 20 * MEGABYTE)
    decoded(pack(BODY), coding, MEGABYTE)  # what is imported now costs no memory below
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        decoded(bomb, coding, 2 * MEGABYTE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (2 + 10) * MEGABYTE


def test_a_zstd_window_that_would_cost_too_much_is_not_opened() -> None:
    settings = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    assert decoded(packer.compress(BODY) + packer.flush(), "zstd", MEGABYTE) is None
