"""What can be set about the proxy: what would send keys astray, or open the proxy to a network, can't be made."""

from __future__ import annotations

from typing import cast

import pytest

from faithfold import EngineSettings, SettingsError
from faithfold.proxy.settings import ProxySettings, is_loopback

WRONG: list[tuple[dict[str, object], str]] = [
    ({"keep_recent": -1}, "keep_recent must not be negative, but is -1"),
    ({"threshold_tokens": "9"}, "threshold_tokens must be a whole number, not '9'"),
    ({"port": -1}, "port must not be negative, but is -1"),
    ({"port": 65_536}, "port must be at most 65535, but is 65536"),
    ({"port": "80"}, "port must be a whole number, not '80'"),
    ({"max_body_bytes": 1.5}, "max_body_bytes must be a whole number, not 1.5"),
    ({"hold_ms": -1}, "hold_ms must not be negative, but is -1"),
    ({"connect_timeout_s": True}, "connect_timeout_s must be a whole number, not True"),
    ({"shadow": 1}, "shadow must be true or false, not 1"),
    ({"answer_headers": "no"}, "answer_headers must be true or false, not 'no'"),
    ({"host": None}, "host must be a text, not None"),
    ({"debug_dir": 5}, "debug_dir must be a text, not 5"),
    ({"token": ""}, "token must be one line of ASCII characters"),
    ({"token": "a\nb"}, "token must be one line of ASCII characters"),
    ({"token": "schlüssel"}, "token must be one line of ASCII characters"),
    ({"host": "0.0.0.0"}, "host '0.0.0.0' lets other machines in, and so needs a token"),
    ({"host": "::"}, "host '::' lets other machines in, and so needs a token"),
    ({"host": ""}, "host '' lets other machines in, and so needs a token"),
    ({"host": "box.example"}, "host 'box.example' lets other machines in, and so needs a token"),
    ({"host": "127.0.0.1.example"}, "host '127.0.0.1.example' lets other machines in, and so needs a token"),
]

NO_ADDRESSES = [
    "",
    "api.anthropic.com",
    "ftp://api.anthropic.com",
    "file:///etc/passwd",
    "http://",
    "https://host:port",
    "https://host:99999",
    "https://host:0",
    "https://host/?x=1",
    "https://host/#x",
    "https://[::1",
    "https://host/a b",
    "https://host/\r\nx: y",
    "https://höst",
]

ITSELF = [
    ("127.0.0.1", "http://127.0.0.1:8257"),
    ("127.0.0.1", "http://LOCALHOST:8257/v1"),
    ("localhost", "http://127.0.0.1:8257"),
    ("::1", "http://[::1]:8257"),
    ("::1", "http://localhost:8257"),
    ("0.0.0.0", "http://127.0.0.1:8257"),
    ("0.0.0.0", "https://[::1]:8257"),
    ("box.example", "http://Box.example:8257"),
]


def made(**given: object) -> ProxySettings:
    return ProxySettings(**given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("given", "told"), WRONG)
def test_what_cannot_be_meant_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError) as raised:
        made(**given)
    assert str(raised.value) == told


@pytest.mark.parametrize("name", ["anthropic_upstream", "openai_upstream"])
@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_b125_an_upstream_is_an_address(name: str, url: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{name} is .*; expected an address such as https://"):
        made(**{name: url})


def test_b122_an_upstream_with_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(SettingsError, match="anthropic_upstream must hold no name or password") as raised:
        made(anthropic_upstream="https://me:secret@api.example")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(("host", "url"), ITSELF)
def test_b101_an_upstream_that_is_the_proxy_itself_is_refused(host: str, url: str) -> None:
    with pytest.raises(SettingsError, match=r"^openai_upstream is the proxy itself: "):
        made(host=host, openai_upstream=url, token="t")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8258", "https://127.0.0.1", "http://box.example:8257", "https://api.example/v1/"]
)
def test_any_other_address_is_an_upstream(url: str) -> None:
    assert made(anthropic_upstream=url).anthropic_upstream == url


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost", "LocalHost."])
def test_no_token_is_needed_where_only_this_machine_can_reach_it(host: str) -> None:
    assert is_loopback(host)
    assert made(host=host).token is None


def test_a_token_is_not_shown() -> None:
    assert "sesame" not in repr(ProxySettings(token="open sesame"))


def test_the_defaults_are_safe_and_follow_the_model() -> None:
    settings = ProxySettings()
    assert (settings.host, settings.port, settings.threshold_tokens) == ("127.0.0.1", 8257, None)
    assert (settings.shadow, settings.strict, settings.max_body_bytes) == (False, False, 512 * 1024 * 1024)


def test_the_engine_gets_its_part_alone() -> None:
    settings = ProxySettings(threshold_tokens=9, keep_recent=1, policy="none", port=1, debug_dir="d")
    memory = settings.recognition_max_bytes
    assert settings.engine() == EngineSettings("none", 1, threshold_tokens=9, recognition_max_bytes=memory)
    assert type(settings.engine()) is EngineSettings


@pytest.mark.parametrize(
    ("given", "tenant"),
    [({}, ""), ({"token": "t"}, "t"), ({"tenant": "x"}, "x"), ({"token": "t", "tenant": "x"}, "x")],
)
def test_who_shares_the_token_shares_what_is_remembered(given: dict[str, str], tenant: str) -> None:
    assert made(**cast("dict[str, object]", given)).engine().tenant == tenant
