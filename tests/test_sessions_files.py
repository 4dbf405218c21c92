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
from faithfold.sessions.files import newest_first
from faithfold.sessions.transcript import NoMessagesError
from tests.cli_runs import Home

LIST = json.dumps([{"role": "user", "content": "hi"}])
CLAUDE = ".claude/projects/-repo/one.jsonl"
CODEX = ".codex/sessions/2026/01/02/rollout-x.jsonl"
PI = ".pi/agent/sessions/--repo--/one.jsonl"


def write(folder: Path, name: str, age: int) -> str:
    """A file that was last written `age` seconds before a fixed moment."""
    path = folder / name
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


def test_what_is_wrong_with_a_file_is_said_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.touch()
    with pytest.raises(NoMessagesError, match=f"^{path}: the file is empty; expected "):
        read(str(path))


def test_an_empty_name_is_no_file() -> None:
    with pytest.raises(InputError, match=r"^the file's name is empty; expected a path, or - for standard input$"):
        read("")


def test_the_newest_session_of_an_agent_and_of_all(home: Home) -> None:
    write(home.path, CLAUDE, 50)
    newest = {
        "claude": write(home.path, ".claude/projects/-other/two.jsonl", 40),
        "codex": write(home.path, CODEX, 30),
        "pi": write(home.path, PI, 20),
    }
    write(home.path, ".codex/sessions/2026/01/01/rollout-old.jsonl", 60)
    assert {agent: latest(agent) for agent in newest} == newest
    assert latest() == newest["pi"]
    assert latest(None) == newest["pi"]
    assert newest_first("claude") == [newest["claude"], str(home.path / CLAUDE)]


def test_what_lies_beside_the_sessions_is_none(home: Home) -> None:
    session = write(home.path, CLAUDE, 50)
    write(home.path, ".claude/projects/-repo/agent-1.jsonl", 0)
    write(home.path, ".claude/projects/-repo/notes.txt", 0)
    (home.path / ".claude/projects/-repo/folder.jsonl").mkdir()
    (home.path / ".claude/projects/-repo/gone.jsonl").symlink_to(home.path / "gone")
    assert latest("claude") == session


def test_without_a_session_it_says_where_it_looked(home: Home) -> None:
    with pytest.raises(InputError) as of_codex:
        latest("codex")
    assert str(of_codex.value) == f"there is no session under {home.path / '.codex/sessions'}; name a file instead"
    with pytest.raises(InputError) as of_any:
        latest()
    for folder in (".claude/projects", ".codex/sessions", ".pi/agent/sessions"):
        assert str(home.path / folder) in str(of_any.value)


def test_an_agent_whose_own_folder_is_elsewhere(home: Home) -> None:
    write(home.path, CODEX, 10)
    moved = write(home.path, "elsewhere/sessions/2026/01/01/rollout-new.jsonl", 50)
    assert latest("codex", {"codex": str(home.path / "elsewhere")}) == moved


def test_an_agent_that_is_not_known() -> None:
    with pytest.raises(InputError, match="there is no agent 'cursor'; it is one of claude, codex, pi"):
        latest("cursor")
