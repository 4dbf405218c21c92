"""Other agents' files are refused by their name."""

from __future__ import annotations

import json

import pytest

from faithfold.core.errors import InputError
from faithfold.sessions import parse
from tests.session_files import file_of, read

MESSAGE = {"role": "user", "content": "hi"}
DUMPED = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": "hi"}}
EVENT: dict[str, object] = {
    "id": 0,
    "timestamp": "t",
    "source": "user",
    "message": "hi",
    "action": "message",
    "args": {},
}
ANSWER: dict[str, object] = {"id": "r", "object": "response", "output": []}

FOREIGN: list[tuple[str, list[object]]] = [
    ("a Gemini CLI session", [{"sessionId": "s", "projectHash": "h", "messages": [{"id": "1", "type": "user"}]}]),
    (
        "a Qwen Code session",
        [{"uuid": "1", "parentUuid": None, "type": "user", "message": {"role": "user", "parts": []}}],
    ),
    ("a Gemini API request", [[{"role": "user", "parts": [{"text": "hi"}]}]]),
    ("a Gemini API request", [{"contents": [{"role": "user", "parts": []}]}]),
    ("a Gemini API request", [{"path": "/v1beta/x", "body": {"contents": []}}]),
    ("a LangChain dump", [{"messages": [[DUMPED]]}]),
    ("a LangChain dump", [[{"task_id": 1, "messages": [DUMPED]}]]),
    ("a LangChain dump", [[{"type": "human", "data": {"content": "hi"}}]]),
    ("a LangSmith run", [{"generations": [[{"message": DUMPED}]]}]),
    ("a LangSmith run", [{"run_type": "llm", "inputs": {}, "outputs": {}}]),
    ("an OpenHands event log", [[EVENT]]),
    ("an OpenHands event log", [{"instance_id": "i", "history": [EVENT]}]),
    ("an OpenHands event log", [{"id": "1", "source": "agent", "kind": "ActionEvent"}]),
    ("a Factory Droid session", [{"type": "session_start", "id": "1"}, {"type": "message", "message": MESSAGE}]),
    ("a Factory Droid session", [{"type": "message", "message": MESSAGE}, {"type": "todo_state", "todos": {}}]),
    ("an Inspect evaluation log", [{"version": 2, "eval": {"task": "t"}, "samples": [{"messages": [MESSAGE]}]}]),
    ("a tau2-bench result file", [{"simulations": [{"messages": [MESSAGE]}], "tasks": []}]),
    ("a SWE-agent trajectory without a history", [{"trajectory": [{"action": "ls"}], "history": [], "info": {}}]),
    ("a Goose session", [{"role": "user", "created": 1, "content": [{"type": "toolRequest", "id": "1"}]}]),
    ("an OpenCode session", [{"info": {"id": "s"}, "messages": [{"info": {"role": "user"}, "parts": []}]}]),
    ("a Cline screen log", [[{"ts": 1, "type": "say", "say": "text", "text": "hi"}]]),
    ("a ChatGPT export", [[{"title": "t", "mapping": {}, "current_node": "n"}]]),
    ("a claude.ai export", [[{"uuid": "u", "chat_messages": []}]]),
    ("a ShareGPT data set", [[{"id": "1", "conversations": [{"from": "human", "value": "hi"}]}]]),
]


@pytest.mark.parametrize(("name", "lines"), FOREIGN)
def test_it_is_refused_by_name(name: str, lines: list[object]) -> None:
    data = file_of(*lines)
    with pytest.raises(
        InputError, match=f"^this is {name}.*; faithfold reads a Claude Code, Codex or Pi session, a request"
    ):
        parse(data)


ANSWERS: list[list[object]] = [
    [ANSWER],
    [ANSWER, ANSWER],
    [{"fixture": "f", "response": ANSWER}],
    [{"id": "c", "object": "chat.completion", "choices": []}],
    [{"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn", "usage": {}}],
]


@pytest.mark.parametrize("lines", ANSWERS)
def test_answers_without_requests_are_refused(lines: list[object]) -> None:
    with pytest.raises(InputError, match="a model's answers without the requests"):
        read(*lines)


def test_an_answer_in_a_history_is_a_message() -> None:
    answer: dict[str, object] = {
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": "end_turn",
        "usage": {},
    }
    assert parse(json.dumps([MESSAGE, answer]).encode()).messages == [MESSAGE, answer]


@pytest.mark.parametrize(
    "lines",
    [
        [{"trajectory": [], "history": [MESSAGE]}],
        [{**MESSAGE, "created": 1}],
        [[{**MESSAGE, "source": "input"}]],
        [{"messages": [MESSAGE], "eval": {"score": 1}}],
    ],
)
def test_a_file_that_can_be_read_is_not_refused(lines: list[object]) -> None:
    assert len(read(*lines).messages) == 1
