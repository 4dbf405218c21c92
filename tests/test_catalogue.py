"""The windows and prices of models, against the numbers of the locked version of the data package."""

from __future__ import annotations

import subprocess
import sys

import pytest

from faithfold.models.catalogue import Price, price, window

WINDOWS = {
    "claude-sonnet-4-5": 200_000,
    "claude-sonnet-4-5-20250929": 200_000,
    "claude-haiku-4-5": 200_000,
    "claude-3-5-haiku-latest": 200_000,
    "claude-opus-4-6": 1_000_000,
    "claude-opus-4-7": 1_000_000,
    "gpt-4": 8_192,
    "gpt-3.5-turbo": 16_385,
    "gpt-4o": 128_000,
    "gpt-4o-2024-08-06": 128_000,
    "gpt-4.1": 1_000_000,
    "gpt-4.1-mini-2025-04-14": 1_000_000,
    "gpt-5": 400_000,
    "gpt-5-codex": 400_000,
    "gpt-5.5": 1_000_000,
    "o4-mini": 200_000,
    "gemini-2.5-flash": 1_048_576,
    "gemini-2.5-pro": 1_048_576,  # the package has it at a reseller only
    "grok-4": 256_000,
}

# What stands around a name doesn't change the window.
OTHER_NAMES = {
    "openai/gpt-4o": "gpt-4o",
    "azure/gpt-4o": "gpt-4o",
    "litellm/openai/gpt-4o": "gpt-4o",
    "openrouter/openai/gpt-4o": "gpt-4o",
    "somebody/gpt-4o": "gpt-4o",
    " GPT-4o ": "gpt-4o",
    "anthropic/claude-sonnet-4-5": "claude-sonnet-4-5",
    "anthropic/claude-sonnet-4.5": "claude-sonnet-4-5",
    "vertex_ai/claude-sonnet-4-5@20250929": "claude-sonnet-4-5",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude-sonnet-4-5",
    "models/gemini-2.5-flash": "gemini-2.5-flash",
    "models/gemini-2.5-pro": "gemini-2.5-pro",
    "projects/p/locations/l/publishers/google/models/gemini-2.5-flash": "gemini-2.5-flash",
    "xai/grok-4": "grok-4",
}

NO_MODELS = [
    "",
    " ",
    "/",
    "//",
    "openai/",
    "/gpt-99",
    "no-such-model",
    "my-gpt-4o-clone",
    "gpt-99",
    "claude-0-nothing",
    "openai/no-such-model",
    "\ud800\x00",
    "x" * 300,
    "openai/" * 100 + "gpt-4o",
]

PRICES = {
    "gpt-4": Price(30.0, 60.0, None, None),
    "gpt-4o": Price(2.5, 10.0, 1.25, None),
    "gpt-4.1": Price(2.0, 8.0, 0.5, None),
    "azure/gpt-5": Price(1.25, 10.0, 0.125, None),
    "o3": Price(2.0, 8.0, 0.5, None),  # it was 10 and 40 before June 2025
    "claude-haiku-4-5": Price(1.0, 5.0, 0.1, 1.25),
    "claude-sonnet-4-5": Price(3.0, 15.0, 0.3, 3.75),  # the base: long requests cost more
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0": Price(3.3, 16.5, 0.33, 4.125),  # a region costs a tenth more
    "us.amazon.nova-pro-v1:0": Price(0.8, 3.2, 0.2, None),
}


@pytest.mark.parametrize(("model", "tokens"), WINDOWS.items())
def test_the_window_of_a_model(model: str, tokens: int) -> None:
    assert window(model) == tokens


@pytest.mark.parametrize(("name", "model"), OTHER_NAMES.items())
def test_a_model_goes_by_many_names(name: str, model: str) -> None:
    assert window(name) == WINDOWS[model]


@pytest.mark.parametrize("name", NO_MODELS)
def test_nothing_is_known_of_an_unknown_model(name: str) -> None:
    assert window(name) is None
    assert price(name) is None


def test_a_reseller_may_name_another_window() -> None:
    assert window("openrouter/anthropic/claude-sonnet-4.5") == 1_000_000


def test_a_window_that_holds_no_conversation_is_none() -> None:
    assert window("databricks-bge-large-en") is None  # 512 tokens


@pytest.mark.parametrize(("model", "dollars"), PRICES.items())
def test_the_price_of_a_million_tokens(model: str, dollars: Price) -> None:
    assert price(model) == dollars


@pytest.mark.parametrize("model", ["gemini-embedding-001", "whisper-1"])
def test_a_model_that_is_not_paid_by_tokens_both_ways_has_no_price(model: str) -> None:
    assert price(model) is None


def test_the_data_are_loaded_with_the_first_question() -> None:
    lines = [
        "import sys, faithfold, faithfold.models.catalogue as catalogue",
        "print('genai_prices' in sys.modules)",
        "catalogue.window('gpt-4o')",
        "print('genai_prices' in sys.modules)",
    ]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
