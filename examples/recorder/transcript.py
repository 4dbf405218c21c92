"""Writes session lines: the ``uuid``/``parentUuid`` tree, message ids, and usage numbers.

Invariant: each chained line's parent is a line written before it; times never go back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from recorder.identity import Identity
from recorder.outcome import Outcome
from recorder.scrub import PROJECT

Json = dict[str, object]
MODEL = "claude-sonnet-4-5-20250929"
VERSION = "2.1.30"
SLUG = "patient-rolling-tide"
SYSTEM_TOKENS = 16_800  # what the system prompt and the tool definitions of such a session come to
CHARS_PER_TOKEN = 4


class Transcript:
    """The lines of one session, kept in memory until ``save``."""

    def __init__(self, identity: Identity, branch: Callable[[], str]) -> None:
        self.lines: list[Json] = []
        self._identity = identity
        self._branch = branch
        self._session = identity.uuid()
        self._leaf: str | None = None
        self._cached = 0
        self._fresh = SYSTEM_TOKENS

    def unchained(self, **fields: object) -> None:
        """Add a line that is no part of the tree."""
        self.lines.append(fields)

    def chained(self, kind: str, *, parent: str | None = None, sidechain: bool = False, **fields: object) -> str:
        """Add a line below ``parent`` (the newest line when none is given) and return its uuid."""
        uuid = self._identity.uuid()
        root = None if fields.pop("is_root", False) else parent or self._leaf
        self.lines.append({
            "parentUuid": root, "isSidechain": sidechain, "userType": "external", "cwd": PROJECT,
            "sessionId": self._session, "version": VERSION, "gitBranch": self._branch(), "slug": SLUG,
            "type": kind, **fields, "uuid": uuid, "timestamp": self._identity.stamp(),
        })  # fmt: skip
        if not sidechain:
            self._leaf = uuid
        return uuid

    def human(self, content: object) -> str:
        """Add what the human wrote."""
        self._count(content)
        return self.chained("user", message={"role": "user", "content": content}, permissionMode="default")

    def assistant(self, blocks: list[Json], *, sidechain: bool = False, parent: str | None = None) -> list[str]:
        """Add one API message, a line for each block, and return the lines' uuids."""
        frame: Json = {"model": MODEL, "id": self._identity.tagged("msg_01"), "type": "message", "role": "assistant"}
        usage, request = self._usage(blocks), self._identity.tagged("req_011C")
        uuids: list[str] = []
        for block in blocks:
            message = {**frame, "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage}
            self._identity.pause(0.3, 1.2)
            uuids.append(
                self.chained("assistant", message=message, requestId=request, sidechain=sidechain, parent=parent)
            )
        self._count(blocks)
        return uuids

    def result(self, tool_id: str, call_line: str, outcome: Outcome) -> None:
        """Add a tool's answer, below the line that holds its call."""
        block: Json = {"tool_use_id": tool_id, "type": "tool_result", "content": outcome.text}
        if outcome.is_error:
            block["is_error"] = True
        self._count([block])
        message = {"role": "user", "content": [block]}
        self.chained(
            "user",
            parent=call_line,
            message=message,
            toolUseResult=outcome.detail,
            sourceToolAssistantUUID=call_line,
        )

    def save(self, path: Path) -> None:
        """Write all lines as JSONL."""
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in self.lines)
        path.write_text(text, encoding="utf-8")

    def _count(self, content: object) -> None:
        self._fresh += len(json.dumps(content, ensure_ascii=False)) // CHARS_PER_TOKEN

    def _usage(self, blocks: list[Json]) -> Json:
        read, made = self._cached, self._fresh
        self._cached, self._fresh = read + made, 0
        return {
            "input_tokens": 3, "cache_creation_input_tokens": made, "cache_read_input_tokens": read,
            "cache_creation": {"ephemeral_5m_input_tokens": made, "ephemeral_1h_input_tokens": 0},
            "output_tokens": len(json.dumps(blocks)) // CHARS_PER_TOKEN, "service_tier": "standard",
        }  # fmt: skip
