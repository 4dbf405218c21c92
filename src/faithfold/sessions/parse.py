"""From bytes to a transcript. Pure: the same bytes give the same transcript, and only InputError is ever raised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from faithfold.core.errors import InputError
from faithfold.sessions import foreign, plain
from faithfold.sessions.lines import Entry, read_entries
from faithfold.sessions.sniff import Format, sniff
from faithfold.sessions.transcript import DIALECTS, EXPECTED, Problem, Transcript


def parse(data: bytes, *, dialect: str | None = None, everything: bool = False, pick: int | None = None) -> Transcript:
    """The conversation that `data` holds (spec pages 60 and 90, "Session files").

    dialect     one of DIALECTS: the dialect of a bare list or a body, when it should not be told by its content
    everything  for an agent's session: also what stood before a compaction, instead of its summary
    pick        of several conversations the one to take, from 1; without it the longest

    Bad lines become `Transcript.problems`. Raises InputError, with one line that says what was expected, for an empty
    or unknown file, another agent's log, a session without messages, and options that do not fit the file.
    """
    if dialect is not None and dialect not in DIALECTS:
        raise InputError(f"there is no dialect {dialect!r}; it is one of {', '.join(DIALECTS)}")
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
    entries, problems = read_entries(data)
    if not entries:
        what = f"holds no JSON object (line {problems[0].line}: {problems[0].why})" if problems else "is empty"
        raise InputError(f"the file {what}; expected {EXPECTED}")
    found = sniff(entries)
    transcript = _session(found, entries, options) if found else _plain(entries, options)
    ordered = sorted({*problems, *transcript.problems}, key=lambda problem: (problem.line, problem.why))
    return replace(transcript, problems=tuple(ordered))


def _session(found: Format, entries: Sequence[Entry], options: _Options) -> Transcript:
    if options.dialect not in (None, found.dialect):
        raise InputError(f"this is a {found.name}: its dialect is {found.dialect}, not {options.dialect}")
    if options.pick not in (None, 1):
        raise InputError(f"there is no conversation {options.pick}: a {found.name} holds one")
    reading = found.read(entries, options.everything)
    if not reading.messages:
        raise InputError(f"this {found.name} holds no messages; expected at least one of the user or the model")
    odd = (Problem(entry.line, "no JSON object") for entry in entries if not isinstance(entry.value, dict))
    return Transcript(reading.messages, found.dialect, None, (*odd, *reading.problems), found.agent, reading.model)


def _plain(entries: Sequence[Entry], options: _Options) -> Transcript:
    values = [entry.value for entry in entries]
    refusal = foreign.refusal(values)
    if refusal:
        raise InputError(refusal)
    transcript = None if all(map(foreign.is_answer, values)) else plain.read(entries, options.dialect, options.pick)
    if transcript is None and any(map(foreign.holds_answer, values)):
        raise InputError(f"this holds a model's answers without the requests; expected {EXPECTED}")
    if transcript is None:
        raise InputError(f"this is no format that faithfold knows; expected {EXPECTED}")
    return transcript
