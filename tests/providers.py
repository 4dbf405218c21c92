"""What the providers accept, written down a second time, from their rules and without a look at our readers.

`problems` names each breach as (code, call id or index of the message). The laws hold every projection against it, so
a mistake in the dialects' own checks is not a mistake here too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from faithfold.core.values import as_list, as_object, is_object

_T = TypeVar("_T")
Problem = tuple[str, str | int]
Fields = Mapping[str, object]


def problems(dialect: str, messages: Sequence[object]) -> list[Problem]:
    """All that this provider would refuse."""
    if not messages:
        return [("nothing", 0)]
    found: list[Problem] = [("no object", i) for i, message in enumerate(messages) if not is_object(message)]
    return found + list(_RULES[dialect](messages))


def _field(message: object, name: str) -> object:
    return as_object(message).get(name)


def _blocks(message: object) -> list[Fields]:
    """The content as blocks; a text is one text block."""
    content = _field(message, "content")
    listed = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
    return [{"type": "text", "text": block} if isinstance(block, str) else as_object(block) for block in listed]


def _first_speaker(messages: Sequence[object], instructions: Sequence[str]) -> int | None:
    return next((i for i, message in enumerate(messages) if _field(message, "role") not in instructions), None)


def _take(waiting: Counter[_T], key: _T) -> bool:
    """Whether a call waits under `key`; it does so no longer."""
    waits = waiting[key] > 0
    waiting[key] -= waits
    return waits


# ---------------------------------------------------------------- Anthropic


def _anthropic(messages: Sequence[object]) -> Iterator[Problem]:
    for index, message in enumerate(messages):
        role = _field(message, "role")
        if is_object(message) and role not in ("user", "assistant", "system"):
            yield "role", index
        if role == "user" or (role == "assistant" and index < len(messages) - 1):
            yield from _anthropic_content(index, message)
        if role == "system" and index + 1 < len(messages) and _field(messages[index + 1], "role") == "user":
            yield "system", index
    first = _first_speaker(messages, ("system",))
    if first is None:
        yield "system only", 0
    elif _field(messages[first], "role") != "user" and "compaction" not in _kinds(messages[first]):
        yield "first", first
    yield from _anthropic_turns(_turns(messages))
    yield from _only_results_for_code(messages)
    yield from _hosted(messages)


def _anthropic_content(index: int, message: object) -> Iterator[Problem]:
    blocks = _blocks(message)
    if not blocks:
        yield "content", index
    if any(map(_blank, blocks)):
        yield "blank", index


def _blank(block: Fields) -> bool:
    text = block.get("text")
    return block.get("type") == "text" and isinstance(text, str) and not text.strip()


def _kinds(message: object) -> set[object]:
    return {kind for block in _blocks(message) if isinstance(kind := block.get("type"), str)}


def _turns(messages: Sequence[object]) -> list[tuple[object, list[Fields]]]:
    """Roles and blocks, neighbours of a role put together as the API does it."""
    turns: list[tuple[object, list[Fields]]] = []
    for message in messages:
        role = _field(message, "role")
        if role == "system":
            continue
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(_blocks(message))
        else:
            turns.append((role, list(_blocks(message))))
    return turns


def _anthropic_turns(turns: Sequence[tuple[object, list[Fields]]]) -> Iterator[Problem]:
    """Each turn of the model with client calls is followed by a turn of the user that begins with their results."""
    nothing: tuple[object, list[Fields]] = ("", [])
    for (_, before), (role, blocks), (_, after) in zip([nothing, *turns], turns, [*turns[1:], nothing], strict=False):
        asked = Counter(str(block.get("id", "")) for block in blocks if block.get("type") == "tool_use")
        if role == "assistant":
            yield from (("unanswered", i) for i in (asked - Counter(_leading_results(after))).elements())
        answers = Counter(str(b.get("tool_use_id", "")) for b in blocks if b.get("type") == "tool_result")
        calls = Counter(str(block.get("id", "")) for block in before if block.get("type") == "tool_use")
        yield from (("unasked", i) for i in (answers - calls).elements())


def _only_results_for_code(messages: Sequence[object]) -> Iterator[Problem]:
    """While code runs at the provider and waits for tools, the user sends their results and nothing else."""
    running: set[object] = set()
    for index, message in enumerate(messages):
        blocks = _blocks(message)
        if running and _field(message, "role") == "user" and any(b.get("type") != "tool_result" for b in blocks):
            yield "words to running code", index
        running |= {str(b.get("id")) for b in blocks if b.get("name") == "code_execution"}
        running -= {str(b.get("tool_use_id")) for b in blocks if b.get("type") == "code_execution_tool_result"}


def _leading_results(blocks: Sequence[Fields]) -> Iterator[str]:
    for block in blocks:
        if block.get("type") != "tool_result":
            return
        yield str(block.get("tool_use_id", ""))


def _hosted(messages: Sequence[object]) -> Iterator[Problem]:
    """The provider's own tools: result after call, and each call with one, but for those of an unfinished turn."""
    waiting: list[str] = []
    for message in messages:
        for block in _blocks(message):
            kind = str(block.get("type", ""))
            if kind in ("server_tool_use", "mcp_tool_use"):
                waiting.append(str(block.get("id", "")))
            elif kind.endswith("_tool_result"):
                identity = str(block.get("tool_use_id", ""))
                if identity not in waiting:
                    yield "unasked", identity
                else:
                    waiting.remove(identity)
    last = {str(block.get("id", "")) for block in _turns(messages)[-1][1]} if _turns(messages) else set[str]()
    yield from (("unfinished", identity) for identity in waiting if identity not in last)


