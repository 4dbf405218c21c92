"""The codes and reasons with which connections are closed, as far as they can be sent on."""

from __future__ import annotations

import pytest

from faithfold.proxy.sockets_upstream import Closed


@pytest.mark.parametrize(
    ("code", "reason", "sent_on"),
    [
        (1000, "bye", Closed(1000, "bye")),
        (4999, "", Closed(4999)),
        (3000, "ü" * 61, Closed(3000, "ü" * 61)),
        (3000, "ü" * 62, Closed(3000)),  # 124 bytes
        (1004, "x", Closed(1000, "x")),
        (1005, "", Closed()),
        (1006, "", Closed()),
        (1015, "", Closed()),
        (999, "", Closed()),
        (5000, "", Closed()),
        (0, "", Closed()),
    ],
)
def test_what_can_be_sent_on_is(code: int, reason: str, sent_on: Closed) -> None:
    assert Closed.by(code, reason) == sent_on
