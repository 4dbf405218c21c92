"""An app that is served beside what the main thread does, which keeps the terminal and the signals.

Invariant: nothing is written to the terminal from there, and no signal is handled there.
"""

from __future__ import annotations

import logging
import signal
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from faithfold.cli.terminal import Failed
from faithfold.proxy.app import App
from faithfold.proxy.serving import Server

_END_S = 2.0  # how long streams may go on at the end, for programs that were left behind
_TICK_S = 0.005


@contextmanager
def served_beside(app: App, listening: socket.socket) -> Generator[None]:
    """Serves an app, as long as it lasts.

    Args:
        app: that is served.
        listening: where.

    Raises:
        Failed: it can't be served.
    """
    nowhere = logging.NullHandler()
    logging.getLogger().addHandler(nowhere)  # or Python's last resort would write to the terminal
    server = Server(app)
    thread = threading.Thread(target=_serve, args=(server, listening), name="proxy", daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise Failed("the proxy could not be started")
        time.sleep(_TICK_S)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_END_S)
        server.force_exit = True
        thread.join(_END_S)
        logging.getLogger().removeHandler(nowhere)


def _serve(server: Server, listening: socket.socket) -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    server.run(sockets=[listening])
