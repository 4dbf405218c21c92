"""Dumps for debugging (`--debug-dir`): what came, what was decided, what was answered, each in a file.

A transcript holds secrets. So the folder is its owner's alone (0700) and so is each file (0600), whatever the umask;
of headers only harmless ones are written, and what looks like a key is taken out of bodies before they are. Names are
made of our own numbers, never of what a client sends.

Invariant: the request path never waits for the disk, and goes on without it: one thread writes, what it can't keep up
with is dropped and counted, and a disk that is full or a folder that is gone costs one line in the log.

Source: spec 40-proxy, Safety; faults B122, B123, B126, B128.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

from faithfold.proxy.events import event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.folder import PrivateFolder

KEEP = 200  # exchanges
_MOST_WAITING = 64 * 1024 * 1024  # bytes
_EACH = 4_096  # bytes that a file counts for besides its content, so that there is a bound to their number too
_PATIENCE = 2.0  # seconds
_LONGEST_VALUE = 200  # characters of a header's value

# Of an answer. All else is left out: cookies, places to go to, names of accounts, and what we have never heard of.
_HEADERS = frozenset(
    (
        *("content-type", "content-encoding", "content-length", "transfer-encoding", "date", "server", "via"),
        *("retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id", "cf-ray"),
        *("openai-model", "openai-processing-ms", "openai-version"),
    )
)
_FAMILIES = ("anthropic-ratelimit-", "x-ratelimit-", "x-faithfold-")

_REDACTED = rb"[redacted]"
_NAMES = (
    rb"authorization|authorization[-_]token|api[-_]?key|(?:access|auth|bearer|refresh)[-_]token|secret|password|cookie"
)
_NAMED = re.compile(rb'("[\w-]{0,32}(?:' + _NAMES + rb')\\*"\s*:\s*\\*")[^"\\]+', re.IGNORECASE)
_SHAPED = re.compile(rb"\b(?:sk-[\w-]{16,}|AIza[\w-]{30,}|gh[opsur]_\w{30,}|[Bb]earer\s+[\w.~+/-]{16,}=*)")


def redacted(body: bytes) -> bytes:
    """`body` without what looks like a key: values of JSON members that are named so, and well-known shapes.

    It takes about 15 ms a megabyte, during which no other thread runs: a price of debugging.
    """
    return _SHAPED.sub(_REDACTED, _NAMED.sub(rb"\1" + _REDACTED, body))


class Writer:
    """One thread that writes what it is given, in order.

    Args:
        write: writes a file of this name and content; what it raises as OSError is told to `failed`.
        failed: is told of each failure, in the writer's thread.
        most: bytes that may wait; a single larger file may, if nothing else does.
    """

    def __init__(
        self, write: Callable[[str, bytes], None], failed: Callable[[OSError], None], most: int = _MOST_WAITING
    ) -> None:
        """A thread that waits for work. It never keeps the process from ending."""
        self.dropped = 0
        self._write = write
        self._failed = failed
        self._most = most
        self._waiting = 0
        self._lock = Lock()
        self._queue: SimpleQueue[tuple[str, bytes] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="faithfold dumps", daemon=True)
        self._thread.start()

    def put(self, name: str, content: bytes) -> None:
        """Writes a file, soon; or drops and counts it, where too much waits. Never waits itself."""
        size = len(content) + _EACH
        with self._lock:
            if self._waiting and self._waiting + size > self._most:
                self.dropped += 1
                return
            self._waiting += size
        self._queue.put((name, content))

    def close(self, patience: float = _PATIENCE) -> bool:
        """Writes what waits, for `patience` seconds at most; whether all was written."""
        self._queue.put(None)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            name, content = work
            try:
                self._write(name, content)
            except OSError as error:
                self._failed(error)
            with self._lock:
                self._waiting -= len(content) + _EACH


class Dumps:
    """The dumps of one app.

    Of each exchange there are, as far as it came to them:

    - `…-came.body`: the body as it came, without its content encoding;
    - `…-decision-N.json`: the Nth decision; `…-decision-N.body`: the body that it made, where that is another (shadow
      mode doesn't send it);
    - `…-answer.json`: the answer's status and harmless headers; `…-ended.json`: what is told of the whole exchange.

    Args:
        folder: where to.
        say: says a line to the user; called in another thread.
        keep: so many exchanges are kept, the newest.

    Raises:
        SettingsError: the folder can't be made or made private.
    """

    def __init__(self, folder: Path, say: Callable[[str], None], keep: int = KEEP) -> None:
        """Makes the folder, and makes it private."""
        self._folder = PrivateFolder(folder, keep)
        self._say = say
        self._failures = 0
        self._writer = Writer(self._write, self._failed)

    @property
    def lost(self) -> int:
        """How many files were not written: dropped, or failed."""
        return self._writer.dropped + self._failures

    def decided(self, exchange: Exchange) -> None:
        """What came, and what was decided on it."""
        decision = exchange.decision
        if decision is None:
            return
        attempt = exchange.tries + 1
        source = decision.outcome.source
        if attempt == 1 and isinstance(source, bytes):
            self._put(exchange, "came.body", source)
        told = event_of(exchange, "decided").to_json()
        self._put_json(exchange, f"decision-{attempt}.json", {**told, "head_len": decision.head_len})
        if decision.modified:
            self._put(exchange, f"decision-{attempt}.body", decision.body)

    def answered(self, exchange: Exchange, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """What the provider answered, but for the body."""
        self._put_json(exchange, "answer.json", {"status": exchange.status, "headers": harmless(headers)})

    def ended(self, exchange: Exchange) -> None:
        """All that is told of an exchange."""
        self._put_json(exchange, "ended.json", event_of(exchange, "ended").to_json())

    def close(self) -> None:
        """Writes what waits, in bounded time."""
        self._writer.close()

    def _put_json(self, exchange: Exchange, what: str, value: object) -> None:
        self._put(exchange, what, json.dumps(value, indent=1).encode() + b"\n")

    def _put(self, exchange: Exchange, what: str, content: bytes) -> None:
        self._writer.put(f"{int(exchange.began * 1_000):013d}-{exchange.number:06d}-{what}", content)

    def _write(self, name: str, content: bytes) -> None:
        self._folder.write(name, redacted(content))

    def _failed(self, error: OSError) -> None:
        self._failures += 1
        if self._failures == 1:
            self._say(f"debug dumps can't be written, and requests go on: {error.strerror or type(error).__name__}")


def harmless(headers: Iterable[tuple[bytes, bytes]]) -> list[list[str]]:
    """The headers of an answer that may be written, in order."""
    texts = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)
    allowed = ((name, value) for name, value in texts if name in _HEADERS or name.startswith(_FAMILIES))
    return [[name, value[:_LONGEST_VALUE]] for name, value in allowed]
