"""Compaction in one call, as a library user sees it."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import cast

import pytest

from faithfold import SUMMARY_HEADER, CompactSettings, InputError, SettingsError, compact, faults
from faithfold.core.budget import Budget
from faithfold.core.commands import Ask
from faithfold.core.conversation import Conversation
from faithfold.core.projection import Projection
from faithfold.core.sizes import estimate_tokens
from faithfold.core.strategy import Steps
from tests.pieces import STEPS, says, session, user

LONG = session("openai", 6, "word " * 2_000)


@pytest.mark.parametrize("dialect", STEPS)
def test_a_conversation_is_compacted(dialect: str) -> None:
    messages = session(dialect, 6, "some output of the tool " * 40)
    before = deepcopy(messages)
    made = compact(messages, dialect)
    assert made is not None
    assert messages == before
    length = len(messages) - made.cut
    assert made.messages[: made.head_len] == messages[: made.head_len]
    assert all(one is other for one, other in zip(made.messages[-length:], messages[-length:], strict=True))
    assert made.messages[made.head_len] is made.summary
    assert SUMMARY_HEADER in json.dumps(made.summary)
    assert (made.tokens_before, made.tokens_after) == (estimate_tokens(messages), estimate_tokens(made.messages))
    assert made.tokens_after < made.tokens_before
    assert faults(made.messages, dialect) == []


@pytest.mark.parametrize(
    ("messages", "keep_recent", "told"),
    [
        (LONG, 3, "folded 6 of 13 messages (2 to 7); kept the first 1 and the last 6 as they are"),
        (LONG, 0, "folded 12 of 13 messages (2 to 13); kept the first 1 as they are"),
        (LONG[1:], 3, "folded 6 of 12 messages (1 to 6); kept the last 6 as they are"),
        (LONG[1:], 0, "folded 12 of 12 messages (1 to 12)"),
    ],
)
def test_the_notice_is_one_line(messages: list[object], keep_recent: int, told: str) -> None:
    made = compact(messages, "openai", CompactSettings(keep_recent=keep_recent))
    assert made is not None
    assert made.notice == f"{told}; about {made.tokens_before:,} tokens became {made.tokens_after:,}"
    assert made.tokens_before > 15_000


def test_where_there_is_nothing_to_gain_there_is_no_compaction() -> None:
    assert compact([], "openai") is None
    assert compact(session("openai", 2), "openai") is None
    assert compact(session("openai", 9), "openai", CompactSettings(policy="none")) is None


def test_a_tuple_of_messages_will_do() -> None:
    assert compact(tuple(session("openai", 9)), "openai") is not None


@pytest.mark.parametrize("dialect", STEPS)
def test_the_same_input_gives_the_same_result(dialect: str) -> None:
    one, other = (compact(session(dialect, 6), dialect) for _ in range(2))
    assert one == other


def test_a_compaction_can_be_compacted_again_and_folds_no_note() -> None:
    first = compact(session("anthropic", 6), "anthropic")
    assert first is not None
    second = compact([*first.messages, *session("anthropic", 4)[1:]], "anthropic")
    assert second is not None
    assert json.dumps(second.messages).count(SUMMARY_HEADER) == 1


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(InputError, match="unknown dialect 'gemini'"):
        compact([], "gemini")
    with pytest.raises(InputError, match="messages must be a list, not str"):
        compact("hello", "openai")
    with pytest.raises(InputError, match="messages must be a list, not dict"):
        faults(cast("list[object]", {"messages": []}), "openai")
    with pytest.raises(SettingsError, match="unknown policy 'best'"):
        compact([], "openai", CompactSettings(policy="best"))


def test_what_json_has_no_form_for_is_refused() -> None:
    with pytest.raises(InputError, match="not JSON"):
        compact([user("x"), says("y"), user({1, 2}), says("z")], "openai", CompactSettings(keep_recent=0))


def test_a_strategy_that_asks_finds_nobody_to_answer() -> None:
    def strategy(conversation: Conversation, projection: Projection, budget: Budget) -> Steps[Projection]:
        del conversation, budget
        yield Ask("be brief", "so far")
        return projection

    with pytest.raises(SettingsError, match="this policy needs ask answered, and nothing here can"):
        compact(session("openai", 9), "openai", CompactSettings(policy=strategy))


def test_faults_are_those_of_the_dialect() -> None:
    assert faults([user("x")], "anthropic") == []
    assert [fault.code for fault in faults([says("y"), user("x")], "anthropic")] == ["first-role"]


def test_a_message_that_is_nested_too_deeply_is_refused_in_one_line() -> None:
    nested: list[object] = []
    for _ in range(50_000):
        nested = [nested]
    with pytest.raises(InputError, match="nested too deeply"):
        faults([{"role": "assistant", "function_call": {"name": "read", "arguments": nested}}], "openai")
    with pytest.raises(InputError, match="nested too deeply"):
        compact(
            [*session("openai", 6), {"role": "assistant", "tool_calls": [{"function": {"arguments": nested}}]}],
            "openai",
        )
