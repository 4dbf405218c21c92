"""What a dialect is: readers and facts about one wire format. Nothing in it decides anything.

A dialect never sees a policy, and a strategy never sees a wire format: they meet in readings and notes. So a new
dialect is one file with one `Dialect` in it, and a row in the table of `faithfold.dialects`.

Source: spec 00-model, Terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from faithfold.core.faults import Check
from faithfold.core.pairing import Reach
from faithfold.core.parts import Reading

Message = dict[str, object]
"""A message that faithfold writes itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one wire format is read and written.

    Attributes:
        name: as users and settings name it.
        messages_key: the field of a request body that holds the messages.
        read: reads a message, whatever it is; never raises on JSON.
        canonical: the canonical form of a message, from which its digest is made; never raises on JSON.
        note: the user message that carries a text of ours.
        checks: what this provider refuses.
        reach: where this provider looks for the result of a call.
        runs: whether a step may begin with several model messages (Responses: reasoning, then calls).
        joined: whether the text blocks of a message are one text (else each stands for itself).
        user_after_instruction: whether an instruction among the messages may stand before a user message.
    """

    name: str
    messages_key: str = "messages"
    read: Callable[[object], Reading]
    canonical: Callable[[object], object]
    note: Callable[[str], Message]
    checks: tuple[Check, ...]
    reach: Reach
    runs: bool = False
    joined: bool = False
    user_after_instruction: bool = True


def utf8(text: str) -> str:
    """`text` as every provider takes it: halves of surrogate pairs joined, lone ones replaced by U+FFFD.

    A client's own message keeps what it holds; only a text of ours passes through here (fault B105).
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
