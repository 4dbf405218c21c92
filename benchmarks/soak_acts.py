"""What the provider of the soak does with a request: answer it, or make one kind of trouble. Requests choose.

Each act is a row of `ACTS`. One that only waits is ended from outside, when the other side leaves.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from hashlib import sha256
from itertools import count

from benchmarks.soak_turns import Turn
from benchmarks.soak_wire import END, chunked
from faithfold.testing.answers import Refusal, Reply, Trouble

Act = Callable[[Turn], Awaitable[None]]

_EVENTS = ("content-type: text/event-stream", "transfer-encoding: chunked")
_JSON = "content-type: application/json"
_PING = b"event: ping\ndata: {}\n\n"


async def answers(turn: Turn) -> None:
    """As it should."""
    await turn.give(turn.reply())


async def takes_anything(turn: Turn) -> None:
    """Whatever the body is."""
    await turn.give(turn.note())


async def is_mute(_: Turn) -> None:
    """Says nothing."""
    await asyncio.Event().wait()


async def begins_late(turn: Turn) -> None:
    """Thinks first."""
    await asyncio.sleep(0.4)
    await answers(turn)


async def drips(turn: Turn) -> None:
    """In pieces that cut through events and characters."""
    body = b"".join(turn.reply().pieces)
    turn.begin("200 OK", *_EVENTS)
    for start in range(0, len(body), 97):
        await turn.send(chunked(body[start : start + 97]))
        await asyncio.sleep(0.002)
    await turn.send(END)


async def never_ends(turn: Turn) -> None:
    """Goes on for as long as somebody listens."""
    turn.begin("200 OK", *_EVENTS)
    for number in count():
        await turn.send(chunked(b"data: %b %d\n\n" % (turn.told("marker").encode(), number)))
        await asyncio.sleep(0.05)


async def pours(turn: Turn) -> None:
    """The same, as fast as it is taken."""
    turn.begin("200 OK", *_EVENTS)
    while True:
        await turn.send(chunked(_PING * 2_000))


async def floods(turn: Turn) -> None:
    """A large answer."""
    await turn.give_bytes("200 OK", turn.flood(), _JSON)


async def tells_no_length(turn: Turn) -> None:
    """A large answer, that ends with the connection."""
    body = turn.flood()
    turn.begin("200 OK", _JSON, "connection: close", f"x-soak-hash: {sha256(body).hexdigest()}")
    await turn.send(body)
    turn.writer.close()


async def hints_first(turn: Turn) -> None:
    """Says that an answer is to come."""
    turn.writer.write(b"HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n")
    await takes_anything(turn)


async def has_nothing_to_say(turn: Turn) -> None:
    """No content, with the length of another answer."""
    turn.begin("204 No Content", "content-length: 30")


async def has_an_odd_status(turn: Turn) -> None:
    """One that nobody knows."""
    await turn.give_bytes("799 Odd", b"{}")


async def has_odd_headers(turn: Turn) -> None:
    """Repeated, empty, and not in ASCII."""
    odd = ("set-cookie: a=1", "set-cookie: b=2", "x-empty:", "x-latin: gr\xfc\xdfe")
    await turn.give_bytes("200 OK", b"".join(turn.note().pieces), *odd)


# ---------------------------------------------------------------- refusals


def refuses(trouble: Trouble) -> Act:
    """In the words of its dialect."""

    async def act(turn: Turn) -> None:
        await turn.give(turn.refusal(trouble))

    return act


def at_first(first: Act, then: Act) -> Act:
    """The first time something else than after that."""

    async def act(turn: Turn) -> None:
        await (first if turn.tries == 1 else then)(turn)

    return act


async def refuses_in_a_stream(turn: Turn) -> None:
    """An overflow inside a 200."""
    await turn.give(turn.made(Reply(breaks=Refusal("overflow"))))


async def never_ends_a_refusal(turn: Turn) -> None:
    """An overflow that is never told to its end."""
    turn.begin("400 Bad Request", _JSON, "content-length: 5000")
    await turn.send(b'{"error": {"message": "prompt is too long')
    await asyncio.Event().wait()


# ---------------------------------------------------------------- ends


async def closes(turn: Turn) -> None:
    """Without an answer."""
    turn.writer.close()


async def resets(turn: Turn) -> None:
    """Without an answer."""
    turn.reset()


async def dies_in_its_head(turn: Turn) -> None:
    """In the middle of a header."""
    await turn.send(b"HTTP/1.1 200 OK\r\ncontent-ty")
    turn.writer.close()


def dies(how: Callable[[Turn], None], *framing: str) -> Act:
    """In the middle of its answer."""

    async def act(turn: Turn) -> None:
        turn.begin("200 OK", *framing)
        said = b'data: {"type": "ping", "said": "%b"}\n\n' % turn.told("marker").encode()
        await turn.send(chunked(said) if "chunked" in framing[-1] else said)
        await asyncio.sleep(0.05)
        how(turn)

    return act


async def closes_after_its_answer(turn: Turn) -> None:
    """And doesn't say that it will."""
    await answers(turn)
    turn.writer.close()


