"""What becomes of a provider's refusal: too long is tried again shorter, within bounds; all else goes back as it is."""

from __future__ import annotations

import json

import pytest

from faithfold import faults
from tests.overflows import OVERFLOWS
from tests.proxies import PATHS, REFUSAL, TOO_LONG, Proxy, body, encoded, messages_in, proxied
from tests.wires import END, STREAM, Connection, Script, answering, chunk, run, whole

LONG = 12  # steps: over the threshold
FINE = whole(b'{"fine": true}')

EVENT = (
    b'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}\n\n'
)
START = b'event: message_start\ndata: {"type":"message_start","message":{}}\n\n'
TEXT = b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"hi"}}\n\n'
FAILED = b'event: response.failed\ndata: {"type":"response.failed","response":%b}\n\n' % json.dumps(TOO_LONG).encode()
CREATED = b'event: response.created\ndata: {"type":"response.created","response":{}}\n\n'
DATA = b"data: %b\n\n" % json.dumps(TOO_LONG).encode()
STREAMS = {"anthropic": START + EVENT, "openai": DATA, "openai-responses": CREATED + FAILED}


def streamed(*events: bytes) -> bytes:
    return STREAM + b"".join(map(chunk, events)) + END


async def outcome(proxy: Proxy, dialect: str = "anthropic", steps: int = LONG) -> tuple[int, bytes]:
    answer = await proxy.ask(body(dialect, steps), path=PATHS[dialect])
    return answer.status, answer.body


@pytest.mark.parametrize("dialect", PATHS)
def test_an_overflow_is_tried_again_shorter_until_it_is_accepted(dialect: str) -> None:
    async def scenario() -> None:
        async with proxied(answering(REFUSAL, REFUSAL, FINE), threshold_tokens=1_000_000) as proxy:
            answer = await proxy.ask(body(dialect, LONG), path=PATHS[dialect])
            sizes = [len(sent) for sent in proxy.bodies]
            assert (answer.status, answer.body) == (200, b'{"fine": true}')
            assert (proxy.bodies[0], sizes) == (body(dialect, LONG), sorted(set(sizes), reverse=True))
            assert [faults(messages_in(sent), dialect) for sent in proxy.bodies] == [[], [], []]
            assert int(answer.own["rung"]) > 0
            assert [(told["fate"], told["tries"], told["problem"]) for told in proxy.ended] == [("compacted", 3, "")]

    run(scenario())


def test_b058_when_the_ladder_ends_the_last_answer_goes_back_as_it_came() -> None:
    async def script(connection: Connection) -> None:
        while True:
            await connection.request()
            last = [f"retry-after: {len(connection.upstream.requests)}", "x-should-retry: false"]
            body = b"".join([json.dumps(TOO_LONG).encode(), b" " * len(connection.upstream.requests)])
            await connection.send(whole(body, "422 No", *last))

    async def scenario() -> None:
        async with proxied(script, threshold_tokens=1_000_000) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            tries = len(proxy.bodies)
            assert 2 < tries < 8
            assert (answer.status, answer.body) == (422, json.dumps(TOO_LONG).encode() + b" " * tries)
            assert (answer.value("retry-after"), answer.value("x-should-retry")) == (str(tries), "false")
            assert [told["tries"] for told in proxy.ended] == [tries]

    run(scenario())


@pytest.mark.parametrize("row", OVERFLOWS, ids=[row.who for row in OVERFLOWS])
def test_b054_b056_an_overflow_is_known_in_every_providers_words(row: object) -> None:
    refusal = next(each for each in OVERFLOWS if each is row)

    async def scenario() -> None:
        async with proxied(answering(whole(refusal.body, f"{refusal.status} No"), FINE)) as proxy:
            assert await outcome(proxy) == (200, b'{"fine": true}')
            assert len(proxy.bodies) == 2

    run(scenario())


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_b091_an_encoded_refusal_is_read_and_passed_on_encoded(coding: str) -> None:
    refusal = encoded(json.dumps(TOO_LONG).encode(), coding)

    async def scenario() -> None:
        first = whole(refusal, "400 No", f"content-encoding: {coding}")
        async with proxied(answering(first, FINE)) as proxy:
            assert await outcome(proxy) == (200, b'{"fine": true}')
        async with proxied(answering(first)) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.status, answer.body, answer.value("content-encoding")) == (400, refusal, coding)

    run(scenario())


