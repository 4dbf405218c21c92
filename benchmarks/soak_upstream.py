"""The provider of the soak, in a process of its own: it does what each request asks for, and tells what it saw.

It says on standard output, a line of JSON each, when requests came and how they ended, and what must not be: a session
in another one's request, a body that is not what its client sent, messages that no provider takes. Connections that
are idle it closes soon, half of them with a reset, as requests may just be coming.

Run it with `python -m benchmarks.soak_upstream`; the first line is its port.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

import uvloop

from benchmarks.soak_acts import ACTS
from benchmarks.soak_sessions import markers
from benchmarks.soak_turns import WINDOW, Turn
from benchmarks.soak_wire import LARGEST_HEAD, header

IDLE_S = 1.0
"""How long a connection may be idle, in seconds."""

_GONE = (asyncio.IncompleteReadError, ConnectionError)


class Connection:
    """One connection of the proxy.

    Args:
        reader, writer: of it.
        tries: how often each request came, on whatever connection.
        number: of the connection.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tries: Counter[int], number: int
    ) -> None:
        """Waits for the first byte."""
        self._reader = reader
        self._writer = writer
        self._tries = tries
        self._number = number
        self._ahead = asyncio.create_task(reader.read(1))

    async def live(self) -> None:
        """Answers requests until either side closes."""
        try:
            while await self._wakes():
                await self._serve()
        except _GONE:
            pass
        finally:
            self._ahead.cancel()
            self._writer.close()

    async def _wakes(self) -> bool:
        """Whether one more request comes."""
        done, _ = await asyncio.wait({self._ahead}, timeout=IDLE_S)
        if not done and self._number % 2:
            self._writer.transport.abort()
        return bool(done) and bool(self._ahead.result())

    async def _serve(self) -> None:
        head = self._ahead.result() + await self._reader.readuntil(b"\r\n\r\n")
        number = int(header(head, "x-soak-number"))
        self._tries[number] += 1
        turn = Turn(head, self._tries[number], self._writer)
        tell("came", number)
        how = "left"
        try:
            how = await self._answer(turn)
        finally:
            tell(how, number)

    async def _answer(self, turn: Turn) -> str:
        """Does what the request asks for. Returns whether that was done, or the other side left before."""
        act = turn.told("act")
        if act != "answers_before_it_has_read":
            turn.body = await self._body(turn.head, slow=act == "reads_slowly")
            for wrong in judged(turn):
                tell("wrong", turn.number, wrong)
        self._ahead = asyncio.create_task(self._reader.read(1))
        doing = asyncio.ensure_future(ACTS[act](turn))
        await asyncio.wait({doing, self._ahead}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            doing.result()
            return "done"
        doing.cancel()
        if self._ahead.result():
            tell("wrong", turn.number, "the next request came before the answer")
        return "left"

    async def _body(self, head: bytes, *, slow: bool) -> bytes:
        size = int(header(head, "content-length") or 0)
        if not slow:
            return await self._reader.readexactly(size)
        pieces: list[bytes] = []
        for start in range(0, size, 40_000):
            pieces.append(await self._reader.readexactly(min(40_000, size - start)))
            await asyncio.sleep(0.02)
        return b"".join(pieces)


def judged(turn: Turn) -> Iterator[str]:
    """What is wrong with a request as it came."""
    if markers(turn.head + turn.plain) - {turn.told("marker").encode()}:
        yield "a request held another session's text"
    if turn.told("hash") not in ("", sha256(turn.body).hexdigest()):
        yield "a body came up changed"
    if turn.told("legal"):
        if turn.asked.faults:
            yield f"a request came up illegal: {turn.asked.faults[0].message}"
        if turn.asked.tokens > WINDOW:
            yield "a request came up over the window"


def tell(what: str, number: int, more: str = "") -> None:
    """Says a line to whoever started this."""
    sys.stdout.write(json.dumps([what, number, time.monotonic(), more]) + "\n")
    sys.stdout.flush()


async def main() -> None:
    """Serves on a free port, which it prints."""
    tries, connections = Counter[int](), Counter[str]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections["all"] += 1
        await Connection(reader, writer, tries, connections["all"]).live()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=LARGEST_HEAD, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
