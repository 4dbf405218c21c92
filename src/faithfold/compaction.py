"""Compaction in one call: messages in, fewer messages out, with the story of what became of each.

Source: spec 05-api; spec 10-cliff.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn, cast

from faithfold import dialects
from faithfold.core.commands import Command
from faithfold.core.conversation import Conversation
from faithfold.core.dialect import Message
from faithfold.core.errors import InputError, SettingsError
from faithfold.core.faults import Fault
from faithfold.core.projection import Projection, sizes
from faithfold.core.sizes import QUARTERS, listed
from faithfold.drivers import run
from faithfold.engine.policies import project
from faithfold.strategies.options import CompactSettings


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compacted conversation.

    Attributes:
        messages: what to send in place of the original messages; those kept are the same objects.
        head_len: how many messages at the beginning are kept as they are.
        cut: index into the original messages: from there on all were kept as they are.
        summary: the note's message, or None where the policy wrote none.
        projection: which original each message stands for, and what became of the others.
        tokens_before, tokens_after: by the reference estimate.
    """

    messages: list[Message]
    head_len: int
    cut: int
    summary: Message | None
    projection: Projection
    tokens_before: int
    tokens_after: int

    @property
    def notice(self) -> str:
        """One line for the user: what was folded and what is kept."""
        total = self.projection.total
        gone = total - sum(1 for origin in self.projection.origins() if isinstance(origin, int))
        folded = f"folded {gone} of {total} messages ({self.head_len + 1} to {self.cut})"
        ends = {"first": self.head_len, "last": total - self.cut}
        kept = " and ".join(f"the {end} {count}" for end, count in ends.items() if count)
        sizes_told = f"about {self.tokens_before:,} tokens became {self.tokens_after:,}"
        return "; ".join(filter(None, (folded, kept and f"kept {kept} as they are", sizes_told)))


def compact(messages: Sequence[object], dialect: str, settings: CompactSettings | None = None) -> Compaction | None:
    """Compacts a conversation, now.

    Args:
        messages: wire messages of the dialect, in order (for the Responses API: the `input` items). Not changed.
        dialect: `"anthropic"`, `"openai"`, `"openai-responses"` or `"pi"`.
        settings: what to keep and where to cut; the defaults of `CompactSettings`.

    Returns:
        The compaction, or None where there is nothing to gain.

    Raises:
        InputError: the dialect is unknown, or `messages` is no list, or holds what JSON has no form for, or is nested
            too deeply.
        SettingsError: the policy is unknown.
    """
    return compacted(Conversation(messages, dialects.dialect(dialect)), settings or CompactSettings())


def compacted(conversation: Conversation, settings: CompactSettings) -> Compaction | None:
    """As `compact`, of a conversation that is at hand already."""
    with _depth_refused():
        projection = run(project(conversation, settings), _refuse)
        return None if projection is None else _compaction(conversation, projection)


def _compaction(conversation: Conversation, projection: Projection) -> Compaction:
    return Compaction(
        messages=cast("list[Message]", projection.messages(conversation.messages)),
        head_len=projection.head_len,
        cut=projection.cut,
        summary=next((note.message for note in projection.notes), None),
        projection=projection,
        tokens_before=listed(conversation.sizes) // QUARTERS,
        tokens_after=listed(sizes(conversation, projection.entries)) // QUARTERS,
    )


def faults(messages: Sequence[object], dialect: str) -> list[Fault]:
    """What a provider would refuse in these messages; an empty list if nothing.

    Args:
        messages: wire messages of the dialect, in order.
        dialect: as for `compact`.

    Raises:
        InputError: the dialect is unknown, or `messages` is no list, or is nested too deeply.
    """
    with _depth_refused():
        return list(Conversation(messages, dialects.dialect(dialect)).faults)


@contextmanager
def _depth_refused() -> Generator[None]:
    """A parser of JSON takes a little more depth than a reader of it."""
    try:
        yield
    except RecursionError:
        raise InputError("a message is nested too deeply to be read") from None


def _refuse(command: Command) -> NoReturn:
    raise SettingsError(f"this policy needs {type(command).__name__.lower()} answered, and nothing here can")
