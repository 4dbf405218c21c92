"""What is in a conversation: its tokens by class of content, and its largest messages.

A message's size is shared among classes by its fields and blocks, each of which counts whole as what it holds; what
frames them is `other`. Invariant: the classes add up to the total, in whole tokens, and the total is what a
compaction reports.

Source: spec 00-model, Sizes (one size function).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Dialect
from faithfold.core.media import media
from faithfold.core.parts import Call, Document, Image, Opaque, Part, Reading, Result, Speaker, Text, Thinking
from faithfold.core.sizes import QUARTERS, SEPARATOR, Sizer
from faithfold.core.values import as_list, as_object, is_list
from faithfold.core.voices import human_texts
from faithfold.strategies.notes import is_summary

CLASSES: Mapping[str, str] = {
    "human": "human text",
    "instructions": "instructions",
    "notes": "notes of compactions",
    "assistant": "assistant text",
    "thinking": "thinking",
    "calls": "tool calls",
    "results": "tool results",
    "media": "images and documents",
    "other": "other",
}
"""The classes of content by key, and how people call them."""

_LARGEST = 5

# Of texts that are neither a human's nor a note: what a harness puts into user messages instructs the model.
_CLASS_BY_SPEAKER: Mapping[Speaker, str] = {
    "model": "assistant",
    "user": "instructions",
    "instruction": "instructions",
    "tool": "results",
    "other": "other",
}


@dataclass(frozen=True, slots=True)
class Large:
    """One of the largest messages: its index, what it mostly is, its size in tokens."""

    index: int
    what: str
    tokens: int


class Contents:
    """The sizes of a conversation's messages.

    Args:
        conversation: what is looked at.

    Attributes:
        quarters: of each message with its frame, in quarter tokens.
        shares: of each message, the quarter tokens by class.
    """

    def __init__(self, conversation: Conversation) -> None:
        """Sizes every message."""
        self.conversation = conversation
        pairs = zip(conversation.messages, conversation.readings, strict=True)
        self.shares = [share(message, reading, conversation.dialect) for message, reading in pairs]
        self.quarters = [sum(each.values()) for each in self.shares]

    @property
    def tokens(self) -> int:
        """The size of all messages."""
        return sum(self.quarters) // QUARTERS

    def by_class(self) -> dict[str, int]:
        """Tokens by class, all classes in their order; they add up to `tokens`."""
        total: Counter[str] = Counter()
        for each in self.shares:
            total.update(each)
        return whole_tokens({name: total[name] for name in CLASSES})

    def largest(self) -> list[Large]:
        """The largest messages, the largest first."""
        order = sorted(range(len(self.quarters)), key=lambda index: -self.quarters[index])[:_LARGEST]
        tools = _tools(self.conversation)
        return [Large(index, self._what(index, tools), self.quarters[index] // QUARTERS) for index in order]

    def _what(self, index: int, tools: Mapping[tuple[str, str], str]) -> str:
        main = max(self.shares[index], key=self.shares[index].__getitem__)
        parts = self.conversation.readings[index].parts
        if main == "calls":
            names = [part.name for part in parts if isinstance(part, Call)]
        elif main in ("results", "media"):
            names = [tools.get((part.family, part.id), "") for part in parts if isinstance(part, Result)]
        else:
            names = []
        named = ", ".join(dict.fromkeys(filter(None, names)))
        return f"{CLASSES[main]}: {named}" if named else CLASSES[main]


def share(message: object, reading: Reading, dialect: Dialect) -> Counter[str]:
    """The quarter tokens of one message by class; with the frame they are its size."""
    total = Sizer().quarters(message)
    shares: Counter[str] = Counter()
    pieces = [(reading, message)] if len(_classes(reading)) == 1 else _pieces(as_object(message), dialect)
    for piece, value in pieces:
        room = total - sum(shares.values())
        shares.update(_share_of_piece(piece, value, room))
    shares["other"] += total - sum(shares.values()) + SEPARATOR
    return shares


def whole_tokens(quarters: Mapping[str, int]) -> dict[str, int]:
    """Quarter tokens as tokens that add up to the rounded sum: the largest remainders are rounded up."""
    tokens = {name: size // QUARTERS for name, size in quarters.items()}
    missing = sum(quarters.values()) // QUARTERS - sum(tokens.values())
    for name in sorted(quarters, key=lambda name: -(quarters[name] % QUARTERS))[:missing]:
        tokens[name] += 1
    return tokens


def _pieces(fields: Mapping[str, object], dialect: Dialect) -> Iterator[tuple[Reading, object]]:
    """The fields of a message, a list's items one by one, each read as if the message held nothing else."""
    frame = {key: fields[key] for key in ("role", "type") if key in fields}
    for key, value in fields.items():
        if key not in frame:
            for item in as_list(value) or [value]:
                yield dialect.read({**frame, key: [item] if is_list(value) else item}), item


def _share_of_piece(reading: Reading, value: object, room: int) -> Counter[str]:
    size = min(Sizer().quarters(value), room)
    seen = min(sum(tokens for _, tokens in media(value)) * QUARTERS, size)
    fullest = max(reading.parts, key=lambda part: len(str(part)), default=Opaque(""))
    return Counter({"media": seen}) + Counter({_class(fullest, reading): size - seen})


def _classes(reading: Reading) -> set[str]:
    return {_class(part, reading) for part in reading.parts}


def _class(part: Part, reading: Reading) -> str:
    match part:
        case Text():
            return _class_of_text(reading)
        case Thinking():
            return "thinking"
        case Call():
            return "calls"
        case Result():
            return "results"
        case Image() | Document():
            return "media"
        case _:
            return "other"


def _class_of_text(reading: Reading) -> str:
    if is_summary(reading):
        return "notes"
    if human_texts(reading):
        return "human"
    return _CLASS_BY_SPEAKER[reading.speaker]


def _tools(conversation: Conversation) -> dict[tuple[str, str], str]:
    """Which tool each call was for; of calls with one id the last counts."""
    parts = (part for reading in conversation.readings for part in reading.parts)
    return {(part.family, part.id): part.name for part in parts if isinstance(part, Call)}


def model_steps(conversation: Conversation, found: Sequence[range]) -> int:
    """How many of the steps begin with a message of the model: all, but for what precedes its first."""
    return sum(1 for step in found if conversation.readings[step.start].speaker == "model")
