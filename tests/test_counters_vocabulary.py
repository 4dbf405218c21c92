"""The shipped vocabularies: loaded when somebody counts, once, and damage is noticed."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from faithfold.core.errors import InputError
from faithfold.counters import Bpe
from faithfold.counters.vocabulary import VOCABULARIES


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
