"""Where policy `cliff` differs from its oracle on purpose: the closed list, part one, compaction.

Each test shows what the oracle does, what we do, and says why. What is in neither part is a fault of ours. Part two,
prices and digests, is test_differences_of_values.py.
"""

from __future__ import annotations

import json
from typing import cast

import pytest

from faithfold.compaction import faults
from faithfold.core.errors import SettingsError
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.strategies.options import CompactSettings
from tests.parity import oracle
from tests.pieces import (
    Wire,
    calls,
    custom,
    fc,
    fo,
    folded,
    hosted,
    hosted_res,
    item,
    model,
    patch,
    patched,
    res,
    rs,
    says,
    text,
    think,
    use,
    user,
)


def sent(outcome: oracle.Outcome | None) -> list[object]:
    assert outcome is not None
    return outcome.messages


def settings(keep_recent: int) -> CompactSettings:
    return CompactSettings(keep_recent=keep_recent)


# ---------------------------------------------------------------- the oracle raises: one odd value ends compaction

RAISES: list[tuple[str, str, object, list[str]]] = [
    ("anthropic", "null text", user(text("a"), text(None)), ["user: a"]),
    ("anthropic", "null text of the model", says(text("a"), text(None)), ["assistant: a"]),
    ("anthropic", "null thinking", says(think(None), text("a")), ["assistant: a"]),
    ("anthropic", "null text in a result", user(res(1, [text("a"), text(None)])), ["result: a"]),
    ("openai", "null text", user(text("a"), text(None)), ["user: a"]),
    ("openai", "a call whose function is a text", {**calls(1), "tool_calls": [{"function": "run"}]}, ["[?] "]),
    (
        "openai-responses",
        "null text in a summary",
        rs(1) | {"summary": [{"text": "a"}, {"text": None}]},
        ["thinking: a"],
    ),
    ("openai-responses", "a type that is a list", user("a") | {"type": ["message"]}, ["user: a"]),
    *((dialect, "no object", "stray", []) for dialect in oracle.DIALECTS),
]


@pytest.mark.parametrize(
    ("dialect", "message", "shown"),
    [(dialect, message, shown) for dialect, _, message, shown in RAISES],
    ids=[f"{dialect}: {name}" for dialect, name, _, _ in RAISES],
)
def test_one_odd_value_costs_at_most_itself(dialect: str, message: object, shown: list[str]) -> None:
    messages = [user("task"), says("first"), message, user("next"), says("last")]
    with pytest.raises((AttributeError, TypeError)):
        oracle.theirs(messages, dialect, settings(1))
    assert folded(dialect, message).parts == shown
    made = oracle.ours(messages, dialect, settings(1))
    assert len(sent(made)) == 3
    assert "assistant: first" in json.dumps(sent(made)[1])


# ------------------------------------------------------------ the oracle loses a value that its summary has room for

HOSTED = hosted("server_tool_use", "web_search", query="q")
FOUND = hosted_res("web_search_tool_result", [{"type": "web_search_result", "title": "T"}])
LOSES: list[tuple[str, str, object, list[str], list[str]]] = [
    ("anthropic", "bare strings", user("a", "b"), [], ["user: a", "user: b"]),
    ("anthropic", "hosted tools", says(HOSTED, FOUND), [], ['[web_search] {"query":"q"}', "result: T"]),
    ("openai", "bare strings", user("a", "b"), [], ["user: a\nb"]),
    ("openai", "a custom tool", model(tool_calls=[custom(1)]), ["[?] "], ["[apply_patch] *** Begin Patch"]),
    ("openai", "a refusal", {"role": "assistant", "refusal": "no"}, [], ["assistant: no"]),
    ("openai", "a refusal block", says({"type": "refusal", "refusal": "no"}), [], ["assistant: no"]),
    ("openai", "thinking blocks", says(item("thinking", thinking="hm")), [], ["thinking: hm"]),
    (
        "openai",
        "a legacy call",
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        [],
        ["[f] {}"],
    ),
    ("openai", "a legacy result", {"role": "function", "name": "f", "content": "done"}, [], ["result: done"]),
    ("openai-responses", "bare strings", user("a", "b"), [], ["user: a\nb"]),
    ("openai-responses", "a custom tool's input", patch(1), ["[apply_patch] "], ["[apply_patch] *** Begin Patch"]),
    (
        "openai-responses",
        "a custom tool's result",
        patched(1, "ok"),
        [],
        ["result: ok"],
    ),
    (
        "openai-responses",
        "a shell's action",
        item("local_shell_call", action={"command": "ls"}),
        ["[local_shell_call] "],
        ['[local_shell_call] {"command":"ls"}'],
    ),
    ("openai-responses", "a shell's result", item("local_shell_call_output", output="ok"), [], ["result: ok"]),
    (
        "openai-responses",
        "a hosted call's action",
        item("web_search_call", action={"q": 1}),
        ["[web_search_call] "],
        ['[web_search_call] {"q":1}'],
    ),
    (
        "openai-responses",
        "a hosted call's outcome",
        item("mcp_call", name="f", arguments="{}", output="ok"),
        ["[f] {}"],
        ["[f] {}", "result: ok"],
    ),
    ("openai-responses", "an approval", item("mcp_approval_response", approve=True), [], ["result: approved"]),
    (
        "openai-responses",
        "open reasoning",
        item("reasoning", content=[item("reasoning_text", text="hm")]),
        [],
        ["thinking: hm"],
    ),
    ("openai-responses", "a refusal", says(item("refusal", refusal="no")), [], ["assistant: no"]),
]


