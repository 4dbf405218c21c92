"""What is in a conversation: its tokens by class of content, and its largest messages.

A message that says things of one class counts whole as that. Any other is taken apart into its fields and blocks, each
of which counts whole as what it says; what frames them is `other`. Wire formats differ in what a field is for, so it is
told by the dialect's own reader: a field or block says what a message with it alone says more than one without it.

Invariant: the classes add up to the total, in whole tokens, and the total is what a compaction reports.

Source: spec 00-model, Sizes (one size function).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Dialect
from faithfold.core.media import media
from faithfold.core.parts import Call, Document, Image, Opaque, Part, Reading, Result, Speaker, Text, Thinking
from faithfold.core.sizes import QUARTERS, SEPARATOR, Sizer
from faithfold.core.steps import Step, steps
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
_NOTHING = Opaque("")

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
        injected: indices of the messages that a harness wrote, whatever they say.

    Attributes:
        quarters: of each message with its frame, in quarter tokens.
        shares: of each message, the quarter tokens by class.
    """

    def __init__(self, conversation: Conversation, injected: Collection[int] = ()) -> None:
        """Shares out the size of every message."""
        self.conversation = conversation
        self.shares = [
            _share(conversation, index, injected=index in injected) for index in range(len(conversation.messages))
        ]
        self.quarters = [size + SEPARATOR for size in conversation.sizes]

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


def _share(conversation: Conversation, index: int, *, injected: bool) -> Counter[str]:
    """The quarter tokens of one message by class; with the frame they are its size."""
    message, total, reading = conversation.messages[index], conversation.size(index), conversation.reading(index)
    classes = {_class(part, reading, injected=injected) for part in reading.parts}
    shares: Counter[str] = Counter()
    pieces = [(classes.pop(), message)] if len(classes) == 1 else _pieces(message, conversation.dialect, injected)
    for name, value in pieces:
        shares.update(_with_media(name, value, total - sum(shares.values())))
    shares["other"] += total - sum(shares.values()) + SEPARATOR
    return shares


def whole_tokens(quarters: Mapping[str, int]) -> dict[str, int]:
    """Quarter tokens as tokens that add up to the rounded sum: the largest remainders are rounded up."""
    tokens = {name: size // QUARTERS for name, size in quarters.items()}
    missing = sum(quarters.values()) // QUARTERS - sum(tokens.values())
    for name in sorted(quarters, key=lambda name: -(quarters[name] % QUARTERS))[:missing]:
        tokens[name] += 1
    return tokens


def _pieces(message: object, dialect: Dialect, injected: bool) -> Iterator[tuple[str, object]]:
    """The fields of a message, a list's items one by one, and the class of what each adds to the bare frame."""
    fields = as_object(message)
    frame = {key: fields[key] for key in ("role", "type") if key in fields}
    bare = dialect.read(frame).parts
    for key, value in fields.items():
        for item in () if key in frame else as_list(value) or [value]:
            read = dialect.read({**frame, key: [item] if is_list(value) else item})
            added = next((part for part in read.parts if part not in bare), _NOTHING)
            yield _class(added, read, injected=injected), item


def _with_media(name: str, value: object, room: int) -> Counter[str]:
    """The quarter tokens of a piece of this class, less those of the pictures and documents in it; `room` at most."""
    size = min(Sizer().quarters(value), room)
    seen = min(sum(tokens for _, tokens in media(value)) * QUARTERS, size)
    return Counter({"media": seen}) + Counter({name: size - seen})


def _class(part: Part, reading: Reading, *, injected: bool) -> str:
    match part:
        case Text():
            return _class_of_text(replace(reading, parts=(part,)), injected=injected)
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


def _class_of_text(reading: Reading, *, injected: bool) -> str:
    """The class of a message that holds one text and nothing else."""
    if is_summary(reading):
        return "notes"
    if not injected and human_texts(reading):
        return "human"
    return _CLASS_BY_SPEAKER[reading.speaker]


def _tools(conversation: Conversation) -> dict[tuple[str, str], str]:
    """Which tool each call was for; of calls with one id the last counts."""
    parts = (part for reading in conversation.readings for part in reading.parts)
    return {(part.family, part.id): part.name for part in parts if isinstance(part, Call)}


def steps_of(conversation: Conversation) -> list[Step]:
    """The steps; what precedes the model's first message is one more, if there is anything."""
    return steps(conversation.readings, 0, runs=conversation.dialect.runs)


def model_steps(conversation: Conversation) -> int:
    """How many steps begin with a message of the model."""
    return sum(1 for step in steps_of(conversation) if conversation.readings[step.start].speaker == "model")
