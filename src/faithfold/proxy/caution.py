"""A warning, once: the threshold that was set is larger than the window of a model that is asked.

Then the provider refuses before the threshold is reached, and each compaction costs a refused request. What is known of
models takes a while to load, so it is asked in a thread, beside the request.

Source: spec 90-decisions, `threshold_tokens=None`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from faithfold.models.catalogue import window

_MOST_MODELS = 100  # that are looked up: their names come from outside


class Caution:
    """Looks at the models that are asked.

    Args:
        threshold: that was set; None where it follows the model, and so can't be too large.
        notice: is told, from any thread.
    """

    def __init__(self, threshold: int | None, notice: Callable[[str], None]) -> None:
        """No model was asked yet."""
        self._threshold = threshold
        self._notice = notice
        self._seen: set[str] = set()
        self._said = threshold is None

    def see(self, model: str) -> None:
        """A model is asked."""
        if self._said or not model or model in self._seen or len(self._seen) == _MOST_MODELS:
            return
        self._seen.add(model)
        asyncio.get_running_loop().run_in_executor(None, self._look_up, model)

    def _look_up(self, model: str) -> None:
        size = window(model)
        if size is None or self._said or self._threshold is None or self._threshold <= size:
            return
        self._said = True
        self._notice(
            f"threshold_tokens is {self._threshold}, but the window of {model} is {size}; set it lower, or none"
        )
