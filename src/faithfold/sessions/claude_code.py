"""Claude Code sessions: JSON lines, one content block a line, made into the messages that the API took.

The lines of one API message are put together again. Parallel calls are siblings in the file's tree, so a path from leaf
to root passes only one of them: calls are found by their message and results by their `tool_use_id`, wherever they
stand. Invariant: each result follows the message that holds its call, directly and once; a message is its role and its
content, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from faithfold.core.values import as_object, as_text
from faithfold.sessions.claude_branch import branch, read_lines, tree_of, unreadable
from faithfold.sessions.claude_lines import SPEAKERS, Line, call_of, result_of
from faithfold.sessions.claude_mates import mates
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.transcript import Parsed, Problem

_SESSION_KEYS = ("uuid", "parentUuid", "sessionId", "session_id")
_Mates = Mapping[str, Sequence[Line]]  # by the key of a line of the model, all lines of its message
_Answers = Mapping[str, tuple[Line, object]]  # by the id of a call, its result, and the line that holds it
_Said = tuple[str, object, bool]  # a message: its role, its content, and whether a harness wrote the text in it


def recognises(value: Mapping[str, object]) -> bool:
    """Whether an object is a line of a Claude Code session."""
    kind = value.get("type")
    if kind in SPEAKERS:
        has_content = "content" in as_object(value.get("message"))
        return has_content and any(key in value for key in _SESSION_KEYS)
    return (kind == "summary" and "leafUuid" in value) or (kind == "system" and "parentUuid" in value)


def read(entries: Sequence[FileEntry], everything: bool) -> Parsed:
    """The messages of the live conversation; with `everything` also those before a compaction, without its summary."""
    lines = read_lines(entries)
    tree = tree_of(lines)
    chain = [line for line in branch(lines, tree, everything) if line.is_readable and not line.is_by_client]
    of_message = mates(lines, tree, chain)
    said = [each for each in _said(chain, of_message, _answers(chain, lines.values())) if each[1]]
    messages: list[object] = [{"role": role, "content": content} for role, content, _ in said]
    models = [name for line in chain if line.kind == "assistant" and (name := as_text(line.message.get("model")))]
    return Parsed(
        messages,
        _problems(entries, chain, of_message),
        models[-1] if models else "",
        frozenset(index for index, (_, _, is_injected) in enumerate(said) if is_injected),
    )


def _problems(entries: Sequence[FileEntry], chain: Sequence[Line], of_message: _Mates) -> tuple[Problem, ...]:
    """The message lines without a content, and those of the branch with a result whose call is nowhere on it."""
    found = [Problem(line.number, f"a {line.kind} line without content") for line in unreadable(entries)]
    on_branch = {mate.key: mate for line in chain for mate in of_message.get(line.key, ())[:1]}
    calls = {call for first in on_branch for mate in of_message[first] for call in mate.calls}
    found += [Problem(line.number, "a tool result without its call") for line in chain if _orphans(line, calls)]
    return tuple(sorted(found, key=lambda each: each.line))


def _orphans(line: Line, calls: set[str]) -> bool:
    return line.kind == "user" and any(result_of(block) not in calls for block in line.results)


def _answers(chain: Sequence[Line], lines: Iterable[Line]) -> _Answers:
    """The result of each call; one on the live branch goes before any other."""
    out: dict[str, tuple[Line, object]] = {}
    for line in (*chain, *lines):
        for block in line.results if line.kind == "user" else ():
            call = result_of(block)
            if call:
                out.setdefault(call, (line, block))
    return out


def _said(chain: Sequence[Line], of_message: _Mates, answers: _Answers) -> Iterator[_Said]:
    """What is said on the branch, in order; some of it may be empty."""
    done: set[str] = set()
    asked: set[tuple[str, str]] = set()
    for line in chain:
        if line.key in done:
            continue
        if line.kind == "assistant":
            content, calls = _joined(of_message[line.key], asked)
            found = [answers[call] for call in calls if call in answers]
            used = {each.key: each for each, _ in found}
            yield "assistant", content, False
            yield _answer([result for _, result in found], [each for each in used.values() if each.key not in done])
            done.update(used, (mate.key for mate in of_message[line.key]))
        else:
            yield "user", line.said, line.is_injected


def _joined(lines: Sequence[Line], asked: set[tuple[str, str]]) -> tuple[object, list[str]]:
    """The content of one API message from all of its lines, in file order, and its calls.

    A call that was `asked` before is a replay and counts once; of all else nothing tells a replay from a repetition.
    """
    content, name = lines[0].message.get("content"), as_text(lines[0].message.get("id")) or lines[0].key
    if len(lines) == 1 and isinstance(content, str):
        return content, []
    out: list[object] = []
    calls: list[str] = []
    for block in (block for line in lines for block in line.blocks):
        call = call_of(block)
        if call and (name, call) not in asked:
            asked.add((name, call))
            calls.append(call)
        elif call:
            continue
        out.append(block)
    return out, calls


def _answer(results: Sequence[object], lines: Sequence[Line]) -> _Said:
    """The answer to a message's calls: first the results in the order of the calls, then what else their lines said."""
    others = [line for line in lines if line.said]
    blocks = [block for line in others for block in line.blocks if result_of(block) is None]
    return "user", [*results, *blocks], bool(others) and all(line.is_injected for line in others)
