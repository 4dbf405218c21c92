"""Pi sessions: a header line, then entries in an `id`/`parentId` tree (version 1: a plain list without ids).

The messages are Pi's own message objects, as they stand in the file. What Pi builds itself when it makes a context of
the entries (the summary of a compaction or of a branch, an extension's message) is built here word for word as Pi
builds it. Of several compactions on the path the newest counts; a compaction entry is never a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faithfold.core.values import as_object, as_text
from faithfold.core.voices import PI_BRANCH, PI_COMPACTED
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.transcript import Parsed, Problem
from faithfold.sessions.tree import Tree

_NOWHERE = " "  # a parent that no entry is
_ENTRY_TYPES = frozenset(("message", "compaction", "branch_summary", "custom_message"))


def recognises(value: Mapping[str, object]) -> bool:
    """Whether an object is a Pi session's header, or an entry of its tree."""
    if value.get("type") == "session":
        return "cwd" in value or "version" in value
    return as_text(value.get("type")) in _ENTRY_TYPES and {"id", "parentId"} <= value.keys()


def read(entries: Sequence[FileEntry], everything: bool) -> Parsed:
    """The messages of the live context; with `everything` all originals on the path, without summaries of them."""
    on_path = _path(entries)
    chosen = on_path if everything else _live(on_path, entries)
    in_tree = any(map(_id, entries))
    problems = [Problem(entry.line, why) for entry in entries if (why := _why_bad(entry, in_tree))]
    messages = [message for entry in chosen for message in _message(as_object(entry.value), everything)]
    models = [model for entry in on_path if (model := _model(as_object(entry.value)))]
    return Parsed(messages, tuple(problems), models[-1] if models else "")


def _path(entries: Sequence[FileEntry]) -> list[FileEntry]:
    """The entries from the root to the newest one; all of them in a file without ids (version 1).

    In a file with ids an entry that lost its own, or its parent's, follows the one before it in the file.
    """
    inner = [entry for entry in entries if as_object(entry.value).get("type") != "session"]
    if not any(map(_id, inner)):
        return inner
    by_id: dict[str, FileEntry] = {}
    parents: dict[str, str] = {}
    for number, entry in enumerate(inner):
        name = _id(entry) or (f"entry {number}" if _is_context(entry) else "")
        if name:
            by_id[name] = entry
            parents[name] = _parent(entry)
    return [by_id[name] for name in Tree.of(parents).path(next(reversed(parents)))]


def _id(entry: FileEntry) -> str:
    """The entry's name in the tree, "" for a header and where it has none."""
    value = as_object(entry.value)
    return as_text(value.get("id")) if value.get("type") != "session" else ""


def _parent(entry: FileEntry) -> str:
    """The parent that an entry names, "" for a root; one that is nowhere in the file where it can't be told."""
    parent = as_object(entry.value).get("parentId", _NOWHERE)
    return as_text(parent) or ("" if _id(entry) else _NOWHERE)


def _is_context(entry: FileEntry) -> bool:
    return as_text(as_object(entry.value).get("type")) in _ENTRY_TYPES


def _live(on_path: Sequence[FileEntry], entries: Sequence[FileEntry]) -> list[FileEntry]:
    """The newest compaction, the entries that it kept, and those after it; all when there was none."""
    places = [index for index, entry in enumerate(on_path) if _is_compaction(entry)]
    if not places:
        return list(on_path)
    compaction = on_path[places[-1]]
    before = on_path[: places[-1]]
    first = _first_kept(as_object(compaction.value), before, entries)
    kept = [entry for entry in before[first:] if not _is_compaction(entry)]
    return [compaction, *kept, *on_path[places[-1] + 1 :]]


def _first_kept(compaction: Mapping[str, object], before: Sequence[FileEntry], entries: Sequence[FileEntry]) -> int:
    """Where in `before` the kept entries begin.

    The compaction names the first one's id, or in version 1 its number in the file, the header included. One that
    names none, or one that is not there, kept nothing.
    """
    name, number = as_text(compaction.get("firstKeptEntryId")), compaction.get("firstKeptEntryIndex")
    first = entries[number] if isinstance(number, int) and 0 <= number < len(entries) else None
    for index, entry in enumerate(before):
        if entry is first or (name and as_object(entry.value).get("id") == name):
            return index
    return len(before)


def _is_compaction(entry: FileEntry) -> bool:
    return as_object(entry.value).get("type") == "compaction"


def _why_bad(entry: FileEntry, in_tree: bool) -> str:
    """What is wrong with an entry, "" when nothing is."""
    value = as_object(entry.value)
    if value.get("type") == "message" and not as_object(value.get("message")):
        return "a message entry without a message"
    return f"a {value['type']} entry without an id" if in_tree and _is_context(entry) and not _id(entry) else ""


def _message(entry: Mapping[str, object], everything: bool) -> Iterator[object]:
    """The message that an entry stands for; most entries (labels, settings) stand for none."""
    summary = as_text(entry.get("summary"))
    match entry.get("type"):
        case "message" if _is_for_the_model(as_object(entry.get("message"))):
            yield entry["message"]
        case "custom_message" if isinstance(entry.get("content"), (str, list)):
            yield {"role": "user", "content": entry["content"]}
        case "branch_summary" if summary:
            yield _summary_message(PI_BRANCH, summary)
        case "compaction" if not everything:
            yield _summary_message(PI_COMPACTED, summary)
        case _:
            return


def _is_for_the_model(message: Mapping[str, object]) -> bool:
    """Whether there is a message, and not of a command that the user ran for his own eyes only (`!!` in Pi)."""
    return bool(message) and not (message.get("role") == "bashExecution" and message.get("excludeFromContext") is True)


def _summary_message(opening: str, summary: str) -> dict[str, object]:
    text = f"{opening}:\n\n<summary>\n{summary}\n</summary>"
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _model(entry: Mapping[str, object]) -> str:
    """The model that an entry names: the one switched to, or the one that wrote the message."""
    if entry.get("type") == "model_change":
        return as_text(entry.get("modelId"))
    return as_text(as_object(entry.get("message")).get("model"))
