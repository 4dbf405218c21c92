"""Where things are: the project, its documents, and the shared material that may stand next to it.

Real transcripts are not part of the project. Where the folder `../shared` exists the tests use it; elsewhere
`shared_data()` and `captures()` are None, and the tests that need them skip.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "faithfold"
EXAMPLES = ROOT / "examples"
LAWS = ROOT / "tests" / "laws"
DOCUMENTS = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))


def shared_data() -> Path | None:
    """The folder of real transcripts, or None where there is none."""
    return _beside("data")


def captures() -> Path | None:
    """The folder of captured requests, or None where there is none."""
    return _beside("captures")


def validators_file() -> Path | None:
    """The validators of requests that other people wrote, or None where there are none."""
    folder = _beside("tools")
    return None if folder is None else folder / "wire.py"


def _beside(name: str) -> Path | None:
    folder = ROOT.parent / "shared" / name
    return folder if folder.is_dir() else None
