"""Session files of coding agents, request bodies and message lists, read into one shape: `Transcript`.

`parse` is pure: bytes in, a transcript out. `read` and `latest` look at the disk; they are the only ones that do.
An agent's own file is never changed. Formats are told by content, not by name (spec page 60).
"""

from __future__ import annotations

from faithfold.sessions.files import latest, read
from faithfold.sessions.parse import parse
from faithfold.sessions.transcript import Problem, Transcript

__all__ = ["Problem", "Transcript", "latest", "parse", "read"]
