"""Which lines of a Claude Code session are the live conversation (spec page 60, "The formats, as found in real files").

Invariant: a line is on the branch at most once, and a sub-agent's line (`isSidechain`) never is, unless the file holds
nothing else (then it is the sub-agent's own file). A compaction starts the live conversation: a `compact_boundary`
line, or in old versions only a summary without a parent. Messages that a compaction kept stay on their old place in
the file; the boundary names them, and they belong after its anchor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.claude_lines import SPEAKERS, Line, Lines
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.tree import Tree


def read_lines(entries: Sequence[FileEntry]) -> Lines:
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


def unreadable(entries: Sequence[FileEntry]) -> list[Line]:
    """The message lines of a file that hold no content to read."""
    return [line for line in map(_line, entries) if not line.is_readable]


def tree_of(lines: Lines) -> Tree:
    """The tree that the lines form by their parents."""
    return Tree.of({key: line.parent for key, line in lines.items()})


def branch(lines: Lines, tree: Tree, everything: bool) -> list[Line]:
    """The live conversation, oldest line first.

    With `everything` also what stood before each compaction, instead of the summaries.
    """
    leaf = _newest(lines.values())
    parts: list[list[Line]] = []
    seen: set[str] = set()
    while leaf:
        path = tree.path(leaf, lambda key: key in seen or _is_start(lines, key))
        segment = [lines[key] for key in path if key not in seen]
        kept = _kept(lines, tree, segment[0])
        if not everything:
            return _live(segment, kept)
        seen.update(line.key for line in segment)
        parts.append([*kept, *segment])
        leaf = _before(tree, segment, kept, seen) if _is_start(lines, segment[0].key) else ""
    return _joined(parts)


def _line(entry: FileEntry) -> Line:
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


def _joined(parts: Sequence[Sequence[Line]]) -> list[Line]:
    """The segments of a file, given newest first, without their summaries; a line that comes twice, on its old place.

    So a message that a compaction kept stands among those that it was said with.
    """
    ordered = (line for part in reversed(parts) for line in part if not line.is_summary)
    return list({line.key: line for line in ordered}.values())


def _before(tree: Tree, segment: Sequence[Line], kept: Sequence[Line], seen: set[str]) -> str:
    """The newest line before the compaction that `segment` starts with, "" when there is none."""
    start = segment[0]
    above = tree.above(kept[0].key) if kept else ""
    places = (as_text(start.entry.get("logicalParentUuid")), above, tree.before[start.key])
    return next((key for key in places if key in tree.parents and key not in seen), "")
