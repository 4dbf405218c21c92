"""The guard: who may use the proxy and see its pages (fault B124)."""

from __future__ import annotations

import pytest

from faithfold.proxy.guard import refusal
from faithfold.proxy.headers import Header, upward

LOCAL, ANYWHERE = "127.0.0.1", "0.0.0.0"
TOKEN = "s3cret"


def host(name: str) -> Header:
    return (b"Host", name.encode("latin-1"))


def page(*headers: Header, bound: str = LOCAL, token: str | None = None) -> str | None:
    return refusal(headers, bound, token, own_page=True)


@pytest.mark.parametrize(
    "name",
    [
        *("localhost", "LOCALHOST:8257", "localhost.:1", "127.0.0.1", "127.0.0.1:8257", "127.3.2.1:80"),
        *("[::1]", "[::1]:8257"),
    ],
)
def test_a_page_is_shown_under_the_names_of_this_machine(name: str) -> None:
    assert page(host(name)) is None
    assert page(host(name), (b"Origin", f"http://{name}".encode())) is None
    assert page(host(name), (b"origin", f"https://{name}".encode())) is None


@pytest.mark.parametrize(
    "name",
    [
        *("evil.example", "evil.example:8257", "localhost.evil.example", "127.0.0.1.evil.example", "xlocalhost"),
        *("10.0.0.1:8257", "0.0.0.0:8257", "[::2]:1", "::1", "[::1", "[localhost]", "2130706433"),
        *("", ":8257", "localhost:x", "localhost:80:80", "localhost, evil.example", "localhost evil", "user@localhost"),
        *("localhost/", "localh\xf6st"),
    ],
)
def test_a_page_is_shown_under_no_other_name(name: str) -> None:
    assert page(host(name)) == "the Host header is not one of this proxy's; ask for it as 127.0.0.1 or localhost"


def test_a_page_is_shown_to_nobody_who_says_no_name_or_two() -> None:
    assert page() is not None
    assert page(host("localhost"), host("localhost")) is not None


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "http://localhost:3000", "http://127.0.0.1:8257", "localhost:8257", "x"),
        *("http://localhost:8257.evil.example", "ftp://localhost:8257", "http://localhost:8257, http://evil.example"),
    ],
)
def test_a_page_is_shown_to_no_other_site(origin: str) -> None:
    assert page(host("localhost:8257"), (b"Origin", origin.encode())) == (
        "another site asks for this page; open it by itself"
    )


def test_the_address_that_the_proxy_is_bound_to_names_it() -> None:
    """A name may stand for an address of this machine; a token must be there, and then a page can't read anything."""
    bearer = (b"authorization", f"Bearer {TOKEN}".encode())
    assert page(host("my-box.local:8257"), bearer, bound="my-box.local", token=TOKEN) is None
    assert page(host("192.168.1.5:8257"), bearer, bound=ANYWHERE, token=TOKEN) is None
    assert page(host("not a name"), bearer, bound=ANYWHERE, token=TOKEN) is not None
    assert page(host("LOCALHOST:8257"), bound="LocalHost") is None


def test_another_site_sees_nothing_wherever_the_proxy_is_bound() -> None:
    bearer = (b"authorization", f"Bearer {TOKEN}".encode())
    here, there = (b"origin", b"http://192.168.1.5:8257"), (b"origin", b"http://evil.example")
    assert page(host("192.168.1.5:8257"), bearer, here, bound=ANYWHERE, token=TOKEN) is None
    assert page(host("192.168.1.5:8257"), bearer, there, bound=ANYWHERE, token=TOKEN) is not None


@pytest.mark.parametrize("own_page", [True, False])
@pytest.mark.parametrize("bound", [LOCAL, ANYWHERE])
def test_where_there_is_a_token_every_request_brings_it(bound: str, *, own_page: bool) -> None:
    headers = [host("localhost")]
    assert refusal([*headers, (b"X-Faithfold-Token", TOKEN.encode())], bound, TOKEN, own_page=own_page) is None
    for brought in ([], [b""], [b"S3CRET"], [b"s3cre"], [b"s3crets"], [b"s3cret", b"s3cret"], [b"s3cr\xe9t"]):
        tokens = [(b"x-faithfold-token", each) for each in brought]
        assert refusal([*headers, *tokens], bound, TOKEN, own_page=own_page) == (
            "this proxy asks for its token, in the header x-faithfold-token"
        )


@pytest.mark.parametrize(
    ("authorization", "enough"),
    [
        ("Bearer s3cret", True),
        ("bearer  s3cret ", True),
        ("Bearer wrong", False),
        ("Basic s3cret", False),
        ("s3cret", False),
        ("Bearer", False),
        ("", False),
    ],
)
def test_a_page_takes_the_token_as_authorization_too(authorization: str, *, enough: bool) -> None:
    assert (page(host("localhost"), (b"Authorization", authorization.encode()), token=TOKEN) is None) == enough


def test_a_provider_s_key_is_never_taken_for_the_token() -> None:
    """Else the token, which is the same for all of a proxy's users, would go on to the provider."""
    assert refusal([(b"authorization", b"Bearer s3cret")], LOCAL, TOKEN, own_page=False) is not None


def test_the_token_goes_to_no_upstream() -> None:
    assert upward([(b"X-Faithfold-Token", TOKEN.encode()), (b"x-api-key", b"k")]) == [(b"x-api-key", b"k")]


@pytest.mark.parametrize("name", ["evil.example", "localhost", ""])
def test_a_request_for_an_upstream_may_come_under_any_name(name: str) -> None:
    """Containers and tunnels have names of their own; whoever sends one brings a key of the provider's."""
    headers = [host(name), (b"origin", b"http://localhost:3000")]
    assert refusal(headers, LOCAL, None, own_page=False) is None


def test_a_refusal_quotes_nothing() -> None:
    said = [
        page(host("evil.example")),
        page(host("localhost"), (b"origin", b"http://evil.example")),
        page((b"x-faithfold-token", b"evil.example"), token=TOKEN),
    ]
    assert all(line and "evil" not in line and TOKEN not in line and "\n" not in line for line in said)
