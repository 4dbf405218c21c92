"""Records ``examples/session.jsonl``: a long development session in the form of Claude Code's session files.

    python examples/record_session.py [OUTPUT]

The words of the human and of the assistant are written in ``examples/scenario``. Every tool answer is real: the
commands, reads, edits and searches are executed in a fresh scratch folder while recording. Ids, times and dates are
the same on every run; measured times in the output are not. Needs bash, git and ``python3`` (3.11) in /usr/bin.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from recorder.director import Director, current_branch
from recorder.identity import Identity
from recorder.screenplay import read_screenplay
from recorder.scrub import HOME, PROJECT, Scrub
from recorder.shell import date_files
from recorder.toolbox import Toolbox
from recorder.transcript import Transcript

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
START = datetime(2026, 2, 9, 8, 41, 7, tzinfo=UTC)
TITLE = "tidemark: parse, index and query log files (recorded by examples/record_session.py)"


def record(output: Path) -> None:
    """Play the scenario and write the session to ``output``."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        Path(f"{base}{PROJECT}").mkdir(parents=True)
        identity = Identity(seed=20260209, start=START)
        transcript = Transcript(identity, lambda: current_branch(base))
        transcript.unchained(type="summary", summary=TITLE, leafUuid=identity.uuid())
        toolbox = Toolbox(base, Scrub(base, PYTHON))
        date_files(Path(f"{base}{HOME}"), 0, START)
        Director(identity, toolbox, transcript).play(read_screenplay(HERE / "scenario"))
        transcript.save(output)


if __name__ == "__main__":
    record(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "session.jsonl")
