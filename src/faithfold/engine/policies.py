"""Policies: strategies in order, by name, and the judgement that every projection must pass.

A policy runs its strategies one after the other over the same conversation. What one of them makes is not used when it
breaks a law of projections or adds a fault.

Source: spec 00-model, invariants 2, 5 and 7; spec 90-decisions, Policies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from faithfold.core.budget import Budget
from faithfold.core.conversation import Conversation
from faithfold.core.errors import SettingsError
from faithfold.core.projection import Projection, breaches, faults_added, sizes, whole
from faithfold.core.strategy import Steps, Strategy
from faithfold.strategies import STRATEGIES
from faithfold.strategies.options import CompactSettings, Policy

POLICIES: Mapping[str, tuple[str, ...]] = {
    "none": (),
    **{name: (name,) for name in STRATEGIES},
}
"""Each policy's strategies, in the order in which they run; a strategy is a policy by its own name."""


def strategies_of(settings: CompactSettings) -> list[Strategy]:
    """The strategies of the settings' policy.

    Raises:
        SettingsError: a name is unknown.
    """
    return [strategy for one in listed(settings.policy) for strategy in _resolved(one, settings)]


def listed(policy: Policy) -> Sequence[str | Strategy]:
    """A policy as a list of names and strategies."""
    return policy if isinstance(policy, Sequence) and not isinstance(policy, str) else [policy]


def _resolved(one: str | Strategy, settings: CompactSettings) -> Iterable[Strategy]:
    if callable(one):
        return [one]
    if str(one) not in POLICIES:
        raise SettingsError(f"unknown policy {one!r}; known: {', '.join(POLICIES)}")
    return [STRATEGIES[name](settings) for name in POLICIES[one]]


def project(conversation: Conversation, settings: CompactSettings) -> Steps[Projection | None]:
    """Runs the policy.

    Returns:
        The projection, or None where there is nothing to gain.

    Raises:
        SettingsError: a name is unknown, or a caller's own strategy returns no projection.
    """
    start = whole(conversation)
    by_count = all(one in ("none", "cliff") for one in listed(settings.policy))  # as its oracle does
    made = yield from projected(conversation, start, strategies_of(settings), Budget(settings.target_tokens))
    grown = sum(sizes(conversation, made.entries)) >= sum(conversation.sizes)
    return None if made == start or (grown and not by_count) else made


def projected(
    conversation: Conversation, start: Projection, strategies: Iterable[Strategy], budget: Budget
) -> Steps[Projection]:
    """Runs strategies over a projection. What one of them makes is used if it passes the judgement.

    Raises:
        SettingsError: a strategy returns no projection.
    """
    projection = start
    for strategy in strategies:
        made = _checked((yield from strategy(conversation, projection, budget)))
        whole_of = made.total == projection.total
        if whole_of and not breaches(made) and not faults_added(conversation, projection, made):
            projection = made
    return projection


def _checked(made: object) -> Projection:
    if not isinstance(made, Projection):
        raise SettingsError(f"a strategy must return a Projection, not {type(made).__name__}")
    return made
