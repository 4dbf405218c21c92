"""A provider that costs next to nothing: it reads a request and answers at once, for measuring what a proxy adds.

A request that says `"stream": true` gets events, the others one JSON body. Run it with `python -m benchmarks.upstream`;
it prints its port.
"""

from __future__ import annotations

import asyncio
import json

import uvloop

EVENTS = 50
_DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "some words "}}
_EVENT = b"event: content_block_delta\ndata: " + json.dumps(_DELTA).encode() + b"\n\n"
_CHUNK = b"%x\r\n%b\r\n" % (len(_EVENT), _EVENT)
_STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_BODY = json.dumps({"type": "message", "content": [{"type": "text", "text": "some words"}]}).encode()
_WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(_BODY), _BODY)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            body = await _body(reader, head)
            if b'"stream": true' not in body[-200:]:
                writer.write(_WHOLE)
                continue
            writer.write(_STREAM + _CHUNK)
            await asyncio.sleep(0)
            writer.write(_CHUNK * (EVENTS - 1) + b"0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    if b"transfer-encoding: chunked" not in head:
        return await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n")[0]))
    pieces: list[bytes] = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readline()
    return b"".join(pieces)


async def serve() -> None:
    """Serves on a free port, which it prints."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**20)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
