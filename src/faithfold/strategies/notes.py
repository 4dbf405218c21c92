"""The form of a note: a header line by which it is known, then parts, divided by a rule.

The header is fixed to the byte: it is how a note is recognised when it comes back in a later request.

Source: spec 10-cliff, step 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from faithfold.core.parts import Reading
from faithfold.core.voices import SUMMARY_HEADER

_RULE = "\n\n---\n\n"


def note_text(parts: Sequence[str]) -> str:
    """The text of a note; a note of no parts is its header alone."""
    return f"{SUMMARY_HEADER}\n\n{_RULE.join(parts)}" if parts else SUMMARY_HEADER


def is_summary(reading: Reading) -> bool:
    """Whether a message of the user's side begins with the header."""
    return reading.speaker == "user" and next(iter(reading.texts), "").startswith(SUMMARY_HEADER)
