"""What a message says, read without regard to its wire format.

A message stays the client's own object; a `Reading` of it is made when somebody looks. Parts are values: they
point to nothing and change nothing. What no reader understands is `Opaque`: carried whole or dropped whole.

Source: spec 00-model, Terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Speaker = Literal["model", "user", "tool", "instruction", "other"]
"""Who speaks in a message: the model, the user's side, a tool (in a message of its own), system or developer."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words that both sides can read."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model's reasoning; `text` is empty where it is sealed (encrypted or redacted)."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. A result answers it when both `id` and `family` are the same.

    `arguments` is the JSON text of the arguments, or the free text of a custom tool. `hosted` calls run at the
    provider and need no answer from the client.
    """

    id: str
    name: str
    arguments: str
    family: str
    hosted: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture; `payload` is its base64, its URL or its file id."""

    payload: str


@dataclass(frozen=True, slots=True)
class Document:
    """A file: inline, by URL or by file id."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A piece of a kind that faithfold doesn't read, named by its `kind`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered. `text` is its readable text, joined by newlines; `others` is what else it holds."""

    id: str
    text: str
    family: str
    hosted: bool = False
    others: tuple[Image | Document | Opaque, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that the provider holds, named by its `id`: it may be a call, whose result then follows."""

    id: str


Part = Text | Thinking | Call | Result | Image | Document | Reference | Opaque


@dataclass(frozen=True, slots=True)
class Reading:
    """One message, read.

    `role` is the role as the wire names it. `pinned` messages are never folded: a provider's own compaction, or a
    definition of tools, means more than its text.
    """

    speaker: Speaker
    role: str
    parts: tuple[Part, ...]
    pinned: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the message, in order."""
        return tuple(part.text for part in self.parts if isinstance(part, Text))


UNREADABLE = Reading("other", "", (Opaque("no object"),))
"""The reading of a message that is no JSON object."""
