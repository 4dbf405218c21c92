"""What a picture costs: by its pixels, not by its bytes.

A provider cuts a picture into patches of 28 by 28 pixels and bills these, up to a ceiling; the length of its base64
says nothing. Width and height stand in the file's first bytes, so little of it is decoded. A picture whose size
can't be read costs what a usual screenshot costs; nothing here raises.

Source: spec 00-model, Sizes.
"""

from __future__ import annotations

import base64
import struct

PATCH_PIXELS = 28
MAX_IMAGE_TOKENS = 4_784
DEFAULT_IMAGE_TOKENS = 1_568
_FIRST_CHARS = 8_192  # of base64: the size stands in there but for a JPEG with a large preview before it


def image_tokens(payload: str) -> int:
    """Tokens of a picture: `payload` is its base64, with or without a `data:` prefix, or its URL or file id."""
    size = pixel_size(payload)
    if size is None:
        return DEFAULT_IMAGE_TOKENS
    width, height = size
    patches = -(-width // PATCH_PIXELS) * -(-height // PATCH_PIXELS)
    return min(patches, MAX_IMAGE_TOKENS)


def pixel_size(payload: str) -> tuple[int, int] | None:
    """Width and height of an inline picture in pixels, or None where they can't be read."""
    encoded = base64_in(payload)
    size = _size(_decoded(encoded[:_FIRST_CHARS]))
    if size is None and len(encoded) > _FIRST_CHARS:
        size = _size(_decoded(encoded))
    return size


def base64_in(payload: str) -> str:
    """The base64 of an inline medium, without the `data:` prefix that some wire formats put before it."""
    return payload.partition(",")[2] if payload.startswith("data:") else payload


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded[: len(encoded) - len(encoded) % 4])
    except ValueError:  # of no length that base64 has, or not ASCII
        return b""


def _size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, or None where the header is of no known format or is cut."""
    try:
        size = _read_header(data)
    except (struct.error, IndexError):
        return None
    return size if size is not None and min(size) > 0 else None


def _read_header(data: bytes) -> tuple[int, int] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _pair(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _pair("<HH", data, 6)
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp(data)
    return None


def _pair(form: str, data: bytes, at: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, data, at)
    return first, second


def _jpeg(data: bytes) -> tuple[int, int]:
    """Walks the segments up to the frame header, which names height, then width."""
    at = 2
    while True:
        if data[at] != 0xFF:
            at += 1
            continue
        marker = data[at + 1]
        if marker in (0x01, 0xFF) or 0xD0 <= marker <= 0xD9:  # these have no length
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = _pair(">HH", data, at + 5)
            return width, height
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]


def _webp(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8X":
            width, more_width, height, more_height = struct.unpack_from("<HBHB", data, 24)
            return (more_width << 16 | width) + 1, (more_height << 16 | height) + 1
        case b"VP8 ":
            width, height = _pair("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = struct.unpack_from("<I", data, 21)[0]
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            return None
