"""Reading from disk and standard input, and finding the newest session of an agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faithfold.core.errors import InputError
from faithfold.sessions import latest, read

LIST = json.dumps([{"role": "user", "content": "hi"}])
CLAUDE = ".claude/projects/-repo/one.jsonl"
CODEX = ".codex/sessions/2026/01/02/rollout-x.jsonl"
PI = ".pi/agent/sessions/--repo--/one.jsonl"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def write(home: Path, name: str, age: int) -> str:
    """A file that was last written `age` seconds before a fixed moment."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LIST)
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return str(path)


def test_a_file_is_read_with_the_options_of_parse(tmp_path: Path) -> None:
    path = write(tmp_path, "list.json", 0)
    assert read(path, dialect="anthropic").dialect == "anthropic"
    with pytest.raises(InputError, match="there is no conversation 2"):
        read(path, pick=2)


def test_standard_input_is_read() -> None:
    code = "from faithfold.sessions import read; print(len(read('-').messages))"
    done = subprocess.run([sys.executable, "-c", code], input=LIST, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("name", ["missing.json", ".", "x\0y", "no/such/folder/file"])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        read(f"{tmp_path}/{name}")
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_the_newest_session_of_an_agent_and_of_all(home: Path) -> None:
    write(home, CLAUDE, 50)
    newest = {
        "claude": write(home, ".claude/projects/-other/two.jsonl", 40),
        "codex": write(home, CODEX, 30),
        "pi": write(home, PI, 20),
    }
    write(home, ".codex/sessions/2026/01/01/rollout-old.jsonl", 60)
    assert {agent: latest(agent) for agent in newest} == newest
    assert latest() == newest["pi"]
    assert latest(None) == newest["pi"]


def test_what_lies_beside_the_sessions_is_none(home: Path) -> None:
    session = write(home, CLAUDE, 50)
    write(home, ".claude/projects/-repo/agent-1.jsonl", 0)
    write(home, ".claude/projects/-repo/notes.txt", 0)
    (home / ".claude/projects/-repo/folder.jsonl").mkdir()
    (home / ".claude/projects/-repo/gone.jsonl").symlink_to(home / "gone")
    assert latest("claude") == session


def test_without_a_session_it_says_where_it_looked(home: Path) -> None:
    with pytest.raises(InputError) as of_codex:
        latest("codex")
    assert str(of_codex.value) == f"there is no session under {home / '.codex/sessions'}; name a file instead"
    with pytest.raises(InputError) as of_any:
        latest()
    for folder in (".claude/projects", ".codex/sessions", ".pi/agent/sessions"):
        assert str(home / folder) in str(of_any.value)


def test_an_agent_whose_own_folder_is_elsewhere(home: Path) -> None:
    write(home, CODEX, 10)
    moved = write(home, "elsewhere/sessions/2026/01/01/rollout-new.jsonl", 50)
    assert latest("codex", {"codex": str(home / "elsewhere")}) == moved


def test_an_agent_that_is_not_known() -> None:
    with pytest.raises(InputError, match="there is no agent 'cursor'; it is one of claude, codex, pi"):
        latest("cursor")
