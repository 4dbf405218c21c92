"""Pi sessions: a header line, then entries in an `id`/`parentId` tree (version 1: a plain list without ids).

The messages are Pi's own message objects, as they stand in the file. What Pi builds itself when it makes a context of
the entries (the summary of a compaction or of a branch, an extension's message) is built here word for word as Pi
builds it. Of several compactions on the path the newest counts; a compaction entry is never a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faithfold.core.values import as_object, as_text
from faithfold.sessions.lines import Entry
from faithfold.sessions.transcript import Problem, Reading
from faithfold.sessions.tree import Tree

_COMPACTION = "The conversation history before this point was compacted into the following summary:"
_BRANCH = "The following is a summary of a branch that this conversation came back from:"
_ENTRY_TYPES = frozenset(("message", "compaction", "branch_summary", "custom_message"))


def recognises(value: Mapping[str, object]) -> bool:
    """Whether an object is a Pi session's header, or an entry of its tree."""
    if value.get("type") == "session":
        return "cwd" in value or "version" in value
    return as_text(value.get("type")) in _ENTRY_TYPES and {"id", "parentId"} <= value.keys()


def read(entries: Sequence[Entry], everything: bool) -> Reading:
    """The messages of the live context; with `everything` all originals on the path, without summaries of them."""
    on_path = _path(entries)
    chosen = on_path if everything else _live(on_path, entries)
    problems = [Problem(entry.line, "a message entry without a message") for entry in entries if _is_broken(entry)]
    messages = [message for entry in chosen for message in _message(as_object(entry.value), everything)]
    models = [model for entry in on_path if (model := _model(as_object(entry.value)))]
    return Reading(messages, tuple(problems), models[-1] if models else "")


def _path(entries: Sequence[Entry]) -> list[Entry]:
    """The entries from the root to the newest one; all of them in a file without ids (version 1)."""
    inner = [entry for entry in entries if as_object(entry.value).get("type") != "session"]
    by_id = {name: entry for entry in inner if (name := as_text(as_object(entry.value).get("id")))}
    if not by_id:
        return inner
    parents = {name: as_text(as_object(entry.value).get("parentId")) for name, entry in by_id.items()}
    return [by_id[name] for name in Tree.of(parents).path(next(reversed(parents)))]


def _live(on_path: Sequence[Entry], entries: Sequence[Entry]) -> list[Entry]:
    """The newest compaction, the entries that it kept, and those after it; all when there was none."""
    places = [index for index, entry in enumerate(on_path) if _is_compaction(entry)]
    if not places:
        return list(on_path)
    compaction = on_path[places[-1]]
    before = on_path[: places[-1]]
    first = _first_kept(as_object(compaction.value), before, entries)
    kept = [entry for entry in before[first:] if not _is_compaction(entry)]
    return [compaction, *kept, *on_path[places[-1] + 1 :]]


def _first_kept(compaction: Mapping[str, object], before: Sequence[Entry], entries: Sequence[Entry]) -> int:
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


def _is_compaction(entry: Entry) -> bool:
    return as_object(entry.value).get("type") == "compaction"


def _is_broken(entry: Entry) -> bool:
    value = as_object(entry.value)
    return value.get("type") == "message" and not as_object(value.get("message"))


def _message(entry: Mapping[str, object], everything: bool) -> Iterator[object]:
    """The message that an entry stands for; most entries (labels, settings) stand for none."""
    summary = as_text(entry.get("summary"))
    match entry.get("type"):
        case "message" if as_object(entry.get("message")):
            yield entry["message"]
        case "custom_message" if isinstance(entry.get("content"), (str, list)):
            yield {"role": "user", "content": entry["content"]}
        case "branch_summary" if summary:
            yield _summary_message(_BRANCH, summary)
        case "compaction" if not everything:
            yield _summary_message(_COMPACTION, summary)
        case _:
            return


def _summary_message(opening: str, summary: str) -> dict[str, object]:
    text = f"{opening}\n\n<summary>\n{summary}\n</summary>"
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _model(entry: Mapping[str, object]) -> str:
    """The model that an entry names: the one switched to, or the one that wrote the message."""
    if entry.get("type") == "model_change":
        return as_text(entry.get("modelId"))
    return as_text(as_object(entry.get("message")).get("model"))
