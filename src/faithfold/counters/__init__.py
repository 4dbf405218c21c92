"""Counters of tokens, offline: exact where a model's vocabulary is public, estimates labelled as such elsewhere.

They stand in for the reference estimate of `faithfold.core.sizes` where a threshold shall mean real tokens. Importing
this package loads no vocabulary: the first count does.
"""

from __future__ import annotations

from faithfold.counters.bpe import Bpe
from faithfold.counters.table import Estimate, counter_for

__all__ = ["Bpe", "Estimate", "counter_for"]
