"""Which lines of a Claude Code session are the live conversation (spec page 60, "The formats, as found in real files").

Invariant: a line is on the branch at most once, and a sub-agent's line (`isSidechain`) never is, unless the file holds
nothing else (then it is the sub-agent's own file). A compaction starts the live conversation: a `compact_boundary`
line, or in old versions only a summary without a parent. Messages that a compaction kept stay on their old place in
the file; the boundary names them, and they belong after its anchor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.lines import Entry
from faithfold.sessions.tree import Tree

SPEAKERS = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number, its key in the tree, its parent's key ("" for none), and what it holds."""

    number: int
    key: str
    parent: str
    entry: Mapping[str, object]

    @property
    def kind(self) -> str:
        """The line's type, "" when it names none."""
        return as_text(self.entry.get("type"))

    @property
    def message(self) -> Mapping[str, object]:
        """The API message that the line holds, or a part of it; empty for other lines."""
        return as_object(self.entry.get("message"))

    @property
    def is_readable(self) -> bool:
        """Whether a message line has a content to read."""
        return self.kind not in SPEAKERS or isinstance(self.message.get("content"), (str, list))

    @property
    def is_boundary(self) -> bool:
        """Whether a compaction took place here."""
        return self.kind == "system" and self.entry.get("subtype") == "compact_boundary"

    @property
    def is_summary(self) -> bool:
        """Whether the line is the summary that a compaction put in place of what was before it."""
        return self.entry.get("isCompactSummary") is True

    @property
    def is_sidechain(self) -> bool:
        """Whether the line belongs to a sub-agent."""
        return self.entry.get("isSidechain") is True or bool(self.entry.get("parent_tool_use_id"))


Lines = dict[str, Line]


def read_lines(entries: Sequence[Entry]) -> Lines:
    """The lines of the conversation by key, in file order; of a replayed line (same uuid) the first readable one."""
    lines = [line for line in map(_line, entries) if line.key]
    main = [line for line in lines if not line.is_sidechain]
    if not any(line.kind in SPEAKERS for line in main):
        main = lines
    found: Lines = {}
    for line in main:
        known = found.get(line.key)
        if known is None or (line.is_readable and not known.is_readable):
            found[line.key] = line
    return found if any(line.parent in found for line in found.values()) else _chained(found)


def unreadable(entries: Sequence[Entry]) -> list[Line]:
    """The message lines of a file that hold no content to read."""
    return [line for line in map(_line, entries) if not line.is_readable]


def branch(lines: Lines, everything: bool) -> list[Line]:
    """The live conversation, oldest line first.

    With `everything` also what stood before each compaction, instead of the summaries.
    """
    tree = Tree.of({key: line.parent for key, line in lines.items()})
    leaf = _newest(lines.values())
    out: list[Line] = []
    seen: set[str] = set()
    while leaf:
        segment = [lines[key] for key in tree.path(leaf, lambda key: key in seen or _is_start(lines, key))]
        kept = _kept(lines, tree, segment[0])
        seen.update(line.key for line in (*segment, *kept))
        out = (_without_summaries(segment, kept) if everything else _live(segment, kept)) + out
        leaf = _before(lines, tree, segment, kept, seen) if everything else ""
    return out


def _line(entry: Entry) -> Line:
    value = as_object(entry.value)
    is_message = value.get("type") in SPEAKERS
    key = as_text(value.get("uuid")) or (f"line {entry.line}" if is_message else "")
    return Line(entry.line, key, as_text(value.get("parentUuid")), value)


def _chained(lines: Lines) -> Lines:
    """The lines of a file in which no link leads anywhere (a stream of messages): each follows the one before."""
    out: Lines = {}
    before = ""
    for key, line in lines.items():
        out[key] = replace(line, parent="" if line.is_boundary or line.is_summary else before)
        before = key
    return out


def _newest(lines: Iterable[Line]) -> str:
    newest = ""
    for line in lines:
        if line.kind in SPEAKERS:
            newest = line.key
    return newest


def _is_start(lines: Lines, key: str) -> bool:
    """Whether the live conversation starts at this line. A summary's boundary is its parent, and goes with it."""
    line = lines[key]
    above = lines.get(line.parent)
    return line.is_boundary or (line.is_summary and not (above and above.is_boundary))


def _kept(lines: Lines, tree: Tree, start: Line) -> list[Line]:
    """The messages from before a boundary that its compaction kept, oldest first."""
    if not start.is_boundary:
        return []
    metadata = as_object(start.entry.get("compactMetadata"))
    named = [as_text(key) for key in as_list(as_object(metadata.get("preservedMessages")).get("uuids"))]
    kept = named or _span(tree, as_object(metadata.get("preservedSegment")))
    return [lines[key] for key in dict.fromkeys(kept) if key in lines and lines[key].kind in SPEAKERS]


def _span(tree: Tree, ends: Mapping[str, object]) -> list[str]:
    """The keys from the head to the tail that a boundary names; only these two when no path joins them."""
    head, tail = as_text(ends.get("headUuid")), as_text(ends.get("tailUuid"))
    if head not in tree.parents or tail not in tree.parents:
        return []
    keys = tree.path(tail, lambda key: key == head)
    return keys if keys[0] == head else [head, tail]


def _live(segment: Sequence[Line], kept: Sequence[Line]) -> list[Line]:
    """The segment with the kept messages after the anchor that its boundary names, else after its summary."""
    names = {line.key for line in kept}
    rest = [line for line in segment if line.key not in names]
    anchor = _anchor(segment[0])
    anchors = [at for at, line in enumerate(rest, 1) if line.key == anchor]
    summaries = [at for at, line in enumerate(rest, 1) if line.is_summary]
    at = [*anchors, *summaries, 0][0]
    return [*rest[:at], *kept, *rest[at:]]


def _anchor(boundary: Line) -> str:
    metadata = as_object(boundary.entry.get("compactMetadata"))
    messages, segment = as_object(metadata.get("preservedMessages")), as_object(metadata.get("preservedSegment"))
    return as_text(messages.get("anchorUuid")) or as_text(segment.get("anchorUuid"))


def _without_summaries(segment: Sequence[Line], kept: Sequence[Line]) -> list[Line]:
    names = {line.key for line in kept}
    return [*kept, *(line for line in segment if line.key not in names and not line.is_summary)]


def _before(lines: Lines, tree: Tree, segment: Sequence[Line], kept: Sequence[Line], seen: set[str]) -> str:
    """The newest line before the compaction that `segment` starts with, "" when it starts with none."""
    start = segment[0]
    if not _is_start(lines, start.key):
        return ""
    above = tree.above(kept[0].key) if kept else ""
    places = (above, as_text(start.entry.get("logicalParentUuid")), tree.before[start.key])
    return next((key for key in places if key in tree.parents and key not in seen), "")
