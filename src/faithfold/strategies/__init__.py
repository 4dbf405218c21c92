"""The table of strategies: one way to make a projection smaller a file, one row each.

To add one, write a function of `CompactSettings` that returns a `Strategy`, and name it here; the conformance suite
runs over this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from faithfold.core.strategy import Strategy
from faithfold.strategies import cliff
from faithfold.strategies.options import CompactSettings

STRATEGIES: Mapping[str, Callable[[CompactSettings], Strategy]] = {
    cliff.NAME: cliff.cliff,
}
