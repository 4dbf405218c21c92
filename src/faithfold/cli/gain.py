"""What a compaction gains, and if nothing, why: for the commands that make one and those that only tell of it.

Source: spec 90-decisions (None where there is nothing to gain; the command line never writes a grown result).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from faithfold.cli.contents import model_steps
from faithfold.compaction import Compaction, compacted
from faithfold.core.conversation import Conversation
from faithfold.core.sizes import QUARTERS, estimate_tokens, listed
from faithfold.strategies.options import CompactSettings


@dataclass(frozen=True, slots=True)
class Gain:
    """A compaction that makes the conversation smaller, or None; its size before, in tokens; one line for the user."""

    compaction: Compaction | None
    tokens: int
    notice: str


def gain(conversation: Conversation, settings: CompactSettings) -> Gain:
    """Compacts, if that makes the conversation smaller.

    Raises:
        InputError, SettingsError: as `compact`.
    """
    tokens = listed(conversation.sizes) // QUARTERS
    made = compacted(conversation, settings)
    if made is None:
        return _none(tokens, _why_none(conversation, settings))
    if made.tokens_after >= tokens:
        return _none(tokens, f"it has about {tokens:,} tokens, and a compaction would have {made.tokens_after:,}")
    return Gain(made, tokens, made.notice + _missed(made, settings))


def gain_over(
    threshold: int, conversation: Conversation, body: Mapping[str, object] | None, settings: CompactSettings
) -> Gain:
    """The same, if there are more than `threshold` tokens in the whole body, or in the messages where there is none."""
    tokens = listed(conversation.sizes) // QUARTERS
    whole = tokens if body is None else estimate_tokens(body)
    if whole <= threshold:
        return _none(tokens, f"about {whole:,} tokens are not over the threshold of {threshold:,}")
    return gain(conversation, settings)


def _none(tokens: int, why: str) -> Gain:
    return Gain(None, tokens, f"nothing to gain, unchanged: {why}")


def _why_none(conversation: Conversation, settings: CompactSettings) -> str:
    if settings.policy == "none":
        return "the policy 'none' changes nothing"
    found = model_steps(conversation)
    if not found:
        return "it holds no message of the model yet"
    if settings.policy == "cliff" and found <= settings.keep_recent:
        return f"it has {found} step{'' if found == 1 else 's'}, and the newest {settings.keep_recent} are kept"
    return f"the policy {settings.policy!r} finds nothing that it may fold"


def _missed(made: Compaction, settings: CompactSettings) -> str:
    """Says so where the result is larger than wanted."""
    target = settings.target_tokens
    if target is None or made.tokens_after <= target:
        return ""
    return f"; more than the target of {target:,}, as what is kept whole takes more"
