"""The model behind the server: what is asked, put together, and what it answers. It knows no connection.

The provider's own rules come first, as at a real one: legal messages, the size of the window, then the script.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Literal

from faithfold import dialects
from faithfold.core.values import as_object, is_list
from faithfold.testing import openai_responses
from faithfold.testing.answers import Answer, Refusal, Reply
from faithfold.testing.asked import Asked
from faithfold.testing.scripts import Script
from faithfold.testing.wire import Wire

Overflow = Literal["400", "413", "stream"]
"""How a request over the window is refused: with the dialect's own error, as too large a body, or with the error
inside a 200 stream before anything was said (an answer that is no stream: as "400")."""

History = Mapping[str, Sequence[object]]
"""What is behind a response that a request can go on from, by the id of the response."""

_OVERFLOWS: Mapping[Overflow, Answer] = {
    "400": Refusal("overflow"),
    "413": Refusal("too large"),
    "stream": Reply(breaks=Refusal("overflow")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What answers.

    Attributes:
        script: what it says.
        window: in tokens; a request over it is refused. None: whatever comes fits.
        overflow: how it is refused.
        strict_faults: whether illegal messages are refused.
        stored: responses that any later request can go on from.
    """

    script: Script
    window: int | None
    overflow: Overflow
    strict_faults: bool
    stored: dict[str, Sequence[object]] = field(default_factory=dict[str, Sequence[object]])
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def ask(self, wire: Wire, body: object, latest: History = MappingProxyType({})) -> tuple[Asked, Answer]:
        """What a body asks, with the history behind it, and the answer.

        Args:
            wire: its dialect.
            body: the JSON of the request, or None where it is none.
            latest: what it can go on from besides the stored responses.
        """
        fields = as_object(body)
        whole: Mapping[str, object] | None = fields
        if wire is openai_responses.WIRE:
            whole = openai_responses.continued(fields, ChainMap({**latest}, self.stored))
        told = fields if whole is None else whole
        asked = Asked(wire.dialect, told, next(self._numbers), tuple(wire.tools(told)), self.window)
        return asked, Refusal("unknown response") if whole is None else self._answer(asked)

    def keep(self, asked: Asked, answer: Answer) -> History:
        """What a later request can go on from after this answer; stored for all unless the request forbids it."""
        if asked.dialect != openai_responses.WIRE.dialect or not isinstance(answer, Reply) or answer.breaks is not None:
            return {}
        left = openai_responses.left_behind(asked, answer)
        if asked.body.get("store") is not False:
            self.stored.update(left)
        return left

    def _answer(self, asked: Asked) -> Answer:
        key = dialects.dialect(asked.dialect).messages_key
        if not isinstance(asked.body.get(key), str) and not is_list(asked.body.get(key)):
            return Refusal("invalid", message=f"Missing required parameter: '{key}'.")
        if asked.warms_up:
            return Reply(tokens_in=0)
        if self.strict_faults and asked.faults:
            fault = asked.faults[0]
            return Refusal("invalid", message=f"{key}.{fault.index}: {fault.message}")
        if self.window is not None and asked.tokens > self.window:
            return _OVERFLOWS[self.overflow]
        return Reply() if asked.compacts else self.script(asked)
