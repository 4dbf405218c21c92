"""What a client asked of the model, with its whole history, however it came.

Over HTTP the body is the request. Over a WebSocket, and with `previous_response_id`, it is put together from what
came before; a script never sees an increment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from faithfold import dialects
from faithfold.compaction import faults
from faithfold.core.faults import Fault
from faithfold.core.parts import Reading, Result
from faithfold.core.sizes import estimate_tokens
from faithfold.core.values import as_list, as_object, as_text

_ROUND = re.compile(r"_round(\d+)")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the client offers: its name, whether its input is free text (else an object), its namespace."""

    name: str
    custom: bool = False
    namespace: str = ""


@dataclass(frozen=True)
class Asked:
    """A request to the model.

    Attributes:
        dialect: `"anthropic"`, `"openai"` or `"openai-responses"`.
        body: of the request, whole.
        number: counts the requests to this provider's model from 1, in the order in which they came.
        tools: what the client offers.
        window: of the provider, in tokens; None where there is none.
    """

    dialect: str
    body: Mapping[str, object]
    number: int
    tools: Sequence[Tool] = ()
    window: int | None = None

    @property
    def model(self) -> str:
        """The model that is asked."""
        return as_text(self.body.get("model"))

    @property
    def streams(self) -> bool:
        """Whether the answer is to be a stream."""
        return self.body.get("stream") is True

    @property
    def warms_up(self) -> bool:
        """Whether nothing is to be said yet (Responses over a WebSocket: `generate: false`)."""
        return self.body.get("generate") is False

    @property
    def messages(self) -> Sequence[object]:
        """The messages; for the Responses API the `input` items."""
        return items(self.body, dialects.dialect(self.dialect).messages_key)

    @cached_property
    def tokens(self) -> int:
        """The size of the request, in tokens, by the reference estimate."""
        return estimate_tokens(self.body)

    @cached_property
    def faults(self) -> Sequence[Fault]:
        """What the real provider would refuse in the messages."""
        return [] if self.warms_up else faults(self.messages, self.dialect)

    @cached_property
    def turns(self) -> int:
        """How many turns of the model the history holds."""
        speakers = [reading.speaker for reading in self._readings]
        return sum(1 for before, now in zip(["", *speakers], speakers, strict=False) if now == "model" != before)

    @cached_property
    def rounds(self) -> int:
        """How many rounds of tool calls were answered, those included that a compaction took out of the history.

        Each call of this provider carries the number of its round in its id. In a history with other ids the results
        are counted.
        """
        results = [p.id for r in self._readings for p in r.parts if isinstance(p, Result) and not p.hosted]
        told = [int(found[1]) for found in map(_ROUND.search, results) if found]
        return max(told, default=len(results))

    @property
    def compacts(self) -> bool:
        """Whether the client asks for a compaction by the provider (Responses: `compaction_trigger`)."""
        kinds = [as_object(item).get("type") for item in self.messages]
        return self.dialect == "openai-responses" and "compaction_trigger" in kinds

    def id(self, prefix: str, index: int = 0) -> str:
        """An id that no other request gives, and that tells the round: for calls, messages, responses.

        No id is another one with a number behind it: Claude Code takes such a one for a part of the other's call.
        """
        return f"{prefix}{self.number:06}{f'_{index}' if index else ''}_round{self.rounds + 1}"

    @cached_property
    def _readings(self) -> Sequence[Reading]:
        dialect = dialects.dialect(self.dialect)
        return [dialect.read(message) for message in self.messages]


def items(body: Mapping[str, object], key: str) -> Sequence[object]:
    """The messages of a body; a bare text is one message of the user."""
    value = body.get(key)
    return [{"role": "user", "content": value}] if isinstance(value, str) else as_list(value)