@pytest.mark.parametrize(
    ("dialect", "message", "lost", "shown"),
    [(dialect, message, lost, shown) for dialect, _, message, lost, shown in LOSES],
    ids=[f"{dialect}: {name}" for dialect, name, _, _, _ in LOSES],
)
def test_what_fits_the_summary_is_shown(dialect: str, message: object, lost: list[str], shown: list[str]) -> None:
    assert oracle.parts(message, dialect) == lost
    assert folded(dialect, message).parts == shown


# ---------------------------------------------------------------- the oracle builds what the provider refuses

COMPACTED = item("compaction", encrypted_content="z")
COMPUTER, SEEN = item("computer_call", call_id="c", action={}), item("computer_call_output", call_id="c", output={})
ILLEGAL = [
    (
        "openai-responses",
        "a late result loses its call",
        [user("t"), fc(9), user("a"), says("b"), user("c"), says("d"), fo(9)],
        6,
    ),
    (
        "openai-responses",
        "parallel calls of a kind it doesn't know",
        [user("t"), says("a"), COMPUTER, fc(1), SEEN, fo(1)],
        0,
    ),
    (
        "anthropic",
        "parallel calls over two messages",
        [user("t"), says("a"), user("b"), says(use(1)), says(use(2)), user(res(1), res(2))],
        5,
    ),
]


@pytest.mark.parametrize("case", ILLEGAL, ids=[f"{case[0]}: {case[1]}" for case in ILLEGAL])
def test_what_belongs_together_stays_together(case: tuple[str, str, list[object], int]) -> None:
    dialect, _, messages, length = case
    assert faults(messages, dialect) == []
    broken = faults(sent(oracle.theirs(messages, dialect, settings(1))), dialect)
    assert [fault.code for fault in broken] == ["orphan-result"]
    made = oracle.ours(messages, dialect, settings(1))
    assert length == (0 if made is None else len(made.messages))
    assert made is None or faults(made.messages, dialect) == []


def test_a_thinking_turn_over_two_messages_is_kept_from_its_first_thought() -> None:
    messages: list[object] = [user("t"), says("a"), user("b"), says(think("hm")), says(use(1)), user(res(1))]
    assert sent(oracle.theirs(messages, "anthropic", settings(1)))[2:] == messages[4:]
    assert sent(oracle.ours(messages, "anthropic", settings(1)))[2:] == messages[3:]


@pytest.mark.parametrize(
    ("dialect", "pinned"),
    [
        ("openai-responses", COMPACTED),
        ("openai-responses", item("additional_tools", role="developer", tools=[])),
        ("anthropic", says({"type": "compaction", "content": "so far"})),
    ],
)
def test_what_means_more_than_its_text_is_never_folded(dialect: str, pinned: Wire) -> None:
    messages: list[object] = [user("t"), says("a"), user("b"), pinned, user("c"), says("d"), user("e"), says("f")]
    assert pinned not in sent(oracle.theirs(messages, dialect, settings(1)))
    assert pinned in sent(oracle.ours(messages, dialect, settings(1)))


def test_the_note_holds_no_half_of_a_character() -> None:
    messages: list[object] = [user("t"), says("a \ud83d b"), user("c"), says("d")]
    with pytest.raises(UnicodeEncodeError):
        json.dumps(sent(oracle.theirs(messages, "openai", settings(1))), ensure_ascii=False).encode()
    note = cast("Wire", sent(oracle.ours(messages, "openai", settings(1)))[1])
    assert note["content"] == f"{SUMMARY_HEADER}\n\nassistant: a \ufffd b\n\n---\n\nuser: c"


def test_a_negative_number_of_steps_is_refused() -> None:
    with pytest.raises(SettingsError):
        settings(-1)
