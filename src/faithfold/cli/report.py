"""What `faithfold inspect` finds out about a conversation: all of it, as data.

Invariant: everything that the page shows is in the JSON, with the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from faithfold.cli.contents import Contents, Large, model_steps, steps_of
from faithfold.cli.forecast import Forecast, Point, curve, forecast
from faithfold.cli.gain import Gain, gain
from faithfold.cli.source import shown_path
from faithfold.core.conversation import Conversation
from faithfold.core.projection import whole
from faithfold.core.sizes import Sizer, estimate_tokens
from faithfold.core.voices import human_messages
from faithfold.dialects import dialect

if TYPE_CHECKING:
    from faithfold.sessions import Transcript
    from faithfold.strategies.options import CompactSettings


@dataclass(frozen=True, slots=True)
class Counted:
    """The size by a model's tokenizer, before and after: of the JSON text, and the price of what is no text.

    `exact` is whether the tokens are the model's own; they are not where there is `media`, whose price is an estimate.
    """

    model: str
    counter: str
    exact: bool
    media: bool
    tokens: int
    tokens_after: int


@dataclass(frozen=True, slots=True)
class Report:
    """What is in a conversation. Sizes are in tokens, indices count from 0."""

    file: str
    transcript: Transcript
    turns: int
    steps: int
    tokens: int
    body_tokens: int | None
    by_class: Mapping[str, int]
    largest: Sequence[Large]
    faults: Mapping[str, int]
    gain: Gain
    forecast: Forecast
    points: Sequence[Point]
    counted: Counted | None

    @property
    def tokens_after(self) -> int:
        """The size after a compaction; the size as it is where there is nothing to gain."""
        return self.gain.compaction.tokens_after if self.gain.compaction else self.tokens

    def as_json(self) -> dict[str, object]:
        """All of it, as `--json` prints it."""
        read = self.transcript
        return {
            "file": self.file,
            "agent": read.agent,
            "dialect": read.dialect,
            "model": read.model or None,
            "conversations": read.conversations,
            "picked": read.picked,
            "messages": len(read.messages),
            "turns": self.turns,
            "steps": self.steps,
            "tokens": {"total": self.tokens, "by_class": dict(self.by_class), "whole_body": self.body_tokens},
            "counted": asdict(self.counted) if self.counted else None,
            "largest": [asdict(each) for each in self.largest],
            "faults": dict(self.faults),
            "problems": [asdict(problem) for problem in read.problems],
            "compaction": self._compaction(),
            "curve": [asdict(point) for point in self.points],
        }

    def _compaction(self) -> dict[str, object]:
        told = self.forecast
        pieces = {what: {"times": times, "characters": size} for what, (times, size) in told.omissions.items()}
        return {
            "changed": self.gain.compaction is not None,
            "notice": self.gain.notice,
            "tokens_before": self.tokens,
            "tokens_after": self.tokens_after,
            **{fate: asdict(share) for fate, share in told.shares.items()},
            "note_tokens": told.note_tokens,
            "reasons": dict(told.reasons),
            "omissions": pieces,
        }


def report(path: str, transcript: Transcript, settings: CompactSettings, model: str | None) -> Report:
    """Looks into a conversation.

    Args:
        path: of its file, for the report.
        transcript: the conversation.
        settings: of the compaction that is told of.
        model: whose tokenizer counts besides, if any.

    Raises:
        InputError, SettingsError: as `compact`.
    """
    conversation = Conversation(transcript.messages, dialect(transcript.dialect))
    contents, gained = Contents(conversation, transcript.injected), gain(conversation, settings)
    projection = gained.compaction.projection if gained.compaction else whole(conversation)
    by_class = contents.by_class()
    return Report(
        file=shown_path(path),
        transcript=transcript,
        turns=len(human_messages(conversation.readings, transcript.injected)),
        steps=model_steps(conversation),
        tokens=contents.tokens,
        body_tokens=estimate_tokens(transcript.body) if transcript.body is not None else None,
        by_class=by_class,
        largest=contents.largest(),
        faults=Counter(fault.code for fault in conversation.faults),
        gain=gained,
        forecast=forecast(contents, projection),
        points=curve(contents, steps_of(conversation), projection),
        counted=_counted(model, transcript.messages, gained, media=by_class["media"] > 0) if model else None,
    )


def _counted(model: str, messages: Sequence[object], gained: Gain, *, media: bool) -> Counted:
    from faithfold.counters import counter_for

    counter = counter_for(model)
    sizer = Sizer(counter)
    before = sizer.tokens(messages)
    after = sizer.tokens(gained.compaction.messages) if gained.compaction else before
    return Counted(model, counter.name, counter.exact and not media, media, before, after)
