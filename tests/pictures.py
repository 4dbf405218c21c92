"""Headers of picture files and small documents, made to measure: no more of a file than what is read of it."""

from __future__ import annotations

import base64
import struct


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5x", 13, b"IHDR", width, height) + b"\0" * 8


def gif(width: int, height: int, version: bytes = b"GIF89a") -> bytes:
    return version + struct.pack("<HH", width, height) + b"\0" * 8


def jpeg(width: int, height: int, *segments: bytes, frame: int = 0xC0) -> bytes:
    """`segments` stand before the frame header."""
    sized = struct.pack(">BBHBHH", 0xFF, frame, 11, 8, height, width) + b"\1\1\x11\0"
    return b"\xff\xd8" + b"".join(segments) + sized + b"\xff\xd9" + b"\0" * 16


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def webp_lossy(width: int, height: int) -> bytes:
    return riff(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height))


def webp_lossless(width: int, height: int) -> bytes:
    return riff(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14))


def webp_extended(width: int, height: int) -> bytes:
    return riff(b"VP8X", b"\0" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"))


def riff(kind: bytes, body: bytes) -> bytes:
    chunk = kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk + b"\0" * 16


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def data_url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64_of(data)}"


def pdf(pages: int) -> bytes:
    tree = b"<< /Type /Pages /Count %d >>\n" % pages
    return b"%PDF-1.7\n" + tree + b"<< /Type /Page /Parent 1 0 R >>\n" * pages + b"%%EOF\n"
