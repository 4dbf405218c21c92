"""Faults: each check that more than one dialect has, with its legal twin, and which faults a projection adds."""

from __future__ import annotations

import pytest

from faithfold.compaction import faults
from faithfold.core.faults import Fault, added
from tests.pieces import BUILT_IN, Wire, calls, codes, fc, fo, pi_step, res, says, session, text, tool, use, user

PI_CALL, PI_RESULT = pi_step(1, "done")
Case = tuple[str, str, list[object], list[object], str]
CASES: list[Case] = [
    # dialect, name, legal, faulty, code
    ("anthropic", "no messages", [user("x")], [], "no-messages"),
    ("anthropic", "no object", [user("x")], [user("x"), "stray"], "no-object"),
    ("anthropic", "unknown role", [user("x")], [user("x"), {"role": "tool", "content": "x"}], "unknown-role"),
    ("anthropic", "first role", [user("x"), says("y")], [says("y"), user("x")], "first-role"),
    ("anthropic", "instructions only", [user("x")], [{"role": "system", "content": "x"}], "only-instructions"),
    ("anthropic", "no result", [user("x"), says(use(1)), user(res(1))], [user("x"), says(use(1))], "unanswered-call"),
    ("anthropic", "no call", [user("x"), says(use(1)), user(res(1))], [user(res(1))], "orphan-result"),
    (
        "anthropic",
        "two results",
        [user("x"), says(use(1)), user(res(1))],
        [user("x"), says(use(1)), user(res(1), res(1))],
        "duplicate-result",
    ),
    (
        "anthropic",
        "an id used again",
        [user("x"), says(use(1)), user(res(1)), says(use(2)), user(res(2))],
        [user("x"), says(use(1)), user(res(1)), says(use(1)), user(res(1))],
        "duplicate-call",
    ),
    (
        "anthropic",
        "one id for two calls",
        [user("x"), says(use(1), use(2)), user(res(1), res(2))],
        [user("x"), says(use(1), use(1)), user(res(1), res(1))],
        "duplicate-call",
    ),
    ("anthropic", "a blank last answer", [user("x"), says("y")], [user("x"), says(text(" "))], "blank-text"),
    ("anthropic", "a text block without text", [user("x")], [user({"type": "text"})], "broken-content"),
    ("anthropic", "content that is none", [user("x")], [{"role": "user", "content": 7}], "broken-content"),
    ("anthropic", "a block that is none", [user(text("x"))], [user(text("x"), 7)], "broken-content"),
    ("openai", "no messages", [user("x")], [], "no-messages"),
    ("openai", "a user without words", [user("x")], [{"role": "user", "content": None}], "empty-content"),
    (
        "openai",
        "one id for two calls",
        [calls(1, 2), tool(1), tool(2)],
        [calls(1, 1), tool(1), tool(1)],
        "duplicate-call",
    ),
    (
        "openai",
        "an id used again",
        [calls(1), tool(1), calls(1), tool(1)],
        [calls(1, 1), tool(1), tool(1)],
        "duplicate-call",
    ),
    ("openai-responses", "unknown role", [user("x")], [user("x"), {"role": "bot", "content": "x"}], "unknown-role"),
    ("openai", "no object", [user("x")], [user("x"), None], "no-object"),
    ("openai", "unknown role", [user("x")], [user("x"), {"role": "exit", "content": "x"}], "unknown-role"),
    ("openai", "instructions only", [says("y")], [{"role": "system", "content": "x"}], "only-instructions"),
    ("openai", "no result", [user("x"), calls(1), tool(1)], [user("x"), calls(1)], "unanswered-call"),
    ("openai", "no call", [user("x"), calls(1), tool(1)], [user("x"), tool(1)], "orphan-result"),
    ("openai", "two results", [user("x"), calls(1), tool(1)], [calls(1), tool(1), tool(1)], "duplicate-result"),
    ("openai-responses", "no items", [user("x")], [], "no-messages"),
    ("openai-responses", "no object", [user("x")], [user("x"), 7], "no-object"),
    (
        "openai-responses",
        "instructions only",
        [fc(1), fo(1)],
        [{"role": "developer", "content": "x"}],
        "only-instructions",
    ),
    ("openai-responses", "no result", [fc(1), user("x"), fo(1)], [fc(1), user("x")], "unanswered-call"),
    ("openai-responses", "no call", [fc(1), fo(1)], [fo(1), fc(2), fo(2)], "orphan-result"),
    ("openai-responses", "two results", [fc(1), fo(1)], [fc(1), fo(1), fo(1)], "duplicate-result"),
    ("pi", "no messages", [user("x")], [], "no-messages"),
    ("pi", "no object", [user("x")], [user("x"), []], "no-object"),
    ("pi", "unknown role", [user("x")], [user("x"), {"role": "system", "content": "x"}], "unknown-role"),
    ("pi", "first role", [user("x"), says("y")], [says("y"), user("x")], "first-role"),
    ("pi", "no result", [user("x"), PI_CALL, PI_RESULT], [user("x"), PI_CALL], "unanswered-call"),
    ("pi", "no call", [user("x"), PI_CALL, PI_RESULT], [user("x"), PI_RESULT], "orphan-result"),
    (
        "pi",
        "two results",
        [user("x"), PI_CALL, PI_RESULT],
        [user("x"), PI_CALL, PI_RESULT, PI_RESULT],
        "duplicate-result",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_a_fault_and_its_legal_twin(case: Case) -> None:
    dialect, _, legal, faulty, code = case
    assert codes(dialect, legal) == []
    assert codes(dialect, faulty) == [code]


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_an_ordinary_session_has_none(dialect: str) -> None:
    assert faults(session(dialect, 4), dialect) == []
    assert faults([*session(dialect, 4), says(text("the end"))], dialect) == []


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_faults_are_one_line_for_people(dialect: str) -> None:
    messages: list[Wire] = [{"role": "nobody"}, *session(dialect, 1)[1:2]]
    for fault in faults(["stray", *messages], dialect):
        assert str(fault.index) in fault.message or fault.code == "first-role"
        assert "\n" not in fault.message


def test_a_call_is_named() -> None:
    assert faults([user("x"), calls(1)], "openai") == [
        Fault("unanswered-call", 1, "tool call 'call_1' of message 1 has no result", "call_1")
    ]


# What a projection adds

OLD = Fault("empty-content", 2, "message 2 is empty")
CALL = Fault("orphan-result", 5, "tool result 'a' of message 5 has no call", "a")


@pytest.mark.parametrize(
    ("before", "after", "original", "new"),
    [
        ([], [OLD], [0, "cliff", 9], [OLD]),
        ([OLD], [OLD], [0, 1, 2], []),
        ([OLD], [], [0, 1, 2], []),
        ([OLD], [Fault("empty-content", 1, "message 1 is empty")], [0, 2], []),
        ([OLD], [Fault("empty-content", 1, "message 1 is empty")], [0, "cliff"], [1]),
        ([OLD], [Fault("blank-text", 1, "message 1 has a blank text")], [0, 2], [1]),
        ([CALL], [Fault("orphan-result", 1, "moved", "a")], [0, 8], []),
        ([CALL], [Fault("orphan-result", 1, "another", "b")], [0, 5], [1]),
        ([CALL], [Fault("orphan-result", 0, "one", "a"), Fault("orphan-result", 1, "more", "a")], [0, 5], [1]),
        ([], [Fault("no-messages", 0, "there are no messages")], [], [0]),
    ],
)
def test_only_what_the_original_has_not_is_added(
    before: list[Fault], after: list[Fault], original: list[int | str], new: list[object]
) -> None:
    found = added(before, range(9), after, original)
    assert [fault if fault in new else fault.index for fault in found] == new
