"""Where a Claude Code session's live conversation starts, and what a compaction kept of the one before."""

from __future__ import annotations

import pytest

from faithfold.core.values import as_object
from tests.session_files import JSON, claude_line, read


def keyed(key: str, parent: str | None, kind: str = "user", **fields: object) -> JSON:
    """A line whose content is its own key."""
    return claude_line(kind, key, parent, message={"role": kind, "content": key}, **fields)


def boundary(key: str, logical: str | None, **metadata: object) -> JSON:
    fields = {"trigger": "auto", "preTokens": 1, **metadata}
    shared = {"type": "system", "subtype": "compact_boundary", "sessionId": "s", "isSidechain": False}
    return {**shared, "uuid": key, "parentUuid": None, "logicalParentUuid": logical, "compactMetadata": fields}


def summary(key: str, parent: str | None) -> JSON:
    return keyed(key, parent, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def contents(lines: list[JSON], everything: bool) -> list[object]:
    """What is said, in order; here a line's content is its own key."""
    found = read(*lines, everything=everything)
    assert found.problems == ()
    return [as_object(message)["content"] for message in found.messages]


OLD = [keyed("a", None), keyed("b", "a", "assistant"), keyed("c", "b"), keyed("d", "c", "assistant")]
SEGMENT = {"preservedSegment": {"headUuid": "c", "anchorUuid": "S", "tailUuid": "d"}}
MESSAGES = {"preservedMessages": {"anchorUuid": "S", "uuids": ["c", "d"]}}

CASES: dict[str, tuple[list[JSON], list[str], list[str]]] = {
    "no compaction": (OLD, ["a", "b", "c", "d"], ["a", "b", "c", "d"]),
    "a boundary and its summary": (
        [*OLD, boundary("B", "d"), summary("S", "B"), keyed("e", "S", "assistant")],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "two compactions": (
        [
            *OLD[:2],
            boundary("A", "b"),
            summary("R", "A"),
            keyed("c", "R"),
            boundary("B", "c"),
            summary("S", "B"),
            keyed("e", "S"),
        ],
        ["S", "e"],
        ["a", "b", "c", "e"],
    ),
    "a boundary that names no line before it": (
        [*OLD, boundary("B", None), summary("S", "B"), keyed("e", "S")],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "an old version: only a summary without a parent": (
        [*OLD, summary("S", None), keyed("e", "S", "assistant")],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "a boundary whose line is lost": (
        [*OLD, summary("S", "lost"), keyed("e", "S")],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "a boundary without a summary yet": ([*OLD, boundary("B", "d")], ["a", "b", "c", "d"], ["a", "b", "c", "d"]),
    "a summary as the last line": ([*OLD, boundary("B", "d"), summary("S", "B")], ["S"], ["a", "b", "c", "d"]),
    "a compaction as the first thing in the file": (
        [boundary("B", None), summary("S", "B"), keyed("e", "S")],
        ["S", "e"],
        ["e"],
    ),
    "links lead nowhere: the summary still starts the live part": (
        [keyed("a", None), keyed("b", None, "assistant"), summary("S", None), keyed("e", None)],
        ["S", "e"],
        ["a", "b", "e"],
    ),
    "a kept segment": (
        [*OLD, boundary("B", "d", **SEGMENT), summary("S", "B"), keyed("e", "S")],
        ["S", "c", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "kept messages": (
        [*OLD, boundary("B", "d", **MESSAGES), summary("S", "B"), keyed("e", "S")],
        ["S", "c", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "kept messages, the last one hung under the summary": (
        [*OLD[:3], boundary("B", "d", **MESSAGES), summary("S", "B"), keyed("d", "S", "assistant"), keyed("e", "d")],
        ["S", "c", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "a kept segment, its tail hung under the summary": (
        [*OLD[:3], boundary("B", "d", **SEGMENT), summary("S", "B"), keyed("d", "S", "assistant"), keyed("e", "d")],
        ["S", "c", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "one kept message, hung under the summary": (
        [
            *OLD[:3],
            boundary("B", "c", preservedMessages={"anchorUuid": "S", "uuids": ["d"]}),
            summary("S", "B"),
            keyed("d", "S", "assistant"),
            keyed("e", "d"),
        ],
        ["S", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "kept messages before the summary": (
        [
            *OLD,
            boundary("B", "d", preservedMessages={"anchorUuid": "B", "uuids": ["c", "d"]}),
            summary("S", "B"),
            keyed("e", "S"),
        ],
        ["c", "d", "S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "an anchor that is not there: after the summary": (
        [*OLD, boundary("B", "d", preservedMessages={"uuids": ["c", "d"]}), summary("S", "B"), keyed("e", "S")],
        ["S", "c", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "neither anchor nor summary: in front": (
        [*OLD, boundary("B", "d", preservedMessages={"uuids": ["d"]}), keyed("e", "B")],
        ["d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "kept messages that are not there": (
        [
            *OLD,
            boundary("B", "d", preservedSegment={"headUuid": "x", "anchorUuid": "S", "tailUuid": "d"}),
            summary("S", "B"),
            keyed("e", "S"),
        ],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "a branch that was left before the compaction stays out": (
        [*OLD, keyed("x", "b"), keyed("y", "x", "assistant"), boundary("B", "d"), summary("S", "B"), keyed("e", "S")],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "a kept message that is not next to the compaction stands once, in its old place": (
        [*OLD[:3], boundary("B", "c", preservedMessages={"uuids": ["a"]}), summary("S", "B"), keyed("e", "S")],
        ["S", "a", "e"],
        ["a", "b", "c", "e"],
    ),
    "kept messages with others between them": (
        [*OLD, boundary("B", "d", preservedMessages={"uuids": ["b", "d"]}), summary("S", "B"), keyed("e", "S")],
        ["S", "b", "d", "e"],
        ["a", "b", "c", "d", "e"],
    ),
    "a message that two compactions kept": (
        [
            *OLD,
            boundary("B", "d", preservedMessages={"uuids": ["a"]}),
            summary("S", "B"),
            keyed("e", "S"),
            boundary("C", "e", preservedMessages={"uuids": ["a", "e"]}),
            summary("T", "C"),
            keyed("f", "T"),
        ],
        ["T", "a", "e", "f"],
        ["a", "b", "c", "d", "e", "f"],
    ),
    "a loop": ([keyed("a", "b"), keyed("b", "a")], ["a", "b"], ["a", "b"]),
    "a boundary that names itself": (
        [*OLD, boundary("B", "B"), summary("S", "B"), keyed("e", "S")],
        ["S", "e"],
        ["a", "b", "c", "d", "e"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_live_conversation(name: str) -> None:
    lines, live, _ = CASES[name]
    assert contents(lines, everything=False) == live


@pytest.mark.parametrize("name", CASES)
def test_everything_that_was_said(name: str) -> None:
    lines, _, everything = CASES[name]
    assert contents(lines, everything=True) == everything
