"""Conversations: the client's messages by reference, read when somebody looks."""

from __future__ import annotations

from typing import cast

import pytest

from faithfold.core.conversation import Conversation, faults
from faithfold.core.errors import InputError
from faithfold.core.pairing import Spot, pair
from faithfold.core.parts import UNREADABLE, Text
from faithfold.dialects import DIALECTS
from tests.pieces import calls, tool, user

CHAT = DIALECTS["openai"]


def test_messages_are_held_by_reference() -> None:
    messages: list[object] = [user("x"), "stray"]
    conversation = Conversation(messages, CHAT)
    messages.append(user("later"))
    assert len(conversation.messages) == 2
    assert all(one is other for one, other in zip(conversation.messages, messages, strict=False))


def test_each_message_is_read_and_what_is_no_message_too() -> None:
    conversation = Conversation((user("x"), "stray", None, 7, ["x"]), CHAT)
    first, *rest = conversation.readings
    assert (first.speaker, first.parts) == ("user", (Text("x"),))
    assert rest == [UNREADABLE] * 4


def test_readings_are_made_once() -> None:
    conversation = Conversation([user("x")], CHAT)
    assert conversation.readings is conversation.readings


def test_calls_are_paired_within_the_reach_of_the_dialect() -> None:
    messages: list[object] = [user("x"), calls(1), user("wait"), tool(1)]
    assert pair(Conversation(messages, CHAT).readings, CHAT.reach).orphans == (Spot(3, "call_1"),)


def test_faults_come_in_the_order_of_the_messages() -> None:
    messages: list[object] = [tool(8), "stray", user("x"), calls(1), tool(9)]
    conversation = Conversation(messages, CHAT)
    found = [(fault.index, fault.code) for fault in conversation.faults]
    assert found == [(0, "orphan-result"), (1, "no-object"), (3, "unanswered-call"), (4, "orphan-result")]
    assert faults(conversation.readings, CHAT) == conversation.faults


@pytest.mark.parametrize("messages", [None, "hello", {"messages": []}, 7])
def test_what_is_no_list_is_refused(messages: object) -> None:
    with pytest.raises(InputError, match=r"^messages must be a list, not "):
        Conversation(cast("list[object]", messages), CHAT)


def test_what_was_read_of_a_longer_one_stays_read() -> None:
    whole = Conversation([user("a"), user("b"), user("c")], CHAT)
    read = whole.reading(1)
    earlier = whole.first(2, {0})
    assert earlier.reading(1) is read
    assert [earlier.reading(index).pinned for index in range(2)] == [True, False]
    assert not whole.reading(0).pinned
    assert [*earlier.messages] == [user("a"), user("b")]
    assert earlier.messages[-1] == user("b")
    assert [*earlier.messages[1:]] == [user("b")]
    for beyond in (2, -3):
        with pytest.raises(IndexError):
            earlier.messages[beyond]
