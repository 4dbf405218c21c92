"""Counters: exact counts against literal numbers, estimates against their factor, and the table of models.

The expected counts were made once by two implementations that share no code with the one in use.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

from faithfold.core.errors import InputError, SettingsError
from faithfold.core.sizes import Counter
from faithfold.counters import Bpe, Estimate, counter_for
from faithfold.counters.bpe import PIECE
from faithfold.counters.vocabulary import VOCABULARIES

O200K = Bpe("o200k_base")
CL100K = Bpe("cl100k_base")

KNOWN = [  # text, o200k_base, cl100k_base
    ("", 0, 0),
    ("hello world", 2, 2),
    ("tiktoken is great!", 6, 6),
    ("The quick brown fox jumps over the lazy dog.", 10, 10),
    ("antidisestablishmentarianism", 6, 6),
    ("I'll say it's what you've DON'T", 6, 10),
    ("1234567890", 4, 4),
    ("3.14159", 4, 4),
    ("今天天气很好,我们去公园散步吧。", 13, 20),
    ("東京は日本の首都です。", 8, 11),
    ("안녕하세요 세계", 3, 9),
    ("Привет, мир!", 5, 7),
    ("مرحبا بالعالم", 4, 10),
    ("नमस्ते दुनिया", 5, 13),
    ("\N{GRINNING FACE}", 1, 2),
    ("\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f3f3\ufe0f\u200d\U0001f308", 18, 27),
    ("caf\u00e9", 2, 2),
    ("cafe\u0301", 3, 3),
    ("def add(a, b):\n    return a + b\n", 12, 12),
    ("for (int i = 0; i < n; i++) {\n\tsum += a[i];\n}\n", 21, 21),
    ('{"path": "src/main.rs", "line": 42, "ok": true}', 19, 19),
    ("https://example.com/a/b?c=d&e=%20f", 13, 13),
    ("   ", 1, 1),
    ("\n\n\n", 1, 1),
    (" \t \n  x  ", 5, 5),
    ("\r\n\r\nend", 2, 2),
    ("\x00\x01\x1b[31m", 6, 5),
    ("a" * 1000, 125, 125),
    (" " * 1000, 9, 9),
    ("<|endoftext|>", 7, 7),  # a control token as plain text
    ("a<|fim_prefix|>b", 8, 9),
]


@pytest.mark.parametrize(("text", "o200k", "cl100k"), KNOWN)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    assert (O200K.tokens(text), CL100K.tokens(text)) == (o200k, cl100k)
    assert O200K.quarters(text) == 4 * o200k


@pytest.mark.parametrize(
    ("broken", "sound"),
    [
        ("\ud83d", "\ufffd"),
        ("a \udc00 b", "a \ufffd b"),
        ("\ud83d\ude00", "\N{GRINNING FACE}"),  # two halves that belong together
    ],
)
def test_lone_surrogates_count_as_the_replacement_character(broken: str, sound: str) -> None:
    assert O200K.tokens(broken) == O200K.tokens(sound)


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(SettingsError, match="choose one of o200k_base, cl100k_base"):
        Bpe("p50k_base")


# Long texts


@pytest.mark.parametrize(
    ("unit", "o200k", "cl100k"),
    [
        ("def add(a, b):\n    return a + b\n\n\n", 720_000, 720_000),
        ('{"path":"src/main.rs","line":42}', 660_000, 660_000),
        ("I don't say it's 12345 what's\tthere, ", 660_001, 840_001),
        ("中文 and English 混排。", 420_000, 540_000),
    ],
)
def test_long_text_is_counted_in_pieces_as_if_it_were_one(unit: str, o200k: int, cl100k: int) -> None:
    text = unit * 60_000
    assert len(text) > PIECE
    assert (O200K.tokens(text), CL100K.tokens(text)) == (o200k, cl100k)


@pytest.mark.parametrize(
    ("unit", "o200k"),
    [
        (" ", 15_625),
        ("\t", 125_000),
        ("\n", 125_000),
        ("a", 250_000),
        ("=", 31_250),
        ("中", 2_000_000),
        ("don't'll've", 545_455),
    ],
)
def test_text_without_a_place_to_cut_is_counted_nearly(unit: str, o200k: int) -> None:
    text = (unit * 2_000_000)[:2_000_000]
    assert abs(O200K.tokens(text) - o200k) <= 2 * (len(text) // PIECE)


def test_other_threads_run_while_one_counts() -> None:
    text = "the quick brown fox jumps over the lazy dog, " * 200_000
    O200K.tokens("load it first")
    turns = 0
    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(O200K.tokens, text)
        while not counting.done():
            time.sleep(0.001)
            turns += 1
    pieces = len(text) // PIECE + 1
    assert turns > 3 * pieces  # a counter that kept the lock would let this thread run between two pieces only
    assert counting.result() == 200_000 * 10 + 1


# The shipped files


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_copy_of_the_shipped_file_counts_alike(tmp_path: Path) -> None:
    shipped = VOCABULARIES["cl100k_base"].shipped.read_bytes()
    copy = Bpe("cl100k_base", written(tmp_path / "copy.gz", shipped))
    assert copy.tokens("I'll say it's what you've DON'T") == 10


def test_one_changed_rank_is_noticed(tmp_path: Path) -> None:
    content = gzip.decompress(VOCABULARIES["cl100k_base"].shipped.read_bytes())
    changed = content.replace(b" 999\n", b" 99999999\n", 1)
    assert changed != content
    counter = Bpe("cl100k_base", written(tmp_path / "changed.gz", gzip.compress(changed, 1)))
    with pytest.raises(InputError, match=r"changed\.gz is not the published cl100k_base: install faithfold again$"):
        counter.tokens("hello")


def test_the_vocabulary_of_another_encoding_is_noticed(tmp_path: Path) -> None:
    other = written(tmp_path / "other.gz", VOCABULARIES["cl100k_base"].shipped.read_bytes())
    with pytest.raises(InputError, match="not the published o200k_base"):
        Bpe("o200k_base", other).tokens("hello")


@pytest.mark.parametrize("kept", [0, 5, 5000])
def test_a_cut_file_is_noticed(tmp_path: Path, kept: int) -> None:
    cut = VOCABULARIES["o200k_base"].shipped.read_bytes()[:kept]
    with pytest.raises(InputError, match=r"cut\.gz .*: install faithfold again$") as caught:
        Bpe("o200k_base", written(tmp_path / "cut.gz", cut)).tokens("hello")
    assert "\n" not in str(caught.value)


def test_scrambled_bytes_and_a_missing_file_are_noticed(tmp_path: Path) -> None:
    content = bytearray(VOCABULARIES["o200k_base"].shipped.read_bytes())
    content[1000:1100] = b"\xff" * 100
    for path in (written(tmp_path / "scrambled.gz", bytes(content)), tmp_path / "missing.gz"):
        with pytest.raises(InputError, match="can't be read"):
            Bpe("o200k_base", path).tokens("hello")


def test_first_counts_at_once_agree(tmp_path: Path) -> None:
    path = written(tmp_path / "fresh.gz", VOCABULARIES["cl100k_base"].shipped.read_bytes())
    start = threading.Barrier(4)

    def count() -> int:
        start.wait()
        return Bpe("cl100k_base", path).tokens("hello world")

    with ThreadPoolExecutor(4) as pool:
        assert {each.result() for each in [pool.submit(count) for _ in range(4)]} == {2}


def test_the_import_loads_no_tokenizer() -> None:
    script = "import sys, faithfold.counters as c; c.counter_for('gpt-4o').name; sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# The table

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
    counter: Counter = Estimate(O200K, percent)
    assert counter.quarters("hello world") == quarters
    assert counter.quarters("") == 0
