"""Files of other agents and tools, known well enough to be refused by name.

A refusal that says what the file is saves the user the search; reading such a file half would lose data silently.
Each row is a name and a test of one object of the file. A row must be narrow: it must never catch a format that is
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions.shapes import is_message
from faithfold.sessions.transcript import EXPECTED

_Test = Callable[[Mapping[str, object]], bool]
_DROID_TYPES = ("session_start", "todo_state")
_LANGCHAIN_TYPES = ("human", "ai", "system", "tool", "function", "chat", "generic")
_BODY_KEYS = ("body", "request")


def refusal(values: Sequence[object]) -> str:
    """Why a file is refused, as one line; "" when it is none of the known foreign formats."""
    objects = list(_objects(values))
    for name, test in _FOREIGN:
        if any(map(test, objects)):
            return f"this is {name}; faithfold reads {EXPECTED}"
    return ""


def _objects(values: Sequence[object]) -> Iterator[Mapping[str, object]]:
    """The objects of a file: its lines, and the elements of a line that is a list."""
    for value in values:
        yield as_object(value)
        yield from map(as_object, as_list(value))


def _first(value: object) -> Mapping[str, object]:
    """The first object of a list, or of a list in a list."""
    while items := as_list(value):
        value = items[0]
    return as_object(value)


def _is_gemini_content(value: Mapping[str, object]) -> bool:
    return "role" in value and isinstance(value.get("parts"), list)


def _is_gemini_request(value: Mapping[str, object]) -> bool:
    inner = (as_object(value.get(key)) for key in _BODY_KEYS)
    return any(isinstance(each.get("contents"), list) for each in (value, *inner)) or _is_gemini_content(value)


def _is_qwen(value: Mapping[str, object]) -> bool:
    return "parentUuid" in value and "parts" in as_object(value.get("message"))


def _is_gemini_session(value: Mapping[str, object]) -> bool:
    return "projectHash" in value and "sessionId" in value


def _is_langchain_message(value: Mapping[str, object]) -> bool:
    is_dump = "lc" in value and value.get("type") in ("constructor", "not_implemented")
    return is_dump or (value.get("type") in _LANGCHAIN_TYPES and "content" in as_object(value.get("data")))


def _is_langchain(value: Mapping[str, object]) -> bool:
    return _is_langchain_message(value) or _is_langchain_message(_first(value.get("messages")))


def _is_langsmith(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("generations"), list) or {"run_type", "inputs"} <= value.keys()


def _is_openhands_event(value: Mapping[str, object]) -> bool:
    is_first = "source" in value and ("action" in value or "observation" in value)
    return is_first or ("source" in value and as_text(value.get("kind")).endswith("Event"))


def _is_openhands(value: Mapping[str, object]) -> bool:
    return _is_openhands_event(value) or _is_openhands_event(_first(value.get("history")))


def _is_droid(value: Mapping[str, object]) -> bool:
    return value.get("type") in _DROID_TYPES


def _is_inspect(value: Mapping[str, object]) -> bool:
    return "task" in as_object(value.get("eval")) and ("samples" in value or "plan" in value)


def _is_tau2(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("simulations"), list) and "tasks" in value


def _is_bare_trajectory(value: Mapping[str, object]) -> bool:
    has_history = any(is_message(item) for key in ("history", "messages") for item in as_list(value.get(key)))
    return isinstance(value.get("trajectory"), list) and not has_history


def _is_goose(value: Mapping[str, object]) -> bool:
    kinds = {as_text(as_object(block).get("type")) for block in as_list(value.get("content"))}
    return "created" in value and not kinds.isdisjoint(("toolRequest", "toolResponse"))


def _is_opencode(value: Mapping[str, object]) -> bool:
    return "parts" in value and "role" in as_object(value.get("info"))


def _is_opencode_export(value: Mapping[str, object]) -> bool:
    return _is_opencode(value) or _is_opencode(_first(value.get("messages")))


def _is_cline_screen(value: Mapping[str, object]) -> bool:
    return "ts" in value and value.get("type") in ("say", "ask")


def _is_chatgpt(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("mapping"), dict) and "current_node" in value


def _is_claude_ai(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("chat_messages"), list)


def _is_sharegpt(value: Mapping[str, object]) -> bool:
    return {"from", "value"} <= _first(value.get("conversations")).keys()


_FOREIGN: tuple[tuple[str, _Test], ...] = (
    ("a Gemini CLI session", _is_gemini_session),
    ("a Qwen Code session", _is_qwen),
    ("a Gemini API request or content list", _is_gemini_request),
    ("a LangChain dump", _is_langchain),
    ("a LangSmith run", _is_langsmith),
    ("an OpenHands event log", _is_openhands),
    ("a Factory Droid session", _is_droid),
    ("an Inspect evaluation log", _is_inspect),
    ("a tau2-bench result file", _is_tau2),
    ("a SWE-agent trajectory without a history", _is_bare_trajectory),
    ("a Goose session", _is_goose),
    ("an OpenCode session", _is_opencode_export),
    ("a Cline screen log (its api_conversation_history.json can be read)", _is_cline_screen),
    ("a ChatGPT export", _is_chatgpt),
    ("a claude.ai export", _is_claude_ai),
    ("a ShareGPT data set", _is_sharegpt),
)


def is_answer(value: object) -> bool:
    """Whether a value is a model's answer as the API gives it: it has no request to read messages from."""
    fields = as_object(value)
    is_message_answer = fields.get("type") == "message" and {"stop_reason", "usage"} <= fields.keys()
    return fields.get("object") in ("response", "chat.completion", "chat.completion.chunk") or is_message_answer


def holds_answer(value: object) -> bool:
    """Whether a value is a model's answer, or a log's line around one."""
    return is_answer(value) or is_answer(as_object(value).get("response"))
