"""HTTP as bytes, for clients that do what no library would: one connection to the proxy, and the answers that it gives.

Invariant: an answer counts as whole only where it ended as it said it would.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

LARGEST_HEAD = 1024 * 1024

_BODILESS = (204, 304)


@dataclass(frozen=True)
class Got:
    """An answer, as far as it came.

    Attributes:
        status: of it.
        head: its first line and its headers, as they came.
        body: without its framing.
        whole: whether it came to its end.
    """

    status: int
    head: bytes
    body: bytes
    whole: bool

    @property
    def stays(self) -> bool:
        """Whether the connection can be used again."""
        return self.whole and self.value("connection") != "close"

    def value(self, name: str) -> str:
        """What a header says; empty where there is none."""
        return header(self.head, name)


def header(head: bytes, name: str) -> str:
    """What a header says, or the empty string."""
    for line in head.split(b"\r\n")[1:]:
        key, _, said = line.partition(b":")
        if key.strip().lower() == name.encode():
            return said.strip().decode("latin-1")
    return ""


class Line:
    """A connection of a client.

    Args:
        reader, writer: of it.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Nothing was said yet."""
        self.reader = reader
        self._writer = writer

    @classmethod
    async def to(cls, port: int, received: int = 0) -> Line:
        """Connects.

        Args:
            port: on this machine.
            received: how many bytes may wait to be read; as the system has it by default.
        """
        made = socket.socket()
        if received:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, received)
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
        return cls(*await asyncio.open_connection(sock=made, limit=LARGEST_HEAD))

    async def say(self, *data: bytes) -> None:
        """Sends bytes; that the other side is gone shows when one reads."""
        with suppress(ConnectionError):
            self._writer.write(b"".join(data))
            await self._writer.drain()

    async def answer(self) -> Got | None:
        """The next answer; None where the connection ended before one began."""
        try:
            head = await self._head()
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        status = int(head.split(b" ", 2)[1])
        parts: list[bytes] = []
        try:
            await self._body(status, head, parts)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            return Got(status, head, b"".join(parts), whole=False)
        return Got(status, head, b"".join(parts), whole=True)

    def half_close(self) -> None:
        """Says that nothing more will come."""
        with suppress(ConnectionError, OSError):
            self._writer.write_eof()

    def close(self) -> None:
        """Ends the connection."""
        self._writer.close()

    def reset(self) -> None:
        """Ends the connection as a program does that was killed."""
        with suppress(OSError):
            told = cast("socket.socket", self._writer.get_extra_info("socket"))
            told.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _head(self) -> bytes:
        """The head of an answer, those left out that only hint at it."""
        while True:
            head = await self.reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 1"):
                return head[:-4]

    async def _body(self, status: int, head: bytes, parts: list[bytes]) -> None:
        if status in _BODILESS:
            return
        if header(head, "transfer-encoding") == "chunked":
            while size := int(await self.reader.readline(), 16):
                await self._take(size, parts)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            await self._take(int(header(head, "content-length")), parts)

    async def _take(self, size: int, parts: list[bytes]) -> None:
        """So many bytes, and whatever came of them where the connection ends."""
        while size:
            part = await self.reader.read(min(size, LARGEST_HEAD))
            if not part:
                raise asyncio.IncompleteReadError(b"", size)
            parts.append(part)
            size -= len(part)


def head(first: str, *headers: str) -> bytes:
    """The head of a request or an answer."""
    return "\r\n".join([first, *headers, "", ""]).encode("latin-1")


def chunked(data: bytes, size: int = 0) -> bytes:
    """A chunk, or a whole body in chunks of a size."""
    pieces: Sequence[bytes] = [data[start : start + size] for start in range(0, len(data), size)] if size else [data]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


END = b"0\r\n\r\n"
