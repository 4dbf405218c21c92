"""How the tests run: how many examples hypothesis tries, which tests are laws, and a home.

`dev` is quick and looks for new examples each time; `ci` tries ten times as many, the same ones on each run, so that
a red build is about the change. Choose with `--hypothesis-profile` or the variable `HYPOTHESIS_PROFILE`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cli_runs import Home
from tests.places import LAWS

settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=1_000, deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Mark each test under tests/laws as a law, so that `-m laws` finds it."""
    for item in items:
        if item.path.is_relative_to(LAWS):
            item.add_marker(pytest.mark.laws)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A user's home of the test's own, in this process too."""
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    return Home(tmp_path)
