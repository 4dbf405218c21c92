"""OpenAI Responses, continued: what the provider refuses."""

from __future__ import annotations

import pytest

from tests.pieces import codes, fc, fo, item, patch, patched, rs, says, user

NAME = "openai-responses"

ASKED, ALLOWED = item("mcp_approval_request", id="h"), item("mcp_approval_response", approval_request_id="h")
SHELL, SHELLED = item("local_shell_call", call_id="c", action={}), item("local_shell_call_output", call_id="c")
REFERENCE = item("item_reference", id="fc_1")
Case = tuple[str, list[object], list[object], list[str]]
CASES: list[Case] = [
    # name, legal, faulty, codes
    ("reasoning last", [rs(1), says("x")], [says("x"), rs(1)], ["lone-reasoning"]),
    ("reasoning before the user", [rs(1), says("x"), user("y")], [rs(1), user("y")], ["lone-reasoning"]),
    ("reasoning before a result", [fc(1), rs(2), fc(2), fo(1), fo(2)], [fc(1), rs(2), fo(1)], ["lone-reasoning"]),
    (
        "another family's result",
        [patch(1), patched(1)],
        [patch(1), fo(1)],
        ["unanswered-call", "orphan-result"],
    ),
    ("a shell call", [SHELL, SHELLED], [SHELL, user("x")], ["unanswered-call"]),
    ("a late result", [fc(1), fo(1), says("x")], [fo(1), fc(1)], ["orphan-result", "unanswered-call"]),
    ("an approval", [ASKED, ALLOWED], [user("x"), ALLOWED], ["orphan-result"]),
    ("a result after a reference", [REFERENCE, fo(1)], [fo(1), REFERENCE], ["orphan-result"]),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_fault_and_its_legal_twin(case: Case) -> None:
    _, legal, faulty, found = case
    assert codes(NAME, legal) == []
    assert codes(NAME, faulty) == found


def test_an_approval_that_nobody_gave_yet_is_legal() -> None:
    assert codes(NAME, [user("x"), ASKED]) == []
