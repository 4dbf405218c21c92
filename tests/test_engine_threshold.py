"""The size over which a request is compacted: a number wins, else the model's window decides (B042, B043, B045)."""

from __future__ import annotations

import pytest

from faithfold.engine.options import DEFAULT_THRESHOLD, EngineSettings
from faithfold.engine.threshold import MARGIN, reserved, threshold
from faithfold.models import catalogue
from faithfold.resending import Engine
from faithfold.strategies.cliff import cliff
from faithfold.strategies.options import CompactSettings
from tests.pieces import session
from tests.resending import body_of

WINDOWS = {"small": 100_000, "large": 1_000_000, "tiny": 1_000}
FOLLOWS = EngineSettings(threshold_tokens=None, policy="none")

ROWS: list[tuple[str, EngineSettings, dict[str, object], int]] = [
    ("a number wins", EngineSettings(threshold_tokens=7, policy=["cliff"]), {"model": "small"}, 7),
    ("zero is a number", EngineSettings(threshold_tokens=0, policy=["cliff"]), {"model": "small"}, 0),
    ("the window", FOLLOWS, {"model": "small"}, 100_000 - MARGIN),
    ("another model's window", FOLLOWS, {"model": "large"}, 1_000_000 - MARGIN),
    ("a model that isn't known", FOLLOWS, {"model": "mine"}, DEFAULT_THRESHOLD),
    ("no model", FOLLOWS, {}, DEFAULT_THRESHOLD),
    ("a model that is no text", FOLLOWS, {"model": ["small"]}, DEFAULT_THRESHOLD),
    ("the policy cliff", EngineSettings(threshold_tokens=None), {"model": "small"}, DEFAULT_THRESHOLD),
    ("cliff in a list", EngineSettings(threshold_tokens=None, policy=["cliff"]), {"model": "small"}, DEFAULT_THRESHOLD),
    ("several betas in one", FOLLOWS, {"anthropic_beta": ["tools, context-1m-2025-08-07"]}, 1_000_000 - MARGIN),
    ("the answer's reserve", FOLLOWS, {"model": "small", "max_tokens": 8_000}, 100_000 - 8_000 - MARGIN),
    ("just half is left", FOLLOWS, {"model": "small", "max_tokens": 50_000 - MARGIN}, 50_000),
    ("more than half is reserved", FOLLOWS, {"model": "small", "max_tokens": 60_000}, 50_000),
    ("more than all is reserved", FOLLOWS, {"model": "small", "max_tokens": 10**9}, 50_000),
    ("a name that asks for a wider one", FOLLOWS, {"model": "small[1m]"}, 1_000_000 - MARGIN),
    ("a name that asks for a narrower one", FOLLOWS, {"model": "large[200k]"}, 1_000_000 - MARGIN),
    (
        "a beta in the body",
        FOLLOWS,
        {"model": "small", "anthropic_beta": ["context-1m-2025-08-07"]},
        1_000_000 - MARGIN,
    ),
    (
        "another beta",
        FOLLOWS,
        {"model": "small", "anthropic_beta": ["context-management-2025-06-27"]},
        100_000 - MARGIN,
    ),
    ("a beta for a model that isn't known", FOLLOWS, {"anthropic_beta": ["context-1m-2025-08-07"]}, 1_000_000 - MARGIN),
    ("a window smaller than the margin", FOLLOWS, {"model": "tiny"}, 500),
]


@pytest.mark.parametrize(("settings", "rest", "tokens"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_threshold(settings: EngineSettings, rest: dict[str, object], tokens: int) -> None:
    assert threshold(settings, rest, WINDOWS.get) == tokens


RESERVES: list[tuple[dict[str, object], int]] = [
    ({}, 0),
    ({"max_tokens": 5}, 5),
    ({"max_output_tokens": 5}, 5),
    ({"max_completion_tokens": 5}, 5),
    ({"max_tokens": 5, "max_completion_tokens": 9}, 9),
    ({"max_tokens": -5}, 0),
    ({"max_tokens": "5"}, 0),
    ({"max_tokens": None}, 0),
    ({"max_tokens": 1e400}, 0),
]


@pytest.mark.parametrize(("rest", "tokens"), RESERVES)
def test_what_a_request_reserves_for_the_answer(rest: dict[str, object], tokens: int) -> None:
    assert reserved(rest) == tokens


def test_each_request_goes_by_its_own_model() -> None:
    """The same history is too large for one model and not for the other (fault B045)."""
    settings = EngineSettings(threshold_tokens=None, policy=[cliff(CompactSettings())])
    engine = Engine(settings, window=WINDOWS.get)
    messages = session("openai", 12, "word " * 8_000)
    asked = [engine.prepare(body_of("openai", messages) | {"model": model}, "openai") for model in ("large", "small")]
    assert [made.compacted for made in asked] == [False, True]
    assert [made.over_budget for made in asked] == [False, False]


def test_a_beta_in_the_header_counts_for_its_request() -> None:
    engine = Engine(FOLLOWS, window=WINDOWS.get)
    body = body_of("anthropic", []) | {"model": "small"}
    wide = "context-1m-2025-08-07"
    betas: tuple[str | list[str], ...] = ([], ["tools-2024"], ["tools-2024", wide], wide, f"tools-2024, {wide}")
    asked = [engine.prepare(body, "anthropic", each).threshold for each in betas]
    assert asked == [100_000 - MARGIN] * 2 + [1_000_000 - MARGIN] * 3


def test_the_windows_of_the_data_package_are_the_default() -> None:
    model = "claude-3-5-haiku-latest"
    window = catalogue.window(model)
    assert window == 200_000
    assert threshold(FOLLOWS, {"model": model, "max_tokens": 8_000}, catalogue.window) == window - 8_000 - MARGIN