OTHERS = {
    "429 Too Many": b'{"error": {"type": "rate_limit_error", "message": "too many tokens per minute"}}',
    "400 Bad Request": b'{"error": {"code": "insufficient_quota", "message": "exceeded your quota"}}',
    "401 Who": b'{"error": {"message": "invalid x-api-key"}}',
    "404 Not Found": b'{"error": {"message": "prompt is too long"}}',
    "500 Error": b'{"error": {"message": "internal"}}',
    "503 Busy": b"<html>busy</html>",
    "529 Overloaded": b'{"error": {"type": "overloaded_error"}}',
    "302 Found": b"",
}


@pytest.mark.parametrize("status", OTHERS)
def test_b094_any_other_refusal_goes_back_as_it_is_at_once(status: str) -> None:
    async def scenario() -> None:
        lines = ["retry-after: 7", "anthropic-ratelimit-requests-remaining: 0", "request-id: r1", "location: /x"]
        async with proxied(answering(whole(OTHERS[status], status, *lines), FINE)) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.status, answer.body, len(proxy.bodies)) == (int(status[:3]), OTHERS[status], 1)
            came = [header for header in answer.headers if not header[0].startswith("x-faithfold-")]
            assert came[1:5] == [tuple(line.split(": ", 1)) for line in lines]

    run(scenario())


@pytest.mark.parametrize("dialect", PATHS)
def test_b055_an_overflow_inside_a_stream_is_tried_again_before_anything_is_sent(dialect: str) -> None:
    async def scenario() -> None:
        async with proxied(answering(streamed(STREAMS[dialect]), streamed(START, TEXT))) as proxy:
            assert await outcome(proxy, dialect) == (200, chunk(START + TEXT) + END)
            assert len(proxy.bodies) == 2

    run(scenario())


def test_b055_b090_an_overflow_after_content_goes_to_the_client() -> None:
    async def scenario() -> None:
        stream = streamed(START + TEXT + EVENT)
        async with proxied(answering(stream)) as proxy:
            assert await outcome(proxy) == (200, chunk(START + TEXT + EVENT) + END)
            assert len(proxy.bodies) == 1

    run(scenario())


NEAR, FAR = LONG, 1  # steps: over half of the threshold as it is sent, and below


def pausing(*events: bytes) -> Script:
    """Sends each event when the one before has arrived at the client; ends after the last."""

    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(STREAM)
        for event in events:
            await connection.send(chunk(event))
            await connection.reader.read(1)  # until the client is gone

    return script


@pytest.mark.parametrize(
    ("steps", "settings"),
    [(FAR, {"hold_ms": 60_000}), (NEAR, {"hold_ms": 0}), (NEAR, {"hold_ms": 20}), (NEAR, {"shadow": True})],
)
def test_b087_nothing_is_held_where_it_is_not_wanted_or_for_longer(steps: int, settings: dict[str, int]) -> None:
    async def scenario() -> None:
        sent = body("anthropic", steps)
        async with proxied(pausing(START), None, **settings) as proxy, proxy.asking(sent) as reader:
            assert START in await reader.readuntil(START)

    run(scenario())


def test_an_encoded_stream_is_not_held() -> None:
    async def scenario() -> None:
        head = STREAM.replace(b"\r\n\r\n", b"\r\ncontent-encoding: gzip\r\n\r\n")

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(head + chunk(encoded(START, "gzip")))
            await connection.closed()

        async with proxied(script, hold_ms=60_000) as proxy, proxy.asking(body("anthropic", NEAR)) as reader:
            assert await reader.readuntil(encoded(START, "gzip"))

    run(scenario())


def test_a_refusal_that_breaks_off_breaks_off_at_the_client_too() -> None:
    async def scenario() -> None:
        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(b"HTTP/1.1 400 No\r\ncontent-length: 1000\r\n\r\n{")

        async with proxied(script) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.status, answer.value("content-length"), answer.body) == (400, "1000", b"{")
            assert "broke off after 1 bytes" in str(proxy.ended[0]["problem"])

    run(scenario())
