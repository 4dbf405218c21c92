"""Which requests of a log are of one conversation: an index of how they begin.

Each beginning of a list of messages has a number; its key is the number of the same without its last message, and that
message. So lists that begin alike share numbers, and finding the conversation of a request costs about as much as
reading the request, however many others there are.

Invariant: of several conversations that a request could belong to, the first is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from faithfold.core.identity import digest
from faithfold.core.values import as_list, as_object

_SURELY_SHARED = 4  # a system prompt, a greeting and its answer may well be the same in every conversation
_EXCHANGE = 2  # a question and its answer


class PrefixIndex:
    """The beginnings of the requests that stand for conversations. A conversation is named by its place, from 0."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], int] = {}
        self._standing: dict[int, Sequence[int]] = {}
        self._begun: dict[int, set[int]] = {}  # by beginning, the conversations that begin so
        self._ended: dict[int, set[int]] = {}  # by beginning, those that add nothing to it, or their last exchange

    def prefixes(self, messages: Sequence[object]) -> list[int]:
        """The numbers of all beginnings of a list of messages, the shortest first."""
        out: list[int] = []
        number = 0
        for message in messages:
            key = (number, digest(_steady(message)))
            number = self._numbers.setdefault(key, len(self._numbers) + 1)
            out.append(number)
        return out

    def find(self, prefixes: Sequence[int]) -> int | None:
        """The place of the first conversation that a request belongs to, None for a new one.

        It belongs to it when one of them begins with all of the other, or with all but its last exchange.
        """
        longer = (self._begun.get(number, ()) for number in _ends(prefixes))
        shorter = (self._ended.get(number, ()) for number in prefixes)
        return min(chain.from_iterable(chain(longer, shorter)), default=None)

    def put(self, prefixes: Sequence[int], place: int) -> None:
        """Lets a request stand for the conversation at `place`, instead of the one that did."""
        before = self._standing.get(place, ())
        self._standing[place] = prefixes
        for index, old, new in ((self._begun, before, prefixes), (self._ended, _ends(before), _ends(prefixes))):
            for number in old:
                index[number].discard(place)
            for number in new:
                index.setdefault(number, set()).add(place)


def _ends(prefixes: Sequence[int]) -> Sequence[int]:
    """All of a request, and what precedes its last exchange or the end of it, unless that is too little to tell by."""
    whole = len(prefixes)
    return prefixes[min(whole, max(_SURELY_SHARED, whole - _EXCHANGE)) - 1 :]


def _steady(message: object) -> object:
    """A message without what clients change between two requests: cache marks, and a string against one text block."""
    fields = _unmarked(as_object(message))
    content = fields.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
    if blocks:
        fields["content"] = [_unmarked(as_object(block)) or block for block in blocks]
    return fields or message


def _unmarked(fields: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key != "cache_control"}
