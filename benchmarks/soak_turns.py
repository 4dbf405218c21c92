"""A request at the provider of the soak, and how answers to it are written.

Every answer names the request that it belongs to, and the hash of its body. So a client sees whether it got its own
answer, and each byte of it.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from benchmarks.soak_sessions import PATHS
from benchmarks.soak_wire import END, chunked, head, header
from faithfold.core.errors import FaithfoldError
from faithfold.core.values import as_object
from faithfold.proxy.encodings import decoded
from faithfold.testing import anthropic, openai_chat, openai_responses
from faithfold.testing.answers import Answer, Refusal, Reply, Trouble
from faithfold.testing.asked import Asked
from faithfold.testing.http import Rendered, document, rendered
from faithfold.testing.wire import Wire

WIRES: dict[str, Wire] = dict(zip(PATHS, (anthropic.WIRE, openai_chat.WIRE, openai_responses.WIRE), strict=True))
WINDOW = 20_000
"""Tokens. Larger requests are refused."""

_DECODED = 64 * 1024 * 1024  # bytes
_FLOOD = 120_000  # markers


@dataclass
class Turn:
    """A request, and the connection that it came by.

    Attributes:
        head: its first line and its headers.
        tries: how often it came so far, this time included.
        writer: of the connection.
        body: as it came.
    """

    head: bytes
    tries: int
    writer: asyncio.StreamWriter
    body: bytes = b""

    def told(self, name: str) -> str:
        """What the client says in a header of the soak; empty where it says nothing."""
        return header(self.head, f"x-soak-{name}")

    @property
    def number(self) -> int:
        """Of the request."""
        return int(self.told("number"))

    @cached_property
    def plain(self) -> bytes:
        """The body without its coding; as it came where it can't be read."""
        try:
            plain = decoded(self.body, header(self.head, "content-encoding"), _DECODED)
        except FaithfoldError:
            plain = None
        return self.body if plain is None else plain

    @cached_property
    def asked(self) -> Asked:
        """What it asks of the model.

        Raises:
            ValueError, RecursionError: it is no JSON.
        """
        fields = as_object(json.loads(self.plain))
        return Asked(self.wire.dialect, fields, self.number, tuple(self.wire.tools(fields)), WINDOW)

    @property
    def wire(self) -> Wire:
        """Of its dialect."""
        return WIRES[self.told("dialect")]

    # ------------------------------------------------------------ answers

    def made(self, answer: Answer) -> Rendered:
        """An answer in its dialect."""
        return rendered(self.wire, self.asked, answer)

    def reply(self) -> Rendered:
        """What the model says: the request's own marker."""
        return self.made(Reply(f"{self.told('marker')} says that it is request {self.number}. " * 4))

    def refusal(self, trouble: Trouble) -> Rendered:
        """Why it is refused, by which provider."""
        return self.made(Refusal(trouble))

    def note(self) -> Rendered:
        """An answer to anything."""
        return document({"marker": self.told("marker"), "number": self.number})

    def flood(self) -> bytes:
        """A large body."""
        return self.told("marker").encode() * _FLOOD

    def begin(self, status: str, *headers: str) -> None:
        """Begins an answer."""
        self.writer.write(head(f"HTTP/1.1 {status}", f"x-soak-number: {self.number}", *headers))

    async def send(self, data: bytes) -> None:
        """Sends bytes, as fast as they are taken."""
        self.writer.write(data)
        await self.writer.drain()

    async def give(self, answer: Rendered, *headers: str) -> None:
        """Sends an answer, well and whole."""
        body = b"".join(answer.pieces)
        self.begin(f"{answer.status} Said", *self._headers(answer, body), *headers)
        await self.send(body if answer.whole else chunked(body, 500) + END)

    async def give_bytes(self, status: str, body: bytes, *headers: str) -> None:
        """Sends a body as it is, well and whole."""
        self.begin(status, f"content-length: {len(body)}", f"x-soak-hash: {sha256(body).hexdigest()}", *headers)
        await self.send(body)

    def _headers(self, answer: Rendered, body: bytes) -> list[str]:
        told = [f"{name}: {value}" for name, value in answer.headers]
        framing = f"content-length: {len(body)}" if answer.whole else "transfer-encoding: chunked"
        return [*told, framing, f"x-soak-hash: {sha256(body).hexdigest()}"]

    def reset(self) -> None:
        """Ends the connection, and whatever is on its way."""
        self.writer.transport.abort()
