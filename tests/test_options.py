"""Settings: what can't be meant is refused where it is made."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import pytest

from faithfold.core.errors import SettingsError
from faithfold.strategies.options import CompactSettings

NUMBERS = [field.name for field in fields(CompactSettings) if field.name not in ("policy", "results", "keep_thinking")]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_negative_number_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} must not be negative, but is -1$"):
        CompactSettings(**cast("dict[str, int]", {name: -1}))  # type: ignore[arg-type]
    assert CompactSettings(**cast("dict[str, int]", {name: 0})) is not None  # type: ignore[arg-type]


def test_unknown_results_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"^results must be 'drop', not 'keep'$"):
        CompactSettings(results=cast("object", "keep"))  # type: ignore[arg-type]


def test_the_defaults_are_the_reference_implementation_s() -> None:
    made = CompactSettings()
    assert (made.policy, made.keep_recent, made.keep_thinking, made.results) == ("cliff", 3, True, "drop")
    assert (made.thought_max_chars, made.thinking_max_chars, made.cmd_max_chars) == (0, 0, 150)
    assert (made.result_max_chars, made.human_max_chars, made.target_tokens) == (500, 20_000, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keep_recent", "3"),
        ("keep_recent", 2.5),
        ("keep_recent", True),
        ("human_max_chars", None),
        ("keep_thinking", "no"),
        ("keep_thinking", 1),
        ("target_tokens", "5"),
        ("target_tokens", True),
    ],
)
def test_a_value_of_another_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"^{name} must be .*, not {value!r}$"):
        CompactSettings(**cast("dict[str, Any]", {name: value}))
