"""What can be set about the engine: what can't be meant is refused where it is said."""

from __future__ import annotations

import pytest

from faithfold import EngineSettings, SettingsError
from faithfold.resending import Engine

WRONG: list[tuple[dict[str, object], str]] = [
    ({"threshold_tokens": -1}, "threshold_tokens must not be negative, but is -1"),
    ({"threshold_tokens": "200"}, "threshold_tokens must be a whole number, not '200'"),
    ({"threshold_tokens": True}, "threshold_tokens must be a whole number, not True"),
    ({"store_max_entries": -1}, "store_max_entries must not be negative, but is -1"),
    ({"store_max_bytes": 1.5}, "store_max_bytes must be a whole number, not 1.5"),
    ({"recognition_max_bytes": None}, "recognition_max_bytes must be a whole number, not None"),
    ({"strict": 1}, "strict must be true or false, not 1"),
    ({"keep_recent": -1}, "keep_recent must not be negative, but is -1"),
]


@pytest.mark.parametrize(("given", "told"), WRONG)
def test_what_cannot_be_meant_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=f"^{told}$"):
        EngineSettings(**given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_the_model_may_decide() -> None:
    assert EngineSettings(threshold_tokens=None).threshold_tokens is None


def test_an_unknown_policy_shows_at_once() -> None:
    with pytest.raises(SettingsError, match="unknown policy 'cliffs'"):
        Engine(EngineSettings(policy="cliffs"))
