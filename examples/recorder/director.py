"""Plays the scenario: runs every tool section and hands all of it to the transcript.

``{{PATTERN}}`` in what the assistant says is replaced by what the regular expression's group found in the newest tool
answer; so the text can speak of real output, and a scenario that no longer fits its output stops the recording.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from recorder.identity import Identity
from recorder.outcome import Outcome
from recorder.screenplay import DIVIDER, Section, assistant_messages
from recorder.scrub import PROJECT
from recorder.toolbox import Toolbox
from recorder.transcript import Transcript

ASSISTANT = frozenset({"think", "say", "bash", "read", "write", "edit", "grep", "glob", "todo"})
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected: nothing was changed."
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


class ScenarioError(Exception):
    """The scenario speaks of output that did not come."""


class Director:
    """Plays sections into one transcript."""

    def __init__(self, identity: Identity, toolbox: Toolbox, transcript: Transcript) -> None:
        self._identity = identity
        self._toolbox = toolbox
        self._transcript = transcript
        self._newest = ""

    def play(self, sections: Iterable[Section]) -> None:
        """Play all sections, turn by turn."""
        for is_assistant, group in itertools.groupby(sections, lambda section: section.kind in ASSISTANT):
            if is_assistant:
                self._turn(list(group))
                continue
            for section in group:
                self._note(section)

    def _turn(self, sections: list[Section]) -> None:
        begun = self._identity.now
        for message in assistant_messages(sections):
            self._message(message)
        if sections[-1].kind == "say":
            milliseconds = int((self._identity.now - begun).total_seconds() * 1000)
            self._transcript.chained("system", subtype="turn_duration", durationMs=milliseconds, isMeta=False)

    def _message(self, sections: list[Section]) -> None:
        self._identity.pause(2.0, 9.0)
        tools = [section for section in sections if section.is_tool]
        calls = [self._toolbox.call(section) for section in tools]
        ids = [self._identity.tagged("toolu_01") for _ in tools]
        blocks = [self._block(section) for section in sections if not section.is_tool]
        for tool_id, call in zip(ids, calls, strict=True):
            blocks.append({"type": "tool_use", "id": tool_id, "name": call.name, "input": call.input})
        uuids = self._transcript.assistant(blocks)[len(blocks) - len(tools) :]
        for section, call, tool_id, uuid in zip(tools, calls, ids, uuids, strict=True):
            self._identity.pause(1.1, 4.0)
            if section.fate == "run":
                self._answer(tool_id, uuid, call.run(self._identity.now))
            elif section.fate == "denied":
                self._answer(tool_id, uuid, Outcome(REFUSED, f"Error: {REFUSED}", is_error=True))

    def _answer(self, tool_id: str, uuid: str, outcome: Outcome) -> None:
        self._newest = outcome.text
        self._transcript.result(tool_id, uuid, outcome)

    def _block(self, section: Section) -> dict[str, object]:
        text = re.sub(r"\{\{(.+?)\}\}", self._quote, section.body)
        if section.kind == "say":
            return {"type": "text", "text": text}
        return {"type": "thinking", "thinking": text, "signature": self._identity.signature()}

    def _quote(self, hole: re.Match[str]) -> str:
        found = re.search(hole[1], self._newest, re.MULTILINE)
        if found is None:
            raise ScenarioError(f"no {hole[1]!r} in the newest tool answer:\n{self._newest[-3000:]}")
        return found[found.lastindex or 0]

    def _note(self, section: Section) -> None:
        players = {
            "human": self._human, "interrupt": self._interrupt, "api_error": self._api_error,
            "sidechain": self._sidechain,
        }  # fmt: skip
        players[section.kind](section)

    def _human(self, section: Section) -> None:
        self._identity.pause(25, 240)
        line = self._transcript.human(section.body)
        snapshot: dict[str, object] = {"messageId": line, "trackedFileBackups": {}, "timestamp": self._identity.stamp()}
        self._transcript.unchained(
            type="file-history-snapshot", messageId=line, snapshot=snapshot, isSnapshotUpdate=False
        )

    def _interrupt(self, section: Section) -> None:
        self._identity.pause(3, 12)
        self._transcript.human([{"type": "text", "text": section.body or "[Request interrupted by user]"}])

    def _api_error(self, _: Section) -> None:
        self._transcript.chained(
            "system", subtype="api_error", level="error", error={"status": 529, "headers": {}, "error": OVERLOADED},
            retryInMs=587, retryAttempt=1, maxRetries=10,
        )  # fmt: skip

    def _sidechain(self, section: Section) -> None:
        asked, _, answered = section.body.partition(DIVIDER)
        message = {"role": "user", "content": asked}
        root = self._transcript.chained("user", sidechain=True, is_root=True, message=message)
        self._transcript.assistant([{"type": "text", "text": answered}], sidechain=True, parent=root)


def current_branch(base: Path) -> str:
    """The branch that the scratch project's git has checked out; empty before ``git init``."""
    head = Path(f"{base}{PROJECT}") / ".git" / "HEAD"
    return head.read_text(encoding="utf-8").strip().rpartition("refs/heads/")[2] if head.exists() else ""
