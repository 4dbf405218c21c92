"""What came in, as it came: one record a request, or a message of a WebSocket.

The server's thread fills a record in while a test reads it; `wait` tells when nothing will change any more.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from faithfold.testing.asked import Asked
from faithfold.testing.codings import UNREADABLE, unpacked
from faithfold.testing.line import DroppedError, GoneError


@dataclass(slots=True, eq=False)
class Received:
    """A request.

    Attributes:
        method: of the request; of a WebSocket that of its opening.
        target: the path with its query, byte for byte.
        headers: with their repeats and order; names in lower case.
        body: byte for byte; of a WebSocket its message, empty for the opening.
        websocket: whether it came over one.
        asked: what it asks of the model; None where it asks nothing of it.
        status: that was answered; 0 where nothing was. Over a WebSocket that of its error, or 200.
        hung_up: whether the client closed the connection before the answer was through.
    """

    method: str
    target: bytes
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes = b""
    websocket: bool = False
    asked: Asked | None = None
    status: int = 0
    hung_up: bool = False
    _over: threading.Event = field(default_factory=threading.Event)

    @property
    def path(self) -> bytes:
        """The target without its query."""
        return self.target.partition(b"?")[0]

    @property
    def dialect(self) -> str:
        """Of the messages; empty where nothing was asked of the model."""
        return "" if self.asked is None else self.asked.dialect

    def header(self, name: str) -> list[str]:
        """All values of a header, in order."""
        return [value.decode("latin-1") for key, value in self.headers if key == name.lower().encode()]

    def json(self) -> object:
        """The body as JSON, read through its content codings; None where it is none."""
        try:
            return json.loads(unpacked(self.body, ",".join(self.header("content-encoding"))))
        except (ValueError, RecursionError, *UNREADABLE):
            return None

    def wait(self, seconds: float = 10.0) -> bool:
        """Waits until it is answered, or somebody dropped the connection. Returns whether that came to be."""
        return self._over.wait(seconds)

    @contextmanager
    def answering(self) -> Generator[None]:
        """While it is answered; notes how that ended."""
        try:
            yield
        except GoneError:
            self.hung_up = True
        except DroppedError:
            pass
        finally:
            self._over.set()
