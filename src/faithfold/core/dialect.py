"""What a dialect is: readers and facts about one wire format. Nothing in it decides anything.

A dialect never sees a policy, and a strategy never sees a wire format: they meet in readings and notes. So a new
dialect is one file with one `Dialect` in it, and a row in the table of `faithfold.dialects`.

Source: spec 00-model, Terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from faithfold.core.faults import Check
from faithfold.core.identity import canonical_json
from faithfold.core.pairing import Reach
from faithfold.core.parts import UNREADABLE, Reading, Speaker
from faithfold.core.values import is_object

Message = dict[str, object]
"""A message that faithfold writes itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one wire format is read and written.

    Attributes:
        name: as users and settings name it.
        messages_key: the field of a request body that holds the messages.
        reader: reads a message that is a JSON object; never raises on JSON.
        form: the canonical form of such a message: all but what is volatile; never raises on JSON.
        note: the user message that carries a text of ours.
        checks: what this provider refuses.
        reach: where this provider looks for the result of a call.
        runs: whether a step may begin with several model messages (Responses: reasoning, then calls).
        joined: whether the text blocks of a message are one text (else each stands for itself).
        notes_from: whose messages are taken for notes of ours when they begin as one.
        user_after_instruction: whether an instruction among the messages may stand before a user message.
    """

    name: str
    messages_key: str = "messages"
    reader: Callable[[Mapping[str, object]], Reading]
    form: Callable[[Mapping[str, object]], object]
    note: Callable[[str], Message]
    checks: tuple[Check, ...]
    reach: Reach
    runs: bool = False
    joined: bool = False
    notes_from: frozenset[Speaker] = frozenset({"user"})
    user_after_instruction: bool = True

    def read(self, message: object) -> Reading:
        """Reads a message, whatever it is."""
        return self.reader(message) if is_object(message) else UNREADABLE

    def canonical(self, message: object) -> object:
        """The canonical form of a message, whatever it is, from which its digest is made."""
        return self.form(message) if is_object(message) else ["no object", canonical_json(message)]
