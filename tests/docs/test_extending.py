"""What docs/extending.md promises, done: in a copy of the project with its rows, the suite over the tables passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.slow

FENCES = [part.partition("```")[0] for part in (ROOT / "docs" / "extending.md").read_text("utf-8").split("```python\n")]


@dataclass(frozen=True)
class Copy:
    """A copy of the project, to be changed."""

    root: Path

    def write(self, path: str, marker: str) -> None:
        """A new module: the document's listing with the marker in it."""
        (self.root / "src" / "faithfold" / path).write_text(listing(marker), "utf-8")

    def put(self, path: str, *changes: tuple[str, str]) -> None:
        """Puts a text after another one, which stands in the file once."""
        file = self.root / path
        text = file.read_text("utf-8")
        for after, added in changes:
            assert text.count(after) == 1
            text = text.replace(after, after + added)
        file.write_text(text, "utf-8")

    def run(self, *arguments: str) -> str:
        """What a Python module prints, run in the copy; it must succeed."""
        variables = {**os.environ, "PYTHONPATH": str(self.root / "src"), "HYPOTHESIS_PROFILE": "dev"}
        command = [sys.executable, "-m", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.root, env=variables, check=False)
        assert run.returncode == 0, run.stdout[-4_000:] + run.stderr[-1_000:]
        return run.stdout

    def test(self, *paths: str) -> Sequence[str]:
        """The names of the tests that ran, without their files."""
        told = self.run("pytest", "-v", "-p", "no:xdist", *paths)
        return [line.split("::")[1].split(" ")[0] for line in told.splitlines() if "::" in line]


def listing(marker: str) -> str:
    """The one listing of the document that holds the marker."""
    [found] = [fence for fence in FENCES[1:] if marker in fence]
    return found


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The project with a dialect, a strategy and a session format more."""
    copy = Copy(tmp_path_factory.mktemp("extended"))
    for name in ("src", "tests", "docs", "examples"):
        shutil.copytree(ROOT / name, copy.root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy.root)
    copy.write("dialects/yours.py", "DIALECT = Dialect(")
    copy.put(
        "src/faithfold/dialects/__init__.py", ("openai_responses, pi", ", yours"), ("pi.DIALECT", ", yours.DIALECT")
    )
    copy.write("strategies/musings.py", "def without_musings(")
    rows = (("import cliff", ", musings"), ("    cliff.NAME: cliff.cliff,\n", "    musings.NAME: musings.musings,\n"))
    copy.put("src/faithfold/strategies/__init__.py", *rows)
    copy.write("sessions/yours.py", "def recognises(")
    row = '    Format("yours", "Yours session", "openai", yours.recognises, yours.read),\n'
    rows = (("import claude_code, codex, pi", ", yours"), ("pi.recognises, pi.read),\n", row))
    copy.put("src/faithfold/sessions/sniff.py", *rows)
    return copy


def test_new_rows_are_tested_before_anyone_writes_a_test(extended: Copy) -> None:
    ran = extended.test("tests/conformance", "tests/test_dialects.py", "tests/test_policies.py")
    assert "test_readers_are_total_and_keep_their_word[yours]" in ran
    assert "test_what_a_dialect_can_say_is_compacted[yours-musings]" in ran
    assert "test_a_strategy_keeps_the_laws[anthropic-musings]" in ran
    assert "test_a_format_reads_whatever_its_lines_hold[yours]" in ran


def test_the_command_line_knows_them(extended: Copy) -> None:
    (extended.root / "in.json").write_text('[{"role": "human", "content": "hi"}]', "utf-8")
    assert '"dialect": "yours"' in extended.run(
        "faithfold", "inspect", "in.json", "--dialect", "yours", "--policy", "musings", "--json"
    )


def test_a_step_of_a_dialect_brings_in_the_tests_over_sessions(extended: Copy) -> None:
    step, row = listing("def yours_step("), '    "yours": yours_step,\n'
    extended.put("tests/pieces.py", ('else is in the table."""\n', f"\n{step}\n"), ('    "pi": pi_step,\n', row))
    ran = extended.test(
        "tests/conformance/test_compaction.py", "tests/test_compaction.py", "tests/laws/test_stacking.py"
    )
    assert "test_an_ordinary_session_is_cut_between_its_steps[0-yours]" in ran
