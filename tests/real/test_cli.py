"""`faithfold compact` over real files: a smaller, legal conversation, or one line that says why there is none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import faithfold as ff
from faithfold.core.values import as_list, as_object
from tests.cli_runs import Home, parsed
from tests.places import shared_data

DATA = shared_data()
FILES = sorted(path for path in DATA.rglob("*") if path.is_file() and path.suffix != ".md") if DATA else []

pytestmark = pytest.mark.skipif(not FILES, reason="the real transcripts are not here")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_compact_makes_it_smaller_or_says_why_not(path: Path, tmp_path: Path) -> None:
    run = Home(tmp_path).run("compact", path, "--json")
    if run.exit_code == 1:
        assert run.stdout == ""
        assert run.stderr.startswith((f"faithfold: {path}: this is ", f"faithfold: {path}: this holds "))
        assert run.stderr.count("\n") == 1
        return
    told = parsed(run.stdout)
    assert run.exit_code == (3 if told["problems"] else 0)
    if told["changed"]:
        assert_smaller_and_legal(path, told["dialect"], told)
    else:
        assert str(told["notice"]).startswith("nothing to gain, unchanged: ")
        assert told["tokens_after"] == told["tokens_before"]


def assert_smaller_and_legal(path: Path, dialect: object, told: object) -> None:
    told = as_object(told)
    conversation = told["conversation"]
    body = as_object(conversation)
    messages = as_list(body.get("messages")) or as_list(body.get("input")) or as_list(conversation)
    before = ff.sessions.read(str(path))
    assert len(messages) == told["messages_after"]
    assert ff.estimate_tokens(messages) == told["tokens_after"]
    assert ff.estimate_tokens(messages) < ff.estimate_tokens(before.messages)
    old, new = (Counter(f.code for f in ff.faults(each, str(dialect))) for each in (before.messages, messages))
    assert new - old == Counter()
