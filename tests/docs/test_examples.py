"""The code in README.md and docs/ runs: python fences as they stand, `$ faithfold …` in console fences."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from tests.docs.console import commands, matches, run_console
from tests.places import DOCUMENTS, EXAMPLES, ROOT

SYBIL = Sybil(parsers=[PythonCodeBlockParser(), CodeBlockParser("console", run_console)])


@pytest.fixture
def _a_folder_with_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_a_folder_with_the_examples")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_document_run(document: Path) -> None:
    for example in SYBIL.parse(document).examples():
        example.evaluate()


def test_commands_are_found_with_their_output() -> None:
    fence = "$ make demo\nanything\n$ faithfold --version\nfaithfold ...\n$ faithfold config\n"
    assert list(commands(fence)) == [("faithfold --version", "faithfold ..."), ("faithfold config", "")]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("faithfold ...", "faithfold 0.1.0\n", True),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("trailing", "trailing  \n", True),
        ("faithfold 1", "faithfold 2\n", False),
    ],
)
def test_output_is_compared(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same
