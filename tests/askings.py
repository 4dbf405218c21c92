"""Requests to a raw upstream by the proxy's own client, without the proxy around it."""

from __future__ import annotations

from collections.abc import Sequence

from faithfold.proxy.relay import Answer, Outgoing, Upstream
from tests.wires import RawUpstream

Headers = Sequence[tuple[bytes, bytes]]


def outgoing(
    to: RawUpstream | str,
    body: bytes = b"{}",
    method: str = "POST",
    target: str = "/v1/messages",
    headers: Headers = (),
) -> Outgoing:
    return Outgoing(method, to if isinstance(to, str) else to.url, target, headers, body)


async def read(answer: Answer) -> bytes:
    """All that is left of an answer, read chunk by chunk."""
    parts: list[bytes] = []
    while part := await answer.read():
        parts.append(part)
    return b"".join(parts)


async def asked(client: Upstream, request: Outgoing) -> bytes:
    async with client.ask(request) as answer:
        return await read(answer)
