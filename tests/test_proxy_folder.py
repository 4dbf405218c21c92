"""A private folder: its modes whatever the umask, what it keeps, and what it leaves alone."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from faithfold.core.errors import SettingsError
from faithfold.proxy.folder import PrivateFolder


@contextmanager
def umask(mask: int) -> Generator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def no_file_larger_than(size: int) -> Generator[None]:
    """Writes fail beyond, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def name(number: int, what: str = "came.body") -> str:
    return f"{1_000_000:013d}-{number:06d}-{what}"


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_folder_and_files_are_their_owners_alone_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "dumps"
    with umask(mask):
        PrivateFolder(path, 10).write(name(1), b"content")
    assert (mode(path), mode(path / name(1))) == (0o700, 0o600)
    assert (path / name(1)).read_bytes() == b"content"


def test_folders_above_are_made_too(tmp_path: Path) -> None:
    PrivateFolder(tmp_path / "a" / "b", 10)
    assert mode(tmp_path / "a" / "b") == 0o700


def test_what_was_there_before_is_healed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / name(1)).write_bytes(b"old")
    (tmp_path / name(1)).chmod(0o644)
    PrivateFolder(tmp_path, 10)
    assert (mode(tmp_path), mode(tmp_path / name(1))) == (0o700, 0o600)


def test_other_things_in_a_private_folder_stay_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    target = tmp_path / "notes.txt"
    target.write_text("mine")
    target.chmod(0o644)
    (tmp_path / name(1)).symlink_to(target)
    folder = PrivateFolder(tmp_path, 1)
    for number in (2, 3):
        folder.write(name(number), b"")
    assert names(tmp_path) == [name(1), name(3), "notes.txt"]
    assert (mode(target), target.read_text()) == (0o644, "mine")


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "dumps").mkdir()
    folder = PrivateFolder(tmp_path / "dumps", 10)
    (tmp_path / "dumps" / name(1)).symlink_to(target)
    with pytest.raises(FileExistsError):
        folder.write(name(1), b"content")
    assert not target.exists()


@pytest.mark.parametrize(("bits", "holds"), [(0o755, "notes.txt"), (0o1777, "notes.txt"), (0o1777, name(1))])
def test_a_folder_that_others_use_is_not_taken_over(tmp_path: Path, bits: int, holds: str) -> None:
    (tmp_path / holds).touch()
    tmp_path.chmod(bits)
    with pytest.raises(SettingsError, match=r"^debug_dir .* expected a folder that is for dumps alone$"):
        PrivateFolder(tmp_path, 10)
    assert mode(tmp_path) == bits


@pytest.mark.parametrize("inside", ["", "deeper"])
def test_a_file_is_no_folder(tmp_path: Path, inside: str) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(SettingsError, match=r"^debug_dir .* can't be used: Not a directory$"):
        PrivateFolder(path / inside, 10)


def test_the_newest_exchanges_are_kept_with_all_their_files(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "dumps", 2)
    for number in (1, 2, 3):
        folder.write(name(number), b"")
        folder.write(name(number, "ended.json"), b"")
    assert names(tmp_path / "dumps") == [name(n, what) for n in (2, 3) for what in ("came.body", "ended.json")]


def test_those_of_earlier_runs_count(tmp_path: Path) -> None:
    path = tmp_path / "dumps"
    for number in range(5):
        PrivateFolder(path, 10).write(name(number), b"")
    PrivateFolder(path, 3)
    assert names(path) == [name(n) for n in (2, 3, 4)]
    PrivateFolder(path, 3).write(name(9), b"")
    assert names(path) == [name(n) for n in (3, 4, 9)]


def test_a_file_that_somebody_removed_is_not_missed(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "dumps", 1)
    folder.write(name(1), b"")
    (tmp_path / "dumps" / name(1)).unlink()
    folder.write(name(2), b"")
    assert names(tmp_path / "dumps") == [name(2)]


def test_of_what_does_not_fit_nothing_is_left(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "dumps", 10)
    with no_file_larger_than(1_000), pytest.raises(OSError, match="large") as raised:
        folder.write(name(1), bytes(100_000))
    assert raised.value.errno == errno.EFBIG
    assert names(tmp_path / "dumps") == []
