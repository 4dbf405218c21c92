"""The table of models: each name finds its counter, and an estimate is the tokens times its factor."""

from __future__ import annotations

import pytest
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

from faithfold.core.sizes import Counter
from faithfold.counters import Bpe, Estimate, counter_for

EXACT_O200K = "o200k_base"
EXACT_CL100K = "cl100k_base"
CLAUDE = "o200k_base x 1.10 (estimate)"
CLAUDE_NEWER = "o200k_base x 1.40 (estimate)"
ESTIMATE = "o200k_base (estimate)"

MODELS = [
    ("gpt-4o", EXACT_O200K),
    ("gpt-4o-mini-2024-07-18", EXACT_O200K),
    ("openai/gpt-4o", EXACT_O200K),
    ("openrouter/openai/gpt-4o:extended", EXACT_O200K),
    ("azure/gpt-4o", EXACT_O200K),
    ("openai:gpt-4o", EXACT_O200K),
    ("GPT-4o", EXACT_O200K),
    ("ft:gpt-4o-mini-2024-07-18:org::id", EXACT_O200K),
    ("ft:gpt-4.1-mini:org::id", EXACT_O200K),
    ("chatgpt-4o-latest", EXACT_O200K),
    ("gpt-4.1-nano", EXACT_O200K),
    ("gpt-4.5-preview", EXACT_O200K),
    ("gpt-5", EXACT_O200K),
    ("gpt-5.1-codex-max", EXACT_O200K),
    ("gpt-6.2", EXACT_O200K),
    ("gpt-10", EXACT_O200K),
    ("gpt-oss:20b", EXACT_O200K),
    ("openai.gpt-oss-120b-1:0", EXACT_O200K),
    ("o1", EXACT_O200K),
    ("o3-mini", EXACT_O200K),
    ("openai/o4-mini-2025-04-16", EXACT_O200K),
    ("o5-pro", EXACT_O200K),
    ("codex-mini-latest", EXACT_O200K),
    ("gpt-4", EXACT_CL100K),
    ("gpt-4-turbo-2024-04-09", EXACT_CL100K),
    ("gpt-4-32k", EXACT_CL100K),
    ("ft:gpt-4-0613:org:o3-like:id", EXACT_CL100K),
    ("gpt-3.5-turbo-0125", EXACT_CL100K),
    ("azure/gpt-35-turbo-16k", EXACT_CL100K),
    ("davinci-002", EXACT_CL100K),
    ("babbage-002", EXACT_CL100K),
    ("text-embedding-3-large", EXACT_CL100K),
    ("text-embedding-ada-002", EXACT_CL100K),
    ("claude-3-opus-20240229", CLAUDE),
    ("claude-3-5-sonnet-latest", CLAUDE),
    ("claude-3-7-sonnet-20250219", CLAUDE),
    ("anthropic/claude-3.5-haiku:beta", CLAUDE),
    ("claude-opus-4-20250514", CLAUDE),
    ("claude-opus-4-1-20250805", CLAUDE),
    ("claude-opus-4-5@20251101", CLAUDE),
    ("claude-sonnet-4-0", CLAUDE),
    ("claude-opus-4", CLAUDE),
    ("claude-opus-4-6", CLAUDE),
    ("anthropic/claude-sonnet-4.5", CLAUDE),
    ("claude-4-sonnet", CLAUDE),
    ("anthropic:claude-haiku-4-5", CLAUDE),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", CLAUDE),
    ("anthropic.claude-3-sonnet-20240229-v1:0", CLAUDE),
    ("bedrock/us-gov.anthropic.claude-sonnet-4-20250514-v1:0", CLAUDE),
    ("vertex_ai/claude-haiku-4-5@20251001", CLAUDE),
    ("claude-opus-4-7", CLAUDE_NEWER),
    ("claude-opus-4-8-20260601", CLAUDE_NEWER),
    ("anthropic/claude-opus-4.8", CLAUDE_NEWER),
    ("claude-opus-4-10", CLAUDE_NEWER),
    ("global.anthropic.claude-opus-4-7-v1:0", CLAUDE_NEWER),
    ("claude-opus-5", CLAUDE_NEWER),
    ("claude-sonnet-5", CLAUDE_NEWER),
    ("claude-fable-5", CLAUDE_NEWER),
    ("claude-mythos-preview", CLAUDE_NEWER),
    ("claude-2.1", CLAUDE_NEWER),
    ("claude-instant-1.2", CLAUDE_NEWER),
    ("claude", CLAUDE_NEWER),
    ("", ESTIMATE),
    ("models/gemini-2.5-pro", ESTIMATE),
    ("moonshotai/kimi-k2", ESTIMATE),
    ("qwen/qwen3-coder:free", ESTIMATE),
    ("deepseek-chat", ESTIMATE),
    ("z-ai/glm-4.7", ESTIMATE),
    ("mistral-large-latest", ESTIMATE),
    ("gpt-2", ESTIMATE),
    ("text-davinci-003", ESTIMATE),
    ("my-gpt-4o", ESTIMATE),
    ("solo1", ESTIMATE),
    ("gpt-4x", ESTIMATE),
    ("/", ESTIMATE),
    ("<synthetic>", ESTIMATE),
]


@pytest.mark.parametrize(("model", "name"), MODELS)
def test_every_name_finds_its_counter(model: str, name: str) -> None:
    counter = counter_for(model)
    assert (counter.name, counter.exact) == (name, "estimate" not in name)


SHIPPED = {"o200k_base": EXACT_O200K, "o200k_harmony": EXACT_O200K, "cl100k_base": EXACT_CL100K}
DATED = {f"{prefix.rstrip('-')}-2099-01-01": name for prefix, name in MODEL_PREFIX_TO_ENCODING.items()}
PUBLISHED = MODEL_TO_ENCODING | DATED


@pytest.mark.parametrize(("model", "encoding"), PUBLISHED.items())
def test_the_table_agrees_with_the_published_mapping(model: str, encoding: str) -> None:
    assert counter_for(model).name == SHIPPED.get(encoding, ESTIMATE)


def test_an_endless_name_takes_no_endless_time() -> None:
    for junk in ("a." * 500_000, "/" * 1_000_000, "claude-" * 200_000, "a" * 1_000_000):
        assert counter_for(junk).exact is False


@pytest.mark.parametrize(("percent", "quarters"), [(100, 8), (110, 8), (140, 11), (200, 16)])
def test_an_estimate_is_the_tokens_times_the_factor(percent: int, quarters: int) -> None:
    counter: Counter = Estimate(Bpe("o200k_base"), percent)
    assert counter.quarters("hello world") == quarters
    assert counter.quarters("") == 0
