"""A port of its own: where it is, and why it can't be had."""

from __future__ import annotations

import socket

import pytest

from faithfold.core.errors import InputError
from faithfold.proxy.serving import address, listener


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:"),
        ("localhost", "http://127.0.0.1:"),
        ("0.0.0.0", "http://127.0.0.1:"),
        ("::1", "http://[::1]:"),
        ("[::1]", "http://[::1]:"),
        ("::", "http://[::1]:"),
    ],
)
def test_the_address_is_one_that_clients_can_use(host: str, shown: str) -> None:
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    with listener(host, 0) as listening:
        assert address(listening) == shown + str(listening.getsockname()[1])
        with socket.create_connection(listening.getsockname()[:2]):
            pass


def test_what_cannot_be_had_is_one_line() -> None:
    with listener("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            InputError, match=f"^port {port} of 127.0.0.1 is in use; expected a free one, or 0 for any$"
        ):
            listener("127.0.0.1", port)
    for host in ("192.0.2.1", "nowhere.invalid"):
        with pytest.raises(InputError, match=f"^can't listen at {host} port 0: "):
            listener(host, 0)