async def answers_before_it_has_read(turn: Turn) -> None:
    """And reads nothing any more."""
    await turn.give_bytes("503 Busy", b'{"error": "busy"}', _JSON, "connection: close")
    turn.writer.close()


# ---------------------------------------------------------------- lies


def says(data: bytes, status: str, *headers: str) -> Act:
    """Bytes as they stand, with a length that is true."""

    async def act(turn: Turn) -> None:
        await turn.give_bytes(status, data, *headers)

    return act


def says_a_length(wrong: int) -> Act:
    """One that is wrong by so much; then it closes."""

    async def act(turn: Turn) -> None:
        body = b"".join(turn.note().pieces)
        turn.begin("200 OK", _JSON, f"content-length: {len(body) + wrong}")
        await turn.send(body)
        if wrong > 0:
            turn.writer.close()

    return act


async def answers_twice(turn: Turn) -> None:
    """All at once."""
    body = b"".join(turn.note().pieces)
    turn.begin("200 OK", _JSON, f"content-length: {len(body)}")
    await turn.send(body + b"HTTP/1.1 200 OK\r\nx-soak-number: 0\r\ncontent-length: 2\r\n\r\n{}")


async def garbles_a_chunk(turn: Turn) -> None:
    """What should be a size is none."""
    turn.begin("200 OK", *_EVENTS)
    await turn.send(chunked(_PING))
    await asyncio.sleep(0.05)
    await turn.send(b"what?\r\n" + _PING)


async def speaks_no_http(turn: Turn) -> None:
    """But something else."""
    await turn.send(b"220 mail.example ESMTP\r\n\r\n")


async def has_headers_without_end(turn: Turn) -> None:
    """Until it is told to stop."""
    turn.writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        await turn.send(b"x-more: " + b"m" * 60_000 + b"\r\n")


@cache
def bomb(megabytes: int) -> bytes:
    """A little gzip that is so large when it is unpacked."""
    return gzip.compress(bytes(megabytes * 1024 * 1024), mtime=0)


_DEEP = b'{"error": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
_GZIP = "content-encoding: gzip"


async def bombs(turn: Turn) -> None:
    """Refuses with an error that grows without end when it is unpacked."""
    await turn.give_bytes("400 Bad Request", bomb(64), _JSON, _GZIP)


ACTS: Mapping[str, Act] = {
    **{act.__name__: act for act in (answers, takes_anything, is_mute, begins_late, drips, never_ends, pours, floods)},
    **{act.__name__: act for act in (tells_no_length, hints_first, has_nothing_to_say, has_an_odd_status)},
    **{act.__name__: act for act in (has_odd_headers, refuses_in_a_stream, never_ends_a_refusal, closes, resets)},
    **{act.__name__: act for act in (dies_in_its_head, closes_after_its_answer, answers_before_it_has_read)},
    **{act.__name__: act for act in (answers_twice, garbles_a_chunk, speaks_no_http, has_headers_without_end, bombs)},
    "reads_slowly": answers,
    "refuses_once": at_first(refuses("overflow"), answers),
    "refuses_once_as_too_large": at_first(refuses("too large"), answers),
    "refuses_once_in_a_stream": at_first(refuses_in_a_stream, answers),
    "refuses_for_ever": refuses("overflow"),
    "refuses_and_then_is_mute": at_first(refuses("overflow"), is_mute),
    "limits_the_rate": refuses("rate limit"),
    "limits_the_quota": refuses("quota"),
    "fails": refuses("server error"),
    "is_overloaded": refuses("overloaded"),
    "dies_in_a_stream": dies(lambda turn: turn.writer.close(), *_EVENTS),
    "resets_in_a_stream": dies(Turn.reset, *_EVENTS),
    "dies_in_a_body": dies(lambda turn: turn.writer.close(), _JSON, "content-length: 1000"),
    "says_too_large_a_length": says_a_length(50),
    "says_too_small_a_length": says_a_length(-10),
    "says_gzip_and_isnt": says(b"{}", "200 OK", _JSON, _GZIP),
    "refuses_in_gzip_and_isnt": says(b"prompt is too long", "400 Bad Request", _JSON, _GZIP),
    "nests_deeply": says(b"data: " + _DEEP + b"\n\n", "200 OK", _EVENTS[0]),
    "refuses_in_deep_nesting": says(_DEEP, "400 Bad Request", _JSON),
    "says_no_json": says(b"<html>\xff\xfe</html>", "200 OK", _JSON),
}
"""What can be done, by its name."""

UNREAD = ("answers_before_it_has_read", "has_headers_without_end")
"""What is done before the body is read."""
