"""Faults that others met with roles, empty and odd content (spec 70-faults, B014 to B021)."""

from __future__ import annotations

import pytest

from faithfold.compaction import compact
from faithfold.core.values import as_object
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.dialects import DIALECTS
from faithfold.strategies.options import CompactSettings
from tests.faults.checks import all_cuts, check_cuts, compacted, layout, note
from tests.pieces import BUILT_IN, STEPS, Wire, calls, rs, says, session, text, think, use, user


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_the_first_to_speak_is_the_user(dialect: str) -> None:
    """B014: a window of the last four messages begins with the model's."""
    messages = [user("U1"), says("A1"), user("U2"), says("A2"), user("U3")]
    check_cuts(dialect, messages)
    headless = session(dialect, 5)[1:]
    for made in all_cuts(dialect, headless):
        assert as_object(made.messages[0]).get("role") == "user"


@pytest.mark.parametrize("dialect", ["openai", "openai-responses"])
def test_something_of_the_user_s_is_always_left(dialect: str) -> None:
    """B015: everything is folded, and the summary speaks for the system: only instructions are left."""
    messages: list[object] = [{"role": "system", "content": "be kind"}, *session(dialect, 4)[1:]]
    made = compacted(dialect, messages, 0)
    assert layout(made) == "0 N"
    assert as_object(made.messages[1]).get("role") == "user"


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_the_last_to_speak_stays_the_last(dialect: str) -> None:
    """B016: compaction in a tool loop ends the messages with the model's, which is taken for a prefill."""
    messages = [*session(dialect, 6), user("go on")]
    for length in range(2, len(messages) + 1):
        for made in all_cuts(dialect, messages[:length]):
            last = made.messages[-1]
            assert last is messages[made.projection.total - 1] or last is made.summary
            assert DIALECTS[dialect].read(last).speaker != "model" or last is messages[made.projection.total - 1]


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_the_note_is_a_message_of_its_own(dialect: str) -> None:
    """B017: two messages of the user's in a row. Ours makes no third and changes neither (a merged note is later's)."""
    made = compacted(dialect, session(dialect, 4))
    speakers = [DIALECTS[dialect].read(message).speaker for message in made.messages[:3]]
    assert speakers == ["user", "user", "model"]


@pytest.mark.parametrize(
    ("dialect", "leaves_nothing"),
    [
        ("anthropic", says({"type": "redacted_thinking", "data": "zzz"})),
        ("anthropic", user({"type": "image", "source": {"type": "base64", "data": "AAAA"}})),
        ("anthropic", user("<task-notification>x</task-notification>")),
        ("openai", user({"type": "image_url", "image_url": {"url": "u"}})),
        ("openai-responses", user({"type": "input_image", "image_url": "u"})),
    ],
)
def test_what_leaves_nothing_leaves_no_empty_block(dialect: str, leaves_nothing: object) -> None:
    """B018: what is stripped of its thinking or pictures is left as an empty message, which is refused."""
    messages = [user("t"), says("a"), leaves_nothing, says("b"), user("c"), says("d")]
    check_cuts(dialect, messages)
    assert "---\\n\\n\\n" not in note(compacted(dialect, messages))


def test_an_empty_message_of_the_client_s_is_left_alone() -> None:
    """B018: the client's own empty message is not ours to mend."""
    messages: list[object] = [user("t"), says("a"), user("b"), says("c"), user("")]
    assert compacted("anthropic", messages).messages[-1] is messages[-1]


ODD: list[tuple[str, object]] = [
    ("anthropic", user(text(None))),
    ("anthropic", says(think(None))),
    ("anthropic", user("bare string", 7, None)),
    ("anthropic", user({"type": ["x"], "text": "a"})),
    ("anthropic", user({"type": "image", "source": "a"})),
    ("anthropic", {"role": "user"}),
    ("anthropic", {"role": "user", "content": {"a": 1}}),
    ("openai", calls(1) | {"content": None}),
    ("openai", user({"type": "image_url", "image_url": "https://example.com/a.png"})),
    ("openai", calls(1) | {"tool_calls": "x"}),
    ("openai-responses", rs(1) | {"summary": [{"text": None}]}),
    ("openai-responses", rs(1) | {"summary": "x"}),
    ("openai-responses", {"type": ["x"]}),
    ("pi", {"role": "toolResult", "content": None}),
]


@pytest.mark.parametrize(("dialect", "odd"), ODD)
def test_an_odd_value_costs_at_most_itself(dialect: str, odd: object) -> None:
    """B019: null, missing or odd content ends the whole pass."""
    messages = [user("t"), says("first"), user("b"), odd, *session(dialect, 3)[1:]]
    made = compacted(dialect, messages)
    assert "assistant: first" in note(made)
    assert "run 0" in note(made) or "[run]" in note(made)
    kept = compact([*messages[:3], *session(dialect, 2)[1:], odd], dialect, CompactSettings(keep_recent=1))
    assert kept is not None


@pytest.mark.parametrize("dialect", BUILT_IN)
@pytest.mark.parametrize("stray", ["stray", None, 7, ["x"]])
def test_one_stray_value_does_not_end_compaction(dialect: str, stray: object) -> None:
    """B020: an item that is no object disables compaction for the whole session."""
    messages = [*session(dialect, 2), stray, *session(dialect, 3)[1:]]
    made = compacted(dialect, messages)
    assert "N" in layout(made)
    assert made.cut == len(messages) - len(STEPS[dialect](0, ""))
    assert any("no object" in reason for reason in made.projection.dropped.values())


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_the_note_speaks_as_the_user_and_says_what_it_is(dialect: str) -> None:
    """B021: a summary in the model's voice is echoed as a reply. `cliff` has no end mark: its header is its form."""
    made = compacted(dialect, session(dialect, 4))
    assert DIALECTS[dialect].read(made.summary).speaker == "user"
    assert DIALECTS[dialect].read(made.summary).texts[0].startswith(f"{SUMMARY_HEADER}\n\n")
    assert made.messages[-1] is not made.summary


def test_a_note_of_ours_is_never_the_request() -> None:
    """B021: with no step kept the note is last; the head still holds the task, and a human's word is never dropped."""
    messages: list[Wire] = [user("t"), says(use(1)), user("what now?")]
    made = compacted("anthropic", messages, 0)
    assert layout(made) == "0 N"
    assert "user: what now?" in note(made)
