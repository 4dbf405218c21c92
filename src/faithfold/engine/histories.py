"""What was sent for each history last, so that a decision can say whether the sent prefix goes on or a new one begins.

Only the chain hash of each request's last message is remembered, and what stood for its beginning. The request after it
has that link in its chain.

Source: spec 90-decisions, Invariant 9.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Literal

Prefix = Literal["new", "continued", "branched", "drop", "overflow"]
"""How the messages that are sent begin, beside those of the request before in the same history:
`new`: no request of this history was seen before; `continued`: as before: all that was sent is sent again, but for what
clients change and providers don't read (cache marks, signatures, a text as one block);
`branched`: it begins as an earlier one and goes on in another way: the client edited it, or began another one alike;
`drop`: something else stands for its beginning now; `overflow`: the provider refused what was sent."""


class Histories:
    """The ends of the histories seen, the least recently seen out first.

    Args:
        most: how many are remembered.
    """

    def __init__(self, most: int) -> None:
        """None seen yet."""
        self._most = max(1, most)
        self._roots: OrderedDict[str, None] = OrderedDict()
        self._ends: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def prefix(self, chain: Sequence[str], sent: int) -> Prefix:
        """How a request's messages begin, and remembers them.

        Args:
            chain: of its messages.
            sent: identifies what is sent in place of its beginning.
        """
        if not chain:
            return "new"
        with self._lock:
            end = next((link for link in reversed(chain) if link in self._ends), None)
            before = None if end is None else self._ends.pop(end)
            known = chain[0] in self._roots
            self._remember(chain, sent)
        if before is None:
            return "branched" if known else "new"
        return "continued" if before == sent else "drop"

    def _remember(self, chain: Sequence[str], sent: int) -> None:
        self._roots[chain[0]] = None
        self._ends[chain[-1]] = sent
        for table, link in ((self._roots, chain[0]), (self._ends, chain[-1])):
            table.move_to_end(link)
            while len(table) > self._most:
                table.popitem(last=False)
