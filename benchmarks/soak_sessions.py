"""The sessions of the soak: histories that grow, each with a marker of its own in all its texts.

Invariant: no two sessions share a marker, and all else of theirs is as alike as can be: the same system prompt, the
same names of calls, pieces of the same text. So a mistake about whose history it is has every chance, and shows.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from random import Random

from faithfold.dialects import DIALECTS
from tests.pieces import STEPS, session

PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions", "openai-responses": "/v1/responses"}
MODELS = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-4.1", "openai-responses": "gpt-5"}
MARKER = re.compile(rb"mark\d{4}x\d{4}mark")

_SHORT, _LONG = (100, 450), (1_500, 6_000)  # characters of a result: the short ones are told in a note
_LABELS = ("header", "field", "none")
_WORDS = Random(1).choices(
    ["of", "the", "build", "cache", "is", "a", "slow", "test", "\n", "path/to/file.py:12"], k=9_000
)
_TEXT = " ".join(_WORDS)


def markers(data: bytes) -> set[bytes]:
    """All markers in some bytes."""
    return set(MARKER.findall(data))


@dataclass
class Session:
    """One conversation of one client.

    Attributes:
        index: of the client.
        round: how many conversations it had before.
        random: where all that is drawn comes from.
        steps: the JSON text of each step's messages.
    """

    index: int
    round: int
    random: Random
    steps: list[str] = field(default_factory=list[str])

    @property
    def dialect(self) -> str:
        """Of its messages."""
        return list(PATHS)[self.index % 3]

    @property
    def streams(self) -> bool:
        """Whether it wants its answers as streams."""
        return self.index // 3 % 2 == 0

    @property
    def labelled(self) -> str:
        """Where it says which session it is."""
        return _LABELS[self.index // 6 % 3]

    @property
    def marker(self) -> bytes:
        """In all its texts."""
        return b"mark%04dx%04dmark" % (self.index, self.round)

    @property
    def owner(self) -> str:
        """What the label that the proxy gives it stands for: the session that it says, or its history."""
        return self.marker.decode() if self.labelled == "none" else f"session {self.index}"

    @property
    def headers(self) -> list[str]:
        """Those that say which session it is."""
        return [f"x-session-id: session {self.index}"] if self.labelled == "header" else []

    def grow(self) -> None:
        """One step more."""
        least, most = self.random.choice((_SHORT, _LONG, _LONG))
        start = self.random.randrange(len(_TEXT) - most)
        result = f"{self.marker.decode()} {_TEXT[start : start + self.random.randint(least, most)]}"
        self.steps.append(_listed(STEPS[self.dialect](len(self.steps), result)))

    def rewind(self) -> None:
        """Takes back a few steps, and so goes on another way."""
        del self.steps[-self.random.randint(1, 6) :]

    def body(self, **fields: object) -> bytes:
        """The request with the whole history."""
        task = _listed(session(self.dialect, 0, task=f"Task {self.marker.decode()}: make the build faster."))
        messages = ", ".join([task, *self.steps])
        told = json.dumps({"model": MODELS[self.dialect], **self._fields(), **fields})
        return f'{told[:-1]}, "{DIALECTS[self.dialect].messages_key}": [{messages}]}}'.encode()

    def _fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"stream": self.streams}
        if self.dialect == "anthropic":
            fields |= {"max_tokens": 1_000, "system": _TEXT[:500]}
        if self.dialect == "openai-responses":
            fields |= {"store": False, "instructions": _TEXT[:500]}
        if self.labelled == "field":
            name = f"session {self.index}"
            known = {"metadata": {"user_id": json.dumps({"session_id": name})}}
            fields |= known if self.dialect == "anthropic" else {"prompt_cache_key": name}
        return fields


def _listed(messages: list[dict[str, object]]) -> str:
    return ", ".join(json.dumps(message) for message in messages)
