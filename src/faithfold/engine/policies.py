"""Policies: strategies in order, by name, and the judgement that every projection must pass.

A policy runs its strategies one after the other over the same conversation. What comes out is refused, and the
conversation used as it is, when a strategy broke a law of projections or added a fault.

Source: spec 00-model, invariants 2, 5 and 7; spec 90-decisions, Policies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.errors import SettingsError
from faithfold.core.projection import Projection, breaches, faults_added, whole
from faithfold.core.strategy import Steps, Strategy
from faithfold.strategies import STRATEGIES
from faithfold.strategies.options import CompactSettings, Policy

POLICIES: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "cliff": ("cliff",),
}
"""Each policy's strategies, in the order in which they run."""


def strategies_of(settings: CompactSettings) -> list[Strategy]:
    """The strategies of the settings' policy.

    Raises:
        SettingsError: a name is unknown.
    """
    return [strategy for one in _listed(settings.policy) for strategy in _resolved(one, settings)]


def _listed(policy: Policy) -> Sequence[str | Strategy]:
    return policy if isinstance(policy, Sequence) and not isinstance(policy, str) else [policy]


def _resolved(one: str | Strategy, settings: CompactSettings) -> Iterable[Strategy]:
    if not isinstance(one, str):
        return [one]
    if one not in POLICIES:
        raise SettingsError(f"unknown policy {one!r}; known: {', '.join(POLICIES)}")
    return [STRATEGIES[name](settings) for name in POLICIES[one]]


def project(conversation: Conversation, settings: CompactSettings) -> Steps[Projection | None]:
    """Runs the policy.

    Returns:
        The projection, or None where there is nothing to gain or a strategy did wrong.
    """
    return (
        yield from projected(conversation, whole(conversation), strategies_of(settings), Budget(settings.target_tokens))
    )


def projected(
    conversation: Conversation, start: Projection, strategies: Iterable[Strategy], budget: Budget
) -> Steps[Projection | None]:
    """Runs strategies over a projection.

    Returns:
        The new projection, or None where there is nothing to gain or a strategy did wrong.
    """
    projection = start
    for strategy in strategies:
        projection = yield from strategy(conversation, projection, budget)
    if projection == start or breaches(projection) or faults_added(conversation, start, projection):
        return None
    return projection
