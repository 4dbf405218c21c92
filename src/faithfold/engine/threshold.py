"""The size over which a request is compacted.

A number in the settings always wins. Else the threshold follows the model: its context window, less what the request
reserves for the answer, less a margin. However much is reserved, half of the window is left: a threshold near zero
would compact every request and help none (faults B042, B043).

Source: spec 90-decisions, `threshold_tokens=None`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from faithfold.core.values import as_list, as_text
from faithfold.engine.options import DEFAULT_THRESHOLD, EngineSettings
from faithfold.engine.policies import listed

Window = Callable[[str], int | None]
"""The context window of a model, in tokens, or None where it isn't known."""

MARGIN = 2_000
"""Tokens that are left free: the estimate is one."""

_SUFFIX = re.compile(r"\[\d{1,4}[km]\]$", re.IGNORECASE)
_WIDER = re.compile(r"(?:^\[|^context-)(\d{1,4})([km])\b", re.IGNORECASE)
_UNITS = {"k": 1_000, "m": 1_000_000}

_RESERVING = ("max_tokens", "max_output_tokens", "max_completion_tokens")


def threshold(settings: EngineSettings, rest: Mapping[str, object], window: Window, betas: Sequence[str] = ()) -> int:
    """The threshold of a request, in tokens.

    Args:
        settings: of the engine.
        rest: the request's fields besides its messages.
        window: of a model.
        betas: what the request's beta header asks for.
    """
    if settings.threshold_tokens is not None:
        return settings.threshold_tokens
    known = None if [*listed(settings.policy)] == ["cliff"] else _window(rest, window, betas)
    return DEFAULT_THRESHOLD if known is None else max(known - reserved(rest) - MARGIN, known // 2)


def _window(rest: Mapping[str, object], window: Window, betas: Sequence[str]) -> int | None:
    """The window of the request's model; a beta, or the end of the model's name, may ask for a wider one."""
    model = as_text(rest.get("model"))
    name = _SUFFIX.sub("", model)
    told = [*betas, *map(as_text, as_list(rest.get("anthropic_beta")))]
    asked = [model[len(name) :], *(beta.strip() for one in told for beta in one.split(","))]
    sizes = [int(count) * _UNITS[unit.lower()] for one in asked for count, unit in _WIDER.findall(one)]
    wider = [size for size in sizes if size > DEFAULT_THRESHOLD]  # nobody asks for less than what is usual
    return max([*filter(None, [window(name)]), *wider], default=None)


def reserved(rest: Mapping[str, object]) -> int:
    """What a request reserves for the answer, in tokens; 0 where it says nothing."""
    return max([0, *(value for name in _RESERVING if isinstance(value := rest.get(name), int))])
