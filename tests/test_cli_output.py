"""Writing a file: whole or not at all, with its mode, and never over the input or an agent's own file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from faithfold import sessions
from faithfold.cli.output import refuse_to_write, write
from faithfold.core.errors import InputError
from faithfold.settings import agent_homes
from tests.cli_runs import Home, claude_session, listed, task

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links are otherwise there")


def refused(home: Home, out: Path, source: Path | None = None) -> str:
    """The refusal to write `out`; whatever is there stays, and nothing is left beside it."""
    source = source or home.write("in.json", task())
    before = {name: (home.path / name).read_bytes() for name in home.files()}
    run = home.run("compact", source, "-o", out)
    assert (run.exit_code, run.stdout, run.stderr.count("\n")) == (1, "", 1)
    assert {name: (home.path / name).read_bytes() for name in home.files()} == before
    return run.stderr.removeprefix("faithfold: ")


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(home: Home) -> None:
    source, out = home.write("in.json", task()), home.write("out.json", "old")
    assert home.run("compact", source, "-o", out).exit_code == 0
    assert len(listed(out.read_bytes())) == 8
    assert home.files() == {"in.json", "out.json"}


@POSIX
def test_a_new_file_is_its_owners_and_an_old_one_keeps_its_mode(home: Home) -> None:
    source, old, new = home.write("in.json", task()), home.write("old.json", "old"), home.path / "new.json"
    old.chmod(0o640)
    for out in (old, new):
        home.run("compact", source, "-o", out)
    assert [out.stat().st_mode & 0o777 for out in (old, new)] == [0o640, 0o600]


@POSIX
def test_a_link_stays_and_leads_to_the_new_content(home: Home) -> None:
    source, out, link = home.write("in.json", task()), home.write("sub/out.json", "old"), home.path / "link.json"
    link.symlink_to(out)
    home.run("compact", source, "-o", link)
    assert link.is_symlink()
    assert len(listed(out.read_bytes())) == 8


def test_the_input_is_never_written(home: Home) -> None:
    source = home.write("in.json", task())
    assert refused(home, source).endswith("in.json is the input; expected another file for -o\n")
    assert "is the input" in refused(home, home.path / "." / "in.json", source)


@POSIX
@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_nor_through_a_link(home: Home, kind: str) -> None:
    source, link = home.write("in.json", task()), home.path / "link.json"
    if kind == "hard":
        link.hardlink_to(source)
    else:
        link.symlink_to(source)
    assert "is the input" in refused(home, link, source)


@pytest.mark.parametrize(
    ("agent", "session"),
    [
        ("claude", ".claude/projects/p/a.jsonl"),
        ("codex", ".codex/sessions/2025/01/rollout-a.jsonl"),
        ("pi", ".pi/agent/sessions/p/a.jsonl"),
    ],
)
def test_nothing_is_written_among_an_agents_sessions(
    home: Home, agent: str, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home.path))
    monkeypatch.setenv("USERPROFILE", str(home.path))
    found = home.write(session, "{}")
    assert sessions.latest(agent) == str(found)
    assert "is an agent's own file" in refused(home, found.with_name("new.json"))


OWN = [
    ".claude/settings.json",
    ".claude/CLAUDE.md",
    ".claude.json",
    ".codex/config.toml",
    ".codex/history.jsonl",
    ".pi/agent/settings.json",
]


@pytest.mark.parametrize("name", OWN)
def test_nor_over_any_other_file_of_an_agents_own(home: Home, name: str) -> None:
    own = home.write(name, "{}")
    assert "is an agent's own file" in refused(home, own)
    own.unlink()
    assert "is an agent's own file" in refused(home, own)


@pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"])
def test_a_folder_that_was_moved_is_the_agents_and_so_is_the_usual_one(
    home: Home, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(home.path / "elsewhere"))
    for name in ("elsewhere/settings.json", *OWN):
        assert "is an agent's own file" in refused(home, home.write(name, "{}"))


@pytest.mark.parametrize("name", ["project/.claude/out.json", ".claude-notes/out.json", ".pi/out.json", "out.json"])
def test_what_only_looks_like_an_agents_is_written(home: Home, name: str) -> None:
    out = home.write(name, "old")
    assert home.run("compact", home.write("in.json", task()), "-o", out).exit_code == 0
    assert len(listed(out.read_bytes())) == 8


def test_nor_where_the_agents_folder_was_moved_to(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    found = home.write("elsewhere/sessions/2025/01/rollout-a.jsonl", "{}")
    monkeypatch.setenv("CODEX_HOME", str(home.path / "elsewhere"))
    assert sessions.latest("codex", agent_homes()) == str(found)
    assert "is an agent's own file" in refused(home, found.with_name("new.json"))


def test_a_session_elsewhere_is_not_written_over(home: Home) -> None:
    assert "is an agent's own file" in refused(home, home.write("copy.jsonl", claude_session()))


@POSIX
def test_nor_through_a_linked_folder(home: Home) -> None:
    home.write(".claude/projects/p/a.jsonl", claude_session())
    (home.path / "short").symlink_to(home.path / ".claude" / "projects" / "p")
    assert "is an agent's own file" in refused(home, home.path / "short" / "new.json")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("folder", "is no regular file"),
        ("missing/out.json", "can't be written: No such file or directory"),
        ("in.json/out.json", "can't be written: "),
        ("nul\0.json", "can't be written: "),
    ],
)
def test_what_can_not_be_written_is_refused(home: Home, name: str, why: str) -> None:
    (home.path / "folder").mkdir()
    assert why in refused(home, home.path / name)


@POSIX
def test_a_link_that_leads_in_a_circle_is_refused(home: Home) -> None:
    loop = home.path / "loop"
    loop.symlink_to(loop)
    assert "loop can't be written: Too many levels of symbolic links; expected a file" in refused(home, loop)
    assert loop.is_symlink()
    with pytest.raises(InputError, match="Too many levels of symbolic links"):
        write(str(loop), b"x")


@POSIX
def test_standard_input_that_comes_from_the_file_is_the_input(home: Home) -> None:
    source = home.write("in.json", task())
    kept = os.dup(0)
    try:
        with source.open("rb") as stream:
            os.dup2(stream.fileno(), 0)
            run = home.run("compact", "-", "-o", source, stdin=source.read_bytes())
    finally:
        os.dup2(kept, 0)
        os.close(kept)
    assert (run.exit_code, listed(source.read_bytes())) == (1, task())
    assert "is the input" in run.stderr


@POSIX
def test_without_a_standard_input_nothing_is_taken_for_it(home: Home) -> None:
    out = home.write("out.json", "old")
    kept = os.dup(0)
    os.close(0)
    try:
        refuse_to_write(str(out), "-")
    finally:
        os.dup2(kept, 0)
        os.close(kept)


@POSIX
def test_when_writing_fails_the_old_file_is_there_and_nothing_else(home: Home) -> None:
    import resource
    import signal

    out = home.write("out.json", "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    try:
        with pytest.raises(InputError, match=r"out\.json can't be written: File too large"):
            write(str(out), b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert out.read_text() == "old"
    assert home.files() == {"out.json"}