# ---------------------------------------------------------------- Chat Completions


def _chat(messages: Sequence[object]) -> Iterator[Problem]:
    waiting: Counter[str] = Counter()
    for index, message in enumerate(messages):
        role = _field(message, "role")
        if is_object(message) and role not in ("system", "developer", "user", "assistant", "tool", "function"):
            yield "role", index
        if role in ("tool", "function"):
            identity = str(_field(message, "tool_call_id" if role == "tool" else "name") or "")
            if not _take(waiting, f"{role} {identity}"):
                yield "unasked", identity
            continue
        yield from (("unanswered", key.partition(" ")[2]) for key in (+waiting).elements())
        waiting = Counter(_chat_calls(message) if role == "assistant" else ())
        if role == "assistant" and not waiting and not _says(message):
            yield "content", index
    yield from (("unanswered", key.partition(" ")[2]) for key in (+waiting).elements())
    if _first_speaker(messages, ("system", "developer")) is None:
        yield "system only", 0


def _chat_calls(message: object) -> Iterator[str]:
    for call in as_list(_field(message, "tool_calls")):
        if is_object(call):
            yield f"tool {call.get('id', '')}"
    if name := as_object(_field(message, "function_call")).get("name"):
        yield f"function {name}"


def _says(message: object) -> bool:
    return any(_field(message, name) for name in ("content", "refusal", "audio"))


# ---------------------------------------------------------------- Responses

_ANSWERS = {
    "function_call_output": "function_call",
    "custom_tool_call_output": "custom_tool_call",
    "local_shell_call_output": "local_shell_call",
    "shell_call_output": "shell_call",
    "apply_patch_call_output": "apply_patch_call",
    "computer_call_output": "computer_call",
    "tool_search_output": "tool_search_call",
    "program_output": "program",
}
_MODEL_ITEMS = {*_ANSWERS.values(), "reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request"}


def _responses(items: Sequence[object]) -> Iterator[Problem]:
    waiting: Counter[tuple[str, str]] = Counter()
    referred = False
    for index, item in enumerate(items):
        kind = _item_kind(item)
        referred = referred or kind == "item_reference"
        if kind in _ANSWERS.values() or kind == "mcp_approval_request":
            waiting[kind, _item_id(item)] += 1
        elif kind in _ANSWERS or kind == "mcp_approval_response":
            key = _asked_by(item, kind)
            if not _take(waiting, key) and not referred:
                yield "unasked", key[1]
        elif kind == "compaction_trigger" and index + 1 < len(items):
            yield "trigger", index
        if kind == "reasoning" and not (index + 1 < len(items) and _is_models(items[index + 1])):
            yield "lone reasoning", index
    optional = ("program", "mcp_approval_request")
    yield from (("unanswered", identity) for kind, identity in (+waiting).elements() if kind not in optional)
    if all(_field(item, "role") in ("system", "developer") for item in items):
        yield "system only", 0


def _item_kind(item: object) -> str:
    kind = _field(item, "type")
    return kind if isinstance(kind, str) and kind else "message"


def _item_id(item: object) -> str:
    identity = _field(item, "call_id")
    return str(as_object(item).get("id", "") if identity is None else identity)


def _asked_by(item: object, kind: str) -> tuple[str, str]:
    if kind == "mcp_approval_response":
        return "mcp_approval_request", str(_field(item, "approval_request_id"))
    return _ANSWERS[kind], _item_id(item)


def _is_models(item: object) -> bool:
    kind = _item_kind(item)
    return kind in _MODEL_ITEMS or kind.endswith("_call") or (kind == "message" and _field(item, "role") == "assistant")


# ---------------------------------------------------------------- Pi

_PI_ROLES = {"user", "bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"}


def _pi(messages: Sequence[object]) -> Iterator[Problem]:
    waiting: Counter[str] = Counter()
    for index, message in enumerate(messages):
        role = _field(message, "role")
        if role == "toolResult":
            identity = str(as_object(message).get("toolCallId", ""))
            if not _take(waiting, identity):
                yield "unasked", identity
        elif role == "assistant":
            waiting.update(str(block.get("id", "")) for block in _blocks(message) if block.get("type") == "toolCall")
        elif is_object(message) and (not isinstance(role, str) or role not in _PI_ROLES):
            yield "role", index
    yield from (("unanswered", identity) for identity in (+waiting).elements())
    if _field(messages[0], "role") == "assistant":
        yield "first", 0


_RULES: Mapping[str, Callable[[Sequence[object]], Iterator[Problem]]] = {
    "anthropic": _anthropic,
    "openai": _chat,
    "openai-responses": _responses,
    "pi": _pi,
}
