"""One size function: trigger, ladder and report count alike.

The reference estimate is a quarter token for each character of the JSON text; pictures and documents are priced by
what they show. A `Counter` replaces the characters by a real tokenizer behind the same interface. Sizes add up: the
size of a list is the sum of its messages and their separators, so each message is sized once.

The unit inside is the quarter token, so that sums stay whole.

Source: spec 00-model, Sizes; 90-decisions, Sizes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, Protocol

from faithfold.core.errors import InputError
from faithfold.core.media import holds_media, media

QUARTERS = 4
"""Quarter tokens in a token."""

SEPARATOR = 2
"""Quarter tokens that a message adds to its list besides its own: a comma and a space."""

_BRACKETS = 2

# One token a character, where four characters a token would count a quarter of the truth (fault B040).
_CJK = (
    "\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
)
_EMOJI = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5"
    "\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b"
    "\u2b1c\u2b50\u2b55\U0001f000-\U0001faff"
)
_WIDE = re.compile(f"[{_CJK}{_EMOJI}]+")


class Counter(Protocol):
    """Counts the tokens of text, in quarter tokens."""

    @property
    def name(self) -> str:
        """What is counted with, as reports show it."""
        ...

    @property
    def exact(self) -> bool:
        """False for an estimate."""
        ...

    def quarters(self, text: str) -> int:
        """The size of `text` in quarter tokens."""
        ...


class Characters:
    """The reference estimate: a character is a quarter token; one of a wide script or an emoji is a whole one."""

    name = "characters / 4"
    exact = False

    def quarters(self, text: str) -> int:
        """One for each character, three more for each wide one."""
        if text.isascii():
            return len(text)
        return len(text) + (QUARTERS - 1) * sum(len(run) for run in _WIDE.findall(text))


class Sizer:
    """Sizes JSON values with one counter.

    Args:
        counter: what counts the text; the reference estimate by default.
    """

    def __init__(self, counter: Counter | None = None) -> None:
        """A sizer that counts text with `counter`."""
        self.counter: Final[Counter] = counter if counter is not None else Characters()

    def quarters(self, value: object) -> int:
        """The size of one JSON value, in quarter tokens.

        Raises:
            InputError: `value` holds something that JSON has no form for.
        """
        text = json_text(value)
        priced = 0
        if holds_media(text):
            for payload, tokens in media(value):
                text = text.replace(_escaped(payload), "", 1)
                priced += tokens * QUARTERS
        return self.counter.quarters(text) + priced

    def tokens(self, value: object) -> int:
        """The size of one JSON value, in whole tokens.

        Raises:
            InputError: `value` holds something that JSON has no form for.
        """
        return self.quarters(value) // QUARTERS


def listed(sizes: Sequence[int]) -> int:
    """The size of a list whose messages have the given `sizes`, in quarter tokens."""
    return _BRACKETS + sum(sizes) + SEPARATOR * max(0, len(sizes) - 1)


def estimate_tokens(value: object) -> int:
    """The reference estimate of a request body, a message or a list of messages, in tokens.

    Raises:
        InputError: `value` holds something that JSON has no form for.
    """
    return Sizer().tokens(value)


def json_text(value: object) -> str:
    """The JSON text by which sizes are defined: spaces after `,` and `:`, characters unescaped.

    Raises:
        InputError: `value` holds something that JSON has no form for.
    """
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"not JSON: {error}") from error
    except RecursionError:
        raise InputError("not JSON that can be written: it is nested too deeply") from None


def _escaped(payload: str) -> str:
    """A payload as it stands inside the JSON text; base64 needs no escaping, a URL may."""
    return json.dumps(payload, ensure_ascii=False)[1:-1]
