"""Labels: which conversation a request belongs to, by what the client says or by how its history begins."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

from faithfold.dialects import DIALECTS
from faithfold.proxy.headers import Header
from faithfold.proxy.labels import Beginning, beginning, is_probe, is_side_call, label
from tests.pieces import fc, fo, message, says, user

CHAIN = ["c0", "c1", "c2"]
CLAUDE = json.dumps({"device_id": "d", "account_uuid": "", "session_id": "S"})

# What says that a request is of session S.
SAID: list[tuple[str, list[Header], Mapping[str, object]]] = [
    ("Claude Code", [(b"X-Claude-Code-Session-Id", b"S")], {}),
    ("Claude Code, in the body", [], {"metadata": {"user_id": CLAUDE}}),
    ("Claude Code, older", [], {"metadata": {"user_id": "user_1_account_2_session_S"}}),
    ("Codex", [(b"session-id", b"other"), (b"thread-id", b"S")], {"prompt_cache_key": "other"}),
    ("Codex, in the body", [], {"client_metadata": {"thread_id": "S", "session_id": "other"}}),
    ("Codex, over a WebSocket", [], {"client_metadata": {"session_id": "S"}}),
    ("Pi", [(b"session-id", b"S")], {}),
    ("OpenCode", [(b"x-session-id", b"S"), (b"x-session-affinity", b"other")], {}),
    ("OpenCode, other", [(b"x-session-affinity", b"S")], {}),
    ("Copilot", [], {"prompt_cache_key": "S"}),
]
# What says nothing.
SILENT: list[Mapping[str, object]] = [
    {},
    {"metadata": None, "client_metadata": "x", "prompt_cache_key": 5},
    {"metadata": {"user_id": "u1"}},
    {"metadata": {"user_id": "{"}},
    {"metadata": {"user_id": "{}"}},
    {"metadata": {"user_id": '{"session_id": 7}'}},
    {"metadata": {"user_id": '{"a":' * 100_000}},
    {"metadata": {"user_id": ["S"]}, "client_metadata": {"thread_id": {}}},
]


@pytest.mark.parametrize(("headers", "fields"), [row[1:] for row in SAID], ids=[row[0] for row in SAID])
def test_the_client_s_own_label_is_used(headers: list[Header], fields: Mapping[str, object]) -> None:
    assert label(headers, fields, CHAIN) == label([(b"session-id", b"S")], {}, [])
    assert label(headers, fields, CHAIN) == label(headers, fields, ["another", "history"])
    assert label(headers, fields, CHAIN) != label([], {}, CHAIN)


@pytest.mark.parametrize("fields", SILENT, ids=lambda fields: str(fields)[:60])
def test_else_the_history_s_root_is_the_label(fields: Mapping[str, object]) -> None:
    """One that grows keeps its label; a name of the user alone is none of a session."""
    assert label([], fields, CHAIN) == label([], {}, ["c0"])
    assert label([], fields, CHAIN) != label([], {}, ["c1"])
    assert label([], fields, []) == ""


def test_a_history_that_begins_with_instructions_is_known_by_what_follows_them() -> None:
    assert label([], {}, CHAIN, 1) == label([], {}, [*CHAIN[:2], "other"], 1) == label([], {}, ["c1"])
    assert label([], {}, CHAIN, 1) != label([], {}, ["c0", "other"], 1)
    assert label([], {}, CHAIN, 9) == ""


def test_agents_below_one_session_of_claude_code_are_told_apart() -> None:
    session = (b"x-claude-code-session-id", b"S")
    agents = [[session], *([session, (b"x-claude-code-agent-id", agent)] for agent in (b"a", b"b"))]
    assert len({label(headers, {}, CHAIN) for headers in agents}) == 3


@pytest.mark.parametrize("odd", ["../../../../tmp/pwn", "..\\..\\x", "x" * 10_000, "\0", "ѕession", "\ud83d", "a\nb"])
def test_a_label_is_safe_whatever_it_is_made_from(odd: str) -> None:
    """Fault B126."""
    for fields in ({"prompt_cache_key": odd}, {"metadata": {"user_id": json.dumps({"session_id": odd})}}):
        assert re.fullmatch("[0-9a-f]{16}", label([], fields, []))


def test_a_label_is_the_same_in_every_process() -> None:
    assert label([(b"session-id", b"S")], {}, []) == "4d46f9d751fef056"


SYSTEM = {"role": "system", "content": "be kind"}
HISTORIES: list[tuple[str, str, list[object], Beginning]] = [
    ("none", "anthropic", [], Beginning(0, answered=False)),
    ("a first word", "anthropic", [user("go")], Beginning(0, answered=False)),
    ("an answer", "anthropic", [user("go"), says("ok"), user("more")], Beginning(0, answered=True)),
    ("instructions", "openai", [SYSTEM, user("go")], Beginning(1, answered=False)),
    ("instructions and an answer", "openai", [SYSTEM, SYSTEM, user("go"), says("ok")], Beginning(2, answered=True)),
    ("instructions alone", "openai", [SYSTEM], Beginning(0, answered=False)),
    ("instructions, and the model begins", "openai", [SYSTEM, says("hello")], Beginning(1, answered=True)),
    ("the model begins", "openai", [says("hello"), user("go")], Beginning(0, answered=True)),
    ("items", "openai-responses", [message("developer", "x"), message("user", "go")], Beginning(1, answered=False)),
    ("a call", "openai-responses", [message("user", "go"), fc(1), fo(1)], Beginning(0, answered=True)),
    ("no messages", "openai", ["x", None], Beginning(0, answered=False)),
]


@pytest.mark.parametrize(
    ("dialect", "messages", "found"), [row[1:] for row in HISTORIES], ids=[r[0] for r in HISTORIES]
)
def test_how_a_history_begins(dialect: str, messages: list[object], found: Beginning) -> None:
    assert beginning(messages, DIALECTS[dialect].read) == found


def test_a_history_is_looked_at_no_further_than_the_model_s_first_turn() -> None:
    messages = iter([user("go"), says("ok"), user("not looked at")])
    assert beginning(messages, DIALECTS["anthropic"].read).answered
    assert list(messages) == [user("not looked at")]


@pytest.mark.parametrize(
    ("fields", "probe"),
    [
        ({}, False),
        ({"max_tokens": 1}, True),
        ({"max_output_tokens": 1}, True),
        ({"max_completion_tokens": 0}, True),
        ({"max_tokens": 2}, False),
        ({"max_tokens": 1, "max_completion_tokens": 9}, False),
        ({"max_tokens": True}, False),
        ({"max_tokens": "1"}, False),
        ({"max_tokens": None}, False),
    ],
)
def test_a_probe_asks_for_one_token(fields: Mapping[str, object], *, probe: bool) -> None:
    assert is_probe(fields) == probe
    assert is_side_call(fields, answered=True) == probe


def test_a_history_without_a_turn_of_the_model_s_is_told_from_turns() -> None:
    assert is_side_call({}, answered=False)
    assert not is_side_call({}, answered=True)
