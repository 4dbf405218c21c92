"""Faults that others met with JSON: numbers, surrogates, keys and digests (spec 70-faults, B104 to B108 and B111)."""

from __future__ import annotations

import json

import pytest

from faithfold.core.identity import canonical_json
from faithfold.core.sizes import estimate_tokens
from faithfold.dialects import DIALECTS
from tests.faults.checks import compacted, note
from tests.pieces import BUILT_IN, STEPS, Wire, digest_of, folded, res, says, session, text, think, use, user

NUMBERS: dict[str, object] = json.loads(
    '{"id": 9007199254740993, "f": 1.10, "e": 1E5, "d": 0.30000000000000004123, "h": 1e400, "n": NaN}'
)


def using(arguments: dict[str, object]) -> Wire:
    return use(1) | {"input": arguments}


def test_numbers_of_kept_messages_are_not_touched() -> None:
    """B104, B106: large integers, long decimals, infinities: kept messages are never written anew."""
    kept = says(using(NUMBERS))
    made = compacted("anthropic", [*session("anthropic", 3), kept, user(res(1))])
    assert made.messages[-2] is kept
    assert digest_of("anthropic", kept) == digest_of("anthropic", says(using(NUMBERS)))
    assert digest_of("anthropic", kept) != digest_of("anthropic", says(using({**NUMBERS, "id": 9007199254740992})))


def test_large_integers_are_told_digit_by_digit() -> None:
    """B104: 9007199254740993 is no 9007199254740992."""
    assert '"id":9007199254740993' in folded("anthropic", says(use(1, id=9007199254740993))).parts[0]


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_half_a_character_ends_nothing(dialect: str) -> None:
    """B105: half a character in the history: no hash, size or note raises, and what is ours is well-formed."""
    half = "echo \ud83d"
    messages = [user(half), *STEPS[dialect](1, half), says(half), user(half), *session(dialect, 2, half)[1:]]
    made = compacted(dialect, messages)
    assert made.messages[0] is messages[0]
    assert "user: echo \ufffd" in note(made)
    note(made).encode("utf-8")
    assert estimate_tokens(messages) > 0
    assert len({digest_of(dialect, user(words)) for words in (half, "echo \ufffd", "echo ?")}) == 3


def test_no_character_is_cut_in_two() -> None:
    """B105: a cut between the halves of one character leaves a half on either side."""
    message = says(use(1, a="\U0001f600" * 200))
    assert "\ufffd" not in json.dumps(
        DIALECTS["anthropic"].note(folded("anthropic", message).parts[0]), ensure_ascii=False
    )


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_nul_survives(dialect: str) -> None:
    """B107: NUL in text and results."""
    messages = [user("t"), *STEPS[dialect](1, "a\0b"), says("c\0d"), user("e"), says("f")]
    told = note(compacted(dialect, messages))
    assert r"result: a\u0000b" in told
    assert r"assistant: c\u0000d" in told
    assert digest_of(dialect, user("a\0b")) != digest_of(dialect, user("ab"))


RESERVED: dict[str, object] = {
    "stack": 1,
    "cause": 2,
    "__proto__": {},
    "type": "image",
    "cache_control": {"type": "ephemeral"},
    "content": [{"type": "tool_use"}],
    "source": {"type": "base64", "data": "AAAA"},
    "role": "system",
}


@pytest.mark.parametrize("name", RESERVED)
def test_a_tool_s_input_knows_no_reserved_names(name: str) -> None:
    """B108: a field of a tool's input that looks like one of the format is still the tool's."""
    given = {key: value for key, value in RESERVED.items() if key == name}
    told = folded("anthropic", says(using(given)))
    assert told.parts == [f"[Bash] {canonical_json(given)}"]
    assert told.omissions == []
    assert digest_of("anthropic", says(using(given))) != digest_of("anthropic", says(use(1)))


def test_a_digest_holds_all_that_matters() -> None:
    """B111: messages that differ in one field that the provider sees. Each dialect's own test has more."""
    base: Wire = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    other: Wire = {"type": "image", "source": {"type": "base64", "data": "BBBB"}}
    messages = [
        user(res(1, [text("a"), base])),
        user(res(1, [text("a"), other])),
        user(res(1, [text("a")])),
        user("a", "b"),
        user("a", "c"),
        user(text("a"), text("b"), text("c")),
        says(think("a")),
        says(think("b")),
    ]
    assert len({digest_of("anthropic", message) for message in messages}) == len(messages)
