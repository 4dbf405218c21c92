"""HTTP as the server reads it, in bounded memory: uvicorn's own reader, which keeps headers without end.

The idea: bytes are counted that have led to nothing yet, neither to the end of a head nor to any of a body. Bodies are
bounded where they are read.

Invariant: of what is no body, a connection makes the proxy keep at most `MOST_KEPT` bytes and one read.

Source: spec 40-proxy, Safety; fault B128.
"""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_KEPT = 256 * 1024
"""Bytes of a head, and of what stands between and behind the chunks of a body."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection of a client."""

    _kept = 0

    def data_received(self, data: bytes) -> None:
        """Reads what came. A connection that only adds to a head without end is told so, and closed."""
        self._kept += len(data)
        super().data_received(data)
        if self._kept > MOST_KEPT and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._kept = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body is there."""
        self._kept = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of the request is there."""
        self._kept = 0
        super().on_message_complete()
