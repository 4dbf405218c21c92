"""Answers of the fake provider on the wire: what a delivery does to them, and what goes wrong on demand."""

from __future__ import annotations

import asyncio
import json
import math
import zlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiohttp
import httpx2
import pytest

from faithfold import SettingsError
from faithfold.core.values import as_object
from faithfold.testing import Delivery, FakeProvider, Raw, Reply, says, sequence
from faithfold.testing.codings import CODINGS, unpacked
from tests.posting import PATHS, body_of, connect, post, raw, received

T = TypeVar("T")
TEXT = "Grüße, 语言, 🎉 and more words, so that there are some events."


def visit(provider: FakeProvider, look: Callable[[aiohttp.ClientResponse], Awaitable[T]]) -> T:
    """Asks for a stream, and looks at the answer while it comes; nothing is unpacked or put together on the way."""

    async def ask() -> T:
        async with (
            aiohttp.ClientSession(auto_decompress=False, timeout=aiohttp.ClientTimeout(total=10)) as session,
            session.post(provider.url + PATHS["anthropic"], json=body_of("anthropic")) as response,
        ):
            return await look(response)

    return asyncio.run(ask())


def chunks_of(provider: FakeProvider) -> list[bytes]:
    """The chunks of a stream, as the server cut them."""
    told = json.dumps(body_of("anthropic")).encode()
    head = b"POST /v1/messages HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(told)
    _, _, rest = raw(provider, head + told).partition(b"\r\n\r\n")
    chunks: list[bytes] = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        chunks.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    return chunks[:-1]  # the last one is empty and ends the stream


def plain(dialect: str, *, stream: bool) -> str:
    with FakeProvider(says(TEXT)) as provider:
        return post(provider, dialect, stream=stream).text


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("coding", CODINGS)
def test_answers_come_in_every_coding(coding: str, stream: bool) -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(coding=coding)) as provider:
        with httpx2.stream(
            "POST", provider.url + PATHS["anthropic"], json=body_of("anthropic", stream=stream)
        ) as answer:
            told = b"".join(answer.iter_raw())
        with httpx2.stream("GET", provider.url) as echo:
            echoed = unpacked(b"".join(echo.iter_raw()), coding)
    assert (answer.headers["content-encoding"], echo.headers["content-encoding"]) == (coding, coding)
    assert ("content-length" in answer.headers) == (not stream)
    assert unpacked(told, coding).decode() == plain("anthropic", stream=stream)
    assert as_object(json.loads(echoed))["method"] == "GET"


def test_each_event_of_a_coded_stream_can_be_read_when_it_comes() -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(coding="gzip", pause=math.inf)) as provider:

        async def first(response: aiohttp.ClientResponse) -> bytes:
            return await response.content.readany()

        seen = zlib.decompressobj(31).decompress(visit(provider, first))
    assert seen.startswith(b"event: message_start\n")
    assert seen.endswith(b"\n\n")


def test_an_event_is_a_chunk() -> None:
    with FakeProvider(says(TEXT)) as provider:
        chunks = chunks_of(provider)
    assert all(chunk.startswith(b"event: ") and chunk.count(b"\n\n") == 1 for chunk in chunks)
    assert b"".join(chunks).decode() == plain("anthropic", stream=True)


@pytest.mark.parametrize("size", [1, 3, 500])
def test_chunks_cut_through_events_and_characters(size: int) -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(chunk=size)) as provider:
        chunks = chunks_of(provider)
    assert {len(chunk) for chunk in chunks[:-1]} == {size}
    assert b"".join(chunks).decode() == plain("anthropic", stream=True)
    assert size > 3 or any(not legible(chunk) for chunk in chunks)


def legible(chunk: bytes) -> bool:
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("dialect", PATHS)
def test_pings_stand_between_events(dialect: str) -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(pings=2)) as provider:
        told = post(provider, dialect).text
    ping = 'event: ping\ndata: {"type":"ping"}' if dialect == "anthropic" else ": keep-alive"
    events = plain(dialect, stream=True).split("\n\n")[:-1]
    assert told.split("\n\n")[:-1] == [part for event in events for part in (ping, ping, event)][2:]


# ---------------------------------------------------------------- what goes wrong


