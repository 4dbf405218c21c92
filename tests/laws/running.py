"""What the laws have in common: a strategy run by itself, so that what a policy would refuse is seen too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import faithfold as ff
from faithfold import dialects
from faithfold.core.budget import Budget
from faithfold.core.commands import Command
from faithfold.core.conversation import Conversation
from faithfold.core.parts import Reading
from faithfold.core.projection import Kept, Projection, whole
from faithfold.drivers import run
from faithfold.strategies import STRATEGIES


@dataclass(frozen=True)
class Made:
    """A projection of a conversation, as the strategy left it."""

    conversation: Conversation
    projection: Projection

    @property
    def messages(self) -> list[object]:
        return self.projection.messages(self.conversation.messages)

    @property
    def kept(self) -> set[int]:
        return {entry.index for entry in self.projection.entries if isinstance(entry, Kept)}

    @property
    def note_texts(self) -> list[str]:
        read = self.conversation.dialect.read
        return ["\n".join(read(note.message).texts) for note in self.projection.notes]


def project(
    messages: Sequence[object], dialect: str, settings: ff.CompactSettings, strategy: str = "cliff"
) -> Made | None:
    """What the strategy makes of the messages; None where it leaves them as they are."""
    conversation = Conversation(messages, dialects.dialect(dialect))
    start = whole(conversation)
    made = run(STRATEGIES[strategy](settings)(conversation, start, Budget(settings.target_tokens)), refuse)
    return None if made == start else Made(conversation, made)


def refuse(command: Command) -> object:
    """Answers nothing."""
    raise ff.FaithfoldError(f"{command} is not answered here")


def read(dialect: str, message: object) -> Reading:
    """The message, read."""
    return dialects.dialect(dialect).read(message)


def text_of(value: object) -> str:
    """The JSON text, by which values are compared to the byte."""
    return json.dumps(value, ensure_ascii=False)
