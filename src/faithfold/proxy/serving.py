"""Serving an app: a port of its own, uvicorn with settings that fit a proxy, and an end in bounded time.

Invariant: nothing but the app's own log is written, so no header of a request gets into a traceback on a terminal.

Source: spec 90-decisions, Proxy (port in use, SIGTERM); DEPENDENCIES, HTTP; fault B122.
"""

from __future__ import annotations

import errno
import socket
from typing import cast

import uvicorn

from faithfold.core.errors import InputError
from faithfold.proxy.app import App
from faithfold.proxy.protocol import BoundedProtocol

DRAIN_S = 10
"""How long streams may go on after the server was told to stop, in seconds."""

_KEPT_S = (
    75  # how long an idle connection of a client is kept: longer than clients keep theirs, so that none is cut off
)
_WAITING = 2_048  # connections that may wait to be taken


class Server(uvicorn.Server):
    """A server of one app.

    Args:
        app: that is served.
    """

    def __init__(self, app: App) -> None:
        """Serves nothing yet."""
        super().__init__(
            uvicorn.Config(
                app,
                http=BoundedProtocol,
                ws="websockets-sansio",
                ws_max_size=app.settings.max_body_bytes,
                ws_per_message_deflate=False,
                ws_ping_interval=None,  # client and upstream ask each other
                lifespan="on",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=_KEPT_S,
                timeout_graceful_shutdown=DRAIN_S,
            )
        )
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops: what would never end by itself is ended first."""
        self._app.drain()
        await super().shutdown(sockets)
        await self._app.close()  # a second Ctrl-C leaves that out


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Args:
        host: the address, or its name.
        port: 0 takes a free one.

    Raises:
        InputError: it can't be had.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=_WAITING)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} of {host} is in use; expected a free one, or 0 for any") from None
        raise InputError(f"can't listen at {host} port {port}: {error.strerror or error}") from None


def address(listening: socket.socket) -> str:
    """Where clients on this machine find a socket that listens, as a URL."""
    host, port = cast("tuple[str, int]", listening.getsockname()[:2])
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"
