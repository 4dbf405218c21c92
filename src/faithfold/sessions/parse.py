"""From bytes to a transcript. Pure: the same bytes give the same transcript, and only InputError is ever raised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from faithfold.core.errors import InputError
from faithfold.sessions import foreign, plain
from faithfold.sessions.lines import FileEntry, read_entries
from faithfold.sessions.sniff import Format, sniff
from faithfold.sessions.transcript import EXPECTED, NoMessagesError, Problem, Transcript

_PACKED = {
    b"\x1f\x8b": "gzip-compressed",
    b"\x28\xb5\x2f\xfd": "zstd-compressed",
    b"\xfd7zXZ\x00": "xz-compressed",
    b"BZh": "bzip2-compressed",
    b"\x04\x22\x4d\x18": "lz4-compressed",
    b"PK\x03\x04": "like a zip archive",
    b"7z\xbc\xaf\x27\x1c": "like a 7-Zip archive",
}
"""How packed files begin, and how they look to whoever knows that."""


def parse(data: bytes, *, dialect: str | None = None, everything: bool = False, pick: int | None = None) -> Transcript:
    """The conversation that `data` holds (spec pages 60 and 90, "Session files").

    dialect     the name of the dialect of a bare list or a body, when it should not be told by its content; it is taken
                as it is (`faithfold.dialects.dialect` says whether there is one)
    everything  for an agent's session: also what stood before a compaction, instead of its summary
    pick        of several conversations the one to take, from 1; without it the longest

    Bad lines become `Transcript.problems`. Raises InputError, with one line that says what was expected, for an empty
    or unknown file, a packed one, another agent's log, and options that do not fit the file; NoMessagesError, which is
    one, where there is nothing bad but no message either.
    """
    try:
        return _parse(data, _Options(dialect, everything, pick))
    except RecursionError:
        raise InputError(f"the file is nested too deeply to be read; expected {EXPECTED}") from None


@dataclass(frozen=True, slots=True)
class _Options:
    dialect: str | None
    everything: bool
    pick: int | None


def _parse(data: bytes, options: _Options) -> Transcript:
    for beginning, looks in _PACKED.items():
        if data.startswith(beginning):
            raise InputError(f"the file looks {looks}; unpack it first")
    entries, problems = read_entries(data)
    if not entries and not problems:
        raise NoMessagesError(f"the file is empty; expected {EXPECTED}")
    if not entries:
        first = f"line {problems[0].line}: {problems[0].why}"
        raise InputError(f"the file holds no JSON object ({first}); expected {EXPECTED}")
    found = sniff(entries)
    transcript = _session(found, entries, options) if found else _plain(entries, options)
    ordered = sorted({*problems, *transcript.problems}, key=lambda problem: (problem.line, problem.why))
    return replace(transcript, problems=tuple(ordered))


def _session(found: Format, entries: Sequence[FileEntry], options: _Options) -> Transcript:
    if options.dialect not in (None, found.dialect):
        raise InputError(f"this is a {found.name}: its dialect is {found.dialect}, not {options.dialect}")
    if options.pick not in (None, 1):
        raise InputError(f"there is no conversation {options.pick}: a {found.name} holds one")
    held = found.read(entries, options.everything)
    if not held.messages:
        raise NoMessagesError(f"this {found.name} holds no messages; expected at least one of the user or the model")
    odd = (Problem(entry.line, "no JSON object") for entry in entries if not isinstance(entry.value, dict))
    problems = (*odd, *held.problems)
    return Transcript(held.messages, found.dialect, None, problems, found.agent, held.model, injected=held.injected)


def _plain(entries: Sequence[FileEntry], options: _Options) -> Transcript:
    values = [entry.value for entry in entries]
    refusal = foreign.refusal(values)
    if refusal:
        raise InputError(refusal)
    transcript = None if all(map(foreign.is_answer, values)) else plain.read(entries, options.dialect, options.pick)
    if transcript is None and any(map(foreign.holds_answer, values)):
        raise InputError(f"this holds a model's answers without the requests; expected {EXPECTED}")
    if transcript is None:
        raise _without_messages(values)
    return transcript


def _without_messages(values: Sequence[object]) -> NoMessagesError:
    """Why there are no messages: it is a list or a body without any, a body with a text in their place, or neither."""
    held = [each for value in values for each in (value, *plain.in_place_of_messages(value))]
    if any(isinstance(each, str) for each in held):
        return NoMessagesError("its input is a plain text, no messages: there is nothing to compact")
    if [] in held:
        return NoMessagesError("this holds no messages; expected at least one of the user or the model")
    return NoMessagesError(f"this is no format that faithfold knows; expected {EXPECTED}")
