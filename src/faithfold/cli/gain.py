"""What a compaction gains, and if nothing, why: for the commands that make one and those that only tell of it.

Source: spec 90-decisions (None where there is nothing to gain; the command line never writes a grown result).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from faithfold.compaction import Compaction, compact
from faithfold.core.conversation import Conversation
from faithfold.core.sizes import Sizer, estimate_tokens
from faithfold.core.steps import steps
from faithfold.dialects import dialect

if TYPE_CHECKING:
    from faithfold.sessions import Transcript
    from faithfold.strategies.options import CompactSettings


@dataclass(frozen=True, slots=True)
class Gain:
    """A compaction that makes the conversation smaller, or None; its size before, in tokens; one line for the user."""

    compaction: Compaction | None
    tokens: int
    notice: str


def gain(transcript: Transcript, settings: CompactSettings, threshold: int | None = None) -> Gain:
    """Compacts, if that makes the conversation smaller and it is over the threshold.

    Args:
        transcript: the conversation.
        settings: how.
        threshold: in tokens of the whole body, or of the messages where there is none; None compacts in any case.

    Raises:
        InputError, SettingsError: as `compact`.
    """
    tokens = Sizer().tokens(transcript.messages)
    whole = tokens if transcript.body is None else estimate_tokens(transcript.body)
    if threshold is not None and whole <= threshold:
        return _none(tokens, f"about {whole:,} tokens are not over the threshold of {threshold:,}")
    made = compact(transcript.messages, transcript.dialect, settings)
    if made is None:
        return _none(tokens, _why_none(transcript, settings))
    if made.tokens_after >= tokens:
        return _none(tokens, f"it has about {tokens:,} tokens, and a compaction would have {made.tokens_after:,}")
    return Gain(made, tokens, made.notice + _missed(made, settings))


def _none(tokens: int, why: str) -> Gain:
    return Gain(None, tokens, f"nothing to gain, unchanged: {why}")


def _why_none(transcript: Transcript, settings: CompactSettings) -> str:
    conversation = Conversation(transcript.messages, dialect(transcript.dialect))
    speakers = [reading.speaker for reading in conversation.readings]
    if "model" not in speakers:
        return "it holds no message of the model yet"
    found = len(steps(conversation.readings, speakers.index("model"), runs=conversation.dialect.runs))
    if found <= settings.keep_recent:
        return f"it has {found} step{'' if found == 1 else 's'}, and the newest {settings.keep_recent} are kept"
    return f"the policy {settings.policy!r} finds nothing that it may fold"


def _missed(made: Compaction, settings: CompactSettings) -> str:
    """Says so where the result is larger than wanted."""
    target = settings.target_tokens
    if target is None or made.tokens_after <= target:
        return ""
    return f"; more than the target of {target:,}, as what is kept whole takes more"
