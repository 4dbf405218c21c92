"""Headers: what goes on and what stays, both ways (faults B091, B094 to B097)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from faithfold.proxy.headers import Header, downward, upward, value

Way = Callable[[list[Header]], list[Header]]
BOTH = pytest.mark.parametrize("way", [upward, downward])

KEPT: list[Header] = [
    (b"x-api-key", b"sk-1"),
    (b"Anthropic-Beta", b"a"),
    (b"anthropic-beta", b"b, c"),
    (b"set-cookie", b"one=1"),
    (b"Set-Cookie", b"two=2; path=/"),
    (b"retry-after", b"17"),
    (b"x-should-retry", b"true"),
    (b"anthropic-ratelimit-tokens-remaining", b"0"),
    (b"Accept-Encoding", b"gzip, br"),
    (b"x-odd", b"\xff\x80 "),
    (b"x-empty", b""),
    (b"proxy-status", b"x"),
    (b"x-faithful", b"1"),
]


@BOTH
def test_what_is_for_the_other_end_goes_on_as_it_came(way: Way) -> None:
    assert way(KEPT) == KEPT
    assert way(list(reversed(KEPT))) == list(reversed(KEPT))


@BOTH
@pytest.mark.parametrize(
    "name",
    [
        *(b"Connection", b"KEEP-ALIVE", b"te", b"Trailer", b"transfer-encoding", b"upgrade"),
        *(b"proxy-authenticate", b"Proxy-Authorization", b"proxy-connection", b"X-Faithfold-Policy", b"x-faithfold-"),
    ],
)
def test_what_was_said_to_the_proxy_alone_stays(way: Way, name: bytes) -> None:
    assert way([(b"a", b"1"), (name, b"x"), (b"b", b"2")]) == [(b"a", b"1"), (b"b", b"2")]


@BOTH
def test_what_connection_names_stays(way: Way) -> None:
    headers = [
        (b"connection", b"keep-alive, X-Hop"),
        (b"x-hop", b"1"),
        (b"Connection", b" x-other ,,"),
        (b"X-Other", b"2"),
        (b"X-HOP", b"3"),
        (b"x-hopper", b"4"),
    ]
    assert way(headers) == [(b"x-hopper", b"4")]


def test_what_the_client_of_the_upstream_sets_anew_stays() -> None:
    headers = [(b"Host", b"127.0.0.1:8257"), (b"content-length", b"5"), (b"Expect", b"100-continue")]
    assert upward([*headers, (b"content-encoding", b"gzip")]) == [(b"content-encoding", b"gzip")]


def test_an_answer_s_length_and_encoding_go_back_with_its_bytes() -> None:
    headers = [(b"content-length", b"5"), (b"content-encoding", b"gzip"), (b"host", b"x")]
    assert downward(headers) == headers


def test_a_length_beside_a_transfer_encoding_does_not_count() -> None:
    headers = [(b"Content-Length", b"5"), (b"Transfer-Encoding", b"chunked"), (b"x", b"1")]
    assert downward(headers) == [(b"x", b"1")]


@BOTH
def test_the_headers_given_are_left_as_they_are(way: Way) -> None:
    headers = [(b"connection", b"close"), (b"a", b"1")]
    assert way(headers) == [(b"a", b"1")]
    assert way(list(iter(headers))) == [(b"a", b"1")]
    assert headers == [(b"connection", b"close"), (b"a", b"1")]


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ([], ""),
        ([(b"b", b"1")], ""),
        ([(b"A", b" 1 ")], "1"),
        ([(b"a", b"1"), (b"b", b"2"), (b"A", b"3")], "1, 3"),
        ([(b"a", b"\xe9")], "é"),
    ],
)
def test_what_a_header_says(headers: list[Header], said: str) -> None:
    assert value(headers, b"a") == said