def test_a_stream_dies() -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(die_after=3)) as provider:

        async def until_it_dies(response: aiohttp.ClientResponse) -> bytes:
            seen = bytearray()
            try:
                async for data in response.content.iter_any():
                    seen += data
            except aiohttp.ClientPayloadError:
                return bytes(seen)
            pytest.fail("the stream came to its end")

        seen = visit(provider, until_it_dies)
        assert provider.requests[0].wait()
    assert seen.count(b"\n\n") == 3
    assert (provider.requests[0].status, provider.requests[0].hung_up) == (200, False)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_an_answer_dies_after_its_headers(stream: bool) -> None:
    with (
        FakeProvider(says(TEXT), delivery=Delivery(die_after=0)) as provider,
        pytest.raises(httpx2.RemoteProtocolError),
    ):
        post(provider, stream=stream)
    assert provider.requests[0].status == 200


def test_a_connection_is_dropped_without_an_answer_and_the_next_one_is_served() -> None:
    script = sequence(Reply(delivery=Delivery(hang_up=True)), says("hi"))
    with FakeProvider(script) as provider:
        with pytest.raises(httpx2.RemoteProtocolError):
            post(provider)
        assert post(provider).status_code == 200
    assert [(seen.status, seen.hung_up) for seen in provider.requests] == [(0, False), (200, False)]


def test_a_client_that_waits_in_vain_and_leaves_is_noticed() -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(delay=math.inf)) as provider:
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(provider.url + PATHS["anthropic"], json=body_of("anthropic"), timeout=0.2)
        seen = received(provider)
        assert seen.wait()
    assert (seen.status, seen.hung_up) == (0, True)


def test_a_client_that_leaves_in_mid_stream_is_noticed() -> None:
    with FakeProvider(says(TEXT), delivery=Delivery(pause=math.inf)) as provider:
        with httpx2.stream("POST", provider.url + PATHS["anthropic"], json=body_of("anthropic")) as answer:
            assert next(answer.iter_raw()).startswith(b"event: message_start")
        assert provider.requests[0].wait()
    assert (provider.requests[0].status, provider.requests[0].hung_up) == (200, True)


def test_a_client_that_leaves_before_its_body_is_through_is_noticed() -> None:
    with FakeProvider(says(TEXT)) as provider:
        with connect(provider) as line:
            line.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
            seen = received(provider)
        assert seen.wait()
    assert (seen.hung_up, seen.asked) == (True, None)


def test_whoever_waits_is_dropped_when_the_provider_ends() -> None:
    async def leave(response: aiohttp.ClientResponse) -> None:
        provider.__exit__()
        await response.read()

    provider = FakeProvider(says(TEXT), delivery=Delivery(pause=math.inf)).__enter__()
    with pytest.raises(aiohttp.ClientPayloadError):
        visit(provider, leave)
    with pytest.raises(httpx2.ConnectError):
        post(provider)


def test_headers_are_added_as_they_stand() -> None:
    odd = [("set-cookie", "a=1; Path=/"), ("set-cookie", "b=2"), ("connection", "x-hop"), ("x-hop", "1")]
    with FakeProvider(says(TEXT), delivery=Delivery(headers=odd)) as provider:
        answers = [post(provider), httpx2.get(provider.url), post(provider, "openai", stream=False)]
    for answer in answers:
        assert [pair for pair in answer.headers.multi_items() if pair in odd] == odd
    assert [answer.headers.get("request-id") is not None for answer in answers] == [True, False, False]
    assert answers[2].headers["x-request-id"] == "req_fake"


def test_any_answer_can_be_given_as_it_stands() -> None:
    lie = Raw([b"short"], headers=[("content-length", "1000")], delivery=Delivery(die_after=1))
    odd = Raw([b"\xff", b"\x00" * 10], status=299, headers=[("content-type", "x/y")])
    with FakeProvider(sequence(odd, lie)) as provider:
        first = post(provider)
        with pytest.raises(httpx2.RemoteProtocolError):
            post(provider)
    assert (first.status_code, first.content, first.headers["content-type"]) == (299, b"\xff" + b"\x00" * 10, "x/y")


def test_a_script_that_raises_is_answered_with_500(caplog: pytest.LogCaptureFixture) -> None:
    with FakeProvider(sequence()) as provider:
        assert post(provider).status_code == 500
        assert post(provider).status_code == 500
    assert "IndexError" in caplog.text


def test_the_newest_requests_are_kept() -> None:
    with FakeProvider(says("hi"), keep=2) as provider:
        for path in ("/1", "/2", "/3"):
            httpx2.get(provider.url + path)
    assert [each.target for each in provider.requests] == [b"/2", b"/3"]


def test_an_unknown_coding_is_refused() -> None:
    with pytest.raises(SettingsError, match="unknown coding 'lzma'; known: gzip, deflate, br, zstd"):
        Delivery(coding="lzma")
    with pytest.raises(KeyError):
        unpacked(b"", "lzma")
