"""Claude Code sessions: JSON lines, one content block a line, made into the messages that the API took.

Lines of one API message share `message.id`: they are put together again. Parallel calls are siblings in the file's
tree, so a path from leaf to root passes only one of them: calls are found by their message's id and results by their
`tool_use_id`, wherever they stand. Invariant: each result follows the message that holds its call, directly and once;
a message is its role and its content, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.claude_branch import SPEAKERS, Line, Lines, branch, read_lines, unreadable
from faithfold.sessions.lines import Entry
from faithfold.sessions.transcript import Problem, Reading

_SESSION_KEYS = ("uuid", "parentUuid", "sessionId", "session_id")
_BY_CLIENT = "<synthetic>"  # notices that the client wrote in the model's name; they never went to the API


def recognises(value: Mapping[str, object]) -> bool:
    """Whether an object is a line of a Claude Code session."""
    kind = value.get("type")
    if kind in SPEAKERS:
        has_content = "content" in as_object(value.get("message"))
        return has_content and any(key in value for key in _SESSION_KEYS)
    return (kind == "summary" and "leafUuid" in value) or (kind == "system" and "parentUuid" in value)


def read(entries: Sequence[Entry], everything: bool) -> Reading:
    """The messages of the live conversation; with `everything` also those before a compaction, without its summary."""
    lines = read_lines(entries)
    chain = [line for line in branch(lines, everything) if line.is_readable and not _is_by_client(line)]
    problems = [Problem(line.number, f"a {line.kind} line without content") for line in unreadable(entries)]
    siblings = _siblings(lines)
    calls = {call for line in chain for mate in _mates(line, siblings) for call in _calls(_blocks(mate))}
    problems += [Problem(line.number, "a tool result without its call") for line in chain if _orphans(line, calls)]
    messages = list(_messages(chain, siblings, _answers(chain, lines.values())))
    models = [as_text(line.message.get("model")) for line in chain if line.kind == "assistant"]
    return Reading(messages, tuple(sorted(problems, key=lambda each: each.line)), _last(models))


def _is_by_client(line: Line) -> bool:
    return line.kind == "assistant" and line.message.get("model") == _BY_CLIENT


def _siblings(lines: Lines) -> dict[str, list[Line]]:
    """The lines of each API message, by its id."""
    out: dict[str, list[Line]] = {}
    for line in lines.values():
        name = as_text(line.message.get("id"))
        if name and line.kind == "assistant" and line.is_readable and not _is_by_client(line):
            out.setdefault(name, []).append(line)
    return out


def _mates(line: Line, siblings: Mapping[str, list[Line]]) -> list[Line]:
    """The lines of the same API message, itself included; none when the line is not the model's."""
    if line.kind != "assistant":
        return []
    return siblings.get(as_text(line.message.get("id")), [line])


def _blocks(line: Line) -> Sequence[object]:
    """The content of a line as blocks. A bare text counts as a text block, and what is no block at all is left out."""
    content = line.message.get("content")
    items = [content] if isinstance(content, str) else as_list(content)
    return [_text_block(item) if isinstance(item, str) else item for item in items if item and _is_block(item)]


def _text_block(text: str) -> object:
    return {"type": "text", "text": text}


def _is_block(item: object) -> bool:
    return isinstance(item, (str, dict))


def _calls(blocks: Iterable[object]) -> Iterator[str]:
    for block in map(as_object, blocks):
        if block.get("type") == "tool_use" and as_text(block.get("id")):
            yield as_text(block.get("id"))


def _result_of(block: object) -> str | None:
    """The id of the call that a tool result answers ("" when it names none), None for any other block."""
    fields = as_object(block)
    return as_text(fields.get("tool_use_id")) if fields.get("type") == "tool_result" else None


def _orphans(line: Line, calls: set[str]) -> bool:
    results = (_result_of(block) for block in _blocks(line))
    return line.kind == "user" and any(result is not None and result not in calls for result in results)


def _answers(chain: Sequence[Line], lines: Iterable[Line]) -> dict[str, tuple[Line, object]]:
    """The result of each call, and the line that holds it; one on the live branch goes before any other."""
    out: dict[str, tuple[Line, object]] = {}
    for line in (*chain, *lines):
        for block in _blocks(line) if line.kind == "user" else ():
            call = _result_of(block)
            if call:
                out.setdefault(call, (line, block))
    return out


def _messages(
    chain: Sequence[Line], siblings: Mapping[str, list[Line]], answers: Mapping[str, tuple[Line, object]]
) -> Iterator[object]:
    done: set[str] = set()
    for line in chain:
        if line.key in done:
            continue
        if line.kind == "assistant":
            mates = _mates(line, siblings)
            answer, used = _answer(mates, answers, done)
            done.update(mate.key for mate in (*mates, *used))
            yield from _message("assistant", _joined(mates))
            yield from _message("user", answer)
        else:
            yield from _message("user", _said(line))


def _message(role: str, content: object) -> Iterator[object]:
    if content:
        yield {"role": role, "content": content}


def _joined(mates: Sequence[Line]) -> object:
    """The content of one API message from all of its lines, in file order; a block that came twice counts once."""
    if len(mates) == 1 and isinstance(mates[0].message.get("content"), str):
        return mates[0].message.get("content")
    out: list[object] = []
    for mate in mates:
        out.extend([block for block in _blocks(mate) if block not in out])
    return out


def _answer(
    mates: Sequence[Line], answers: Mapping[str, tuple[Line, object]], done: set[str]
) -> tuple[list[object], list[Line]]:
    """The answer to a message's calls as one user content, and the lines that are used up with it.

    First the results in the order of the calls, then what else their lines said.
    """
    calls = dict.fromkeys(call for mate in mates for call in _calls(_blocks(mate)))
    found = [answers[call] for call in calls if call in answers]
    used = {line.key: line for line, _ in found}
    said = [block for line in used.values() if line.key not in done for block in _other_blocks(line)]
    return [*(result for _, result in found), *said], list(used.values())


def _other_blocks(line: Line) -> list[object]:
    return [block for block in _blocks(line) if _result_of(block) is None]


def _said(line: Line) -> object:
    """What a line adds as a user message of its own. A result is never part of it: it stands with its call."""
    if line.kind == "attachment":
        return _queued(line)
    if line.kind != "user":
        return None
    content = line.message.get("content")
    return content if isinstance(content, str) else _other_blocks(line)


def _queued(line: Line) -> object:
    """What the user typed while the agent was at work: it reached the model, and only an attachment line has it."""
    attachment = as_object(line.entry.get("attachment"))
    prompt = attachment.get("prompt") if attachment.get("type") == "queued_command" else None
    return as_text(prompt) or as_list(prompt)


def _last(names: Sequence[str]) -> str:
    return next((name for name in reversed(names) if name), "")
