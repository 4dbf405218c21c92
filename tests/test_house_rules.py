"""Rules that no tool checks for us: sizes, a quiet import, a true public surface, nothing about anyone's machine."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import TypedDict

import pytest

import faithfold
from tests.places import PACKAGE, ROOT

LONGEST_FUNCTION = 25  # lines without the docstring
LONGEST_FILE = 300
MEDIAN_FUNCTION_BELOW = 10
HEAVY = {"aiohttp", "asyncio", "click", "msgspec", "pydantic", "sqlite3", "starlette", "tiktoken", "uvicorn"}
ENVIRONMENT_READERS = {"settings.py"}

# What may be longer, each with its reason. Keys: "core/module.py", "core/module.py:function" or "tests/module.py".
EXCEPTIONS: dict[str, str] = {}

SOURCES = sorted(PACKAGE.rglob("*.py"))
OTHERS = sorted(path for folder in ("tests", "examples", "benchmarks") for path in (ROOT / folder).rglob("*.py"))

# Folders that a text may name without telling of anybody's machine.
COMMON = {Path("/"), *map(Path, ("/app", "/builds", "/home", "/opt", "/src", "/tmp", "/usr/src", "/workspace"))}


class ImportReport(TypedDict):
    """What importing faithfold did; see import_report.py."""

    opened: list[str]
    connected: list[str]
    handlers: list[str]
    brought: list[str]


@pytest.fixture(scope="module")
def imported() -> ImportReport:
    script = ROOT / "tests" / "import_report.py"
    run = subprocess.run([sys.executable, "-IB", script], check=True, capture_output=True, text=True)
    report: ImportReport = json.loads(run.stdout)
    return report


def test_there_is_something_to_check() -> None:
    assert PACKAGE / "core" / "values.py" in SOURCES
    assert {Path(__file__), ROOT / "examples" / "record_session.py"} <= set(OTHERS)


def test_functions_are_short() -> None:
    assert {name: lines for name, lines in function_lengths() if lines > LONGEST_FUNCTION} == {}


def test_most_functions_are_very_short() -> None:
    assert median(lines for _, lines in function_lengths()) < MEDIAN_FUNCTION_BELOW


def test_files_are_short() -> None:
    lengths = {short_name(path): len(path.read_text("utf-8").splitlines()) for path in [*SOURCES, *OTHERS]}
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE and name not in EXCEPTIONS} == {}


def test_exceptions_are_needed() -> None:
    there = {short_name(path) for path in [*SOURCES, *OTHERS]} | {name for name, _ in functions()}
    assert set(EXCEPTIONS) <= there


def test_importing_reads_nothing(imported: ImportReport) -> None:
    assert (imported["opened"], imported["connected"]) == ([], [])


def test_importing_sets_up_no_logging(imported: ImportReport) -> None:
    assert imported["handlers"] == []


def test_importing_brings_in_nothing_heavy(imported: ImportReport) -> None:
    assert "faithfold" in imported["brought"]
    assert HEAVY & set(imported["brought"]) == set()


def test_only_the_settings_read_the_environment_and_not_at_import() -> None:
    readers = {short_name(path) for path in SOURCES if reads_environment(ast.parse(path.read_bytes()))}
    assert readers <= ENVIRONMENT_READERS
    at_import = [short_name(path) for path in SOURCES if reads_environment(without_functions(path))]
    assert at_import == []


def test_the_public_surface_is_importable() -> None:
    assert sorted(set(faithfold.__all__)) == sorted(faithfold.__all__)
    assert [name for name in faithfold.__all__ if not hasattr(faithfold, name)] == []


def test_the_public_surface_is_complete() -> None:
    public = {name for name, value in vars(faithfold).items() if not isinstance(value, ModuleType)}
    assert {name for name in public if not name.startswith("_")} - {"annotations"} <= set(faithfold.__all__)


def test_no_file_tells_where_it_was_written() -> None:
    ours = {ROOT.parent, Path.home()} - COMMON
    told = [f"{form}/".encode() for folder in ours for form in {str(folder), folder.as_posix()}]
    assert [str(path) for path in project_files() if any(name in path.read_bytes() for name in told)] == []


def function_lengths() -> list[tuple[str, int]]:
    return [(name, length(node)) for name, node in functions() if name not in EXCEPTIONS]


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{short_name(path)}:{node.name}", node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, those of the docstring not counted."""
    match function.body[0]:
        case ast.Expr(value=ast.Constant(value=str())) as docstring:
            described = line_count(docstring)
        case _:
            described = 0
    return line_count(function) - described


def line_count(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def reads_environment(code: ast.AST) -> bool:
    names = {getattr(node, "attr", None) or getattr(node, "id", None) for node in ast.walk(code)}
    return not names.isdisjoint({"environ", "getenv"})


def without_functions(path: Path) -> ast.Module:
    """The module with the bodies of its functions taken out: what runs at import."""
    module = ast.parse(path.read_bytes())
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return module


def short_name(path: Path) -> str:
    return path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else ROOT).as_posix()


def project_files() -> list[Path]:
    """All files that belong to the repository, or are about to."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]
