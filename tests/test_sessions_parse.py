"""Only InputError is ever raised, it is one line, and it says what was expected."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faithfold.core.errors import InputError
from faithfold.sessions import Transcript, parse
from tests.pieces import BUILT_IN
from tests.session_files import JSON, file_of

CLAUDE: JSON = {"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": "hi"}}
PI: JSON = {"type": "session", "version": 3, "id": "s", "cwd": "/repo"}
CODEX: JSON = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": []}}


def refusal(data: bytes, *, dialect: str | None = None, pick: int | None = None) -> str:
    with pytest.raises(InputError) as caught:
        parse(data, dialect=dialect, pick=pick)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty; expected a Claude Code, Codex or Pi session"),
        (b"\n\n", "the file is empty; expected"),
        (b"# a text\n", "the file holds no JSON object (line 1: no JSON object); expected"),
        (b'{"a":', "the file holds no JSON object (line 1: not JSON: expecting value); expected"),
        (b"{}", "this is no format that faithfold knows; expected"),
        (b"[]", "this holds no messages; expected at least one"),
        (b'{"messages": []}', "this holds no messages; expected at least one"),
        (b'{"request": {"model": "m", "input": []}}', "this holds no messages; expected at least one"),
        (b'{"input": "hello"}', "its input is a plain text, no messages: there is nothing to compact"),
        (b'{"messages": [1]}', "this is no format that faithfold knows; expected"),
        (gzip.compress(b"[]", mtime=0), "the file looks gzip-compressed; unpack it first"),
        (bz2.compress(b"[]"), "the file looks bzip2-compressed; unpack it first"),
        (lzma.compress(b"[]"), "the file looks xz-compressed; unpack it first"),
        (b"PK\x03\x04\x14\x00", "the file looks like a zip archive; unpack it first"),
        (json.dumps(PI).encode(), "this Pi session holds no messages; expected at least one"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_what_was_expected(data: bytes, why: str) -> None:
    assert refusal(data).startswith(why)


def test_options_that_do_not_fit_the_file() -> None:
    session = json.dumps(CLAUDE).encode()
    assert refusal(session, dialect="openai") == "this is a Claude Code session: its dialect is anthropic, not openai"
    assert refusal(session, pick=2) == "there is no conversation 2: a Claude Code session holds one"
    assert refusal(session, dialect="latin") == "this is a Claude Code session: its dialect is anthropic, not latin"
    assert parse(session, dialect="anthropic", pick=1).messages == [{"role": "user", "content": "hi"}]


def test_the_format_is_told_by_any_of_its_lines() -> None:
    for line, agent in ((CLAUDE, "claude"), (CODEX, "codex")):
        data = b'{"unknown": true}\n{"torn": \n' + json.dumps(line).encode()
        assert parse(data).agent == agent


def test_what_nests_too_deeply_is_refused() -> None:
    """Near the interpreter's limit a value can still be decoded but not compared; past it not even that."""
    limit = sys.getrecursionlimit()
    refused: list[str] = []
    for depth in range(limit - 200, limit + 10):
        line = '{"messages":[{"role":"user","content":' + "[" * depth + "]" * depth + "}]}"
        try:
            parse("\n".join([line] * 2).encode())
        except InputError as error:
            refused.append(str(error))
    assert all("nested too deeply" in why for why in refused)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
KINDS = (
    *("user", "assistant", "system", "attachment", "summary", "message", "session", "compaction", "custom_message"),
    *("branch_summary", "response_item", "compacted", "event_msg", "turn_context", "tool_use", "tool_result", "text"),
    *("compact_boundary", "thread_rolled_back", "queued_command", "reasoning", "toolResult", "constructor", "request"),
)
KEYS = (
    *("type", "subtype", "role", "id", "uuid", "parentUuid", "parentId", "logicalParentUuid", "isSidechain", "content"),
    *("isCompactSummary", "compactMetadata", "preservedMessages", "preservedSegment", "uuids", "headUuid", "tailUuid"),
    *("anchorUuid", "message", "attachment", "prompt", "tool_use_id", "payload", "replacement_history", "num_turns"),
    *("firstKeptEntryId", "firstKeptEntryIndex", "summary", "version", "cwd", "messages", "input", "request", "body"),
    *("history", "traj", "model", "path", "url", "tools", "text", "sessionId", "leafUuid", "data", "parts", "eval"),
    *("response", "object", "source", "action", "kind", "trajectory", "conversations", "lc", "mapping", "info"),
)
WORDS = st.sampled_from((*KINDS, "a", "b", "c", "", "<synthetic>"))
NEAR_MISSES = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-1, 3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=7),
    max_leaves=10,
)
# Lines that are sessions' lines but for what stands where: every link, block and flag may be of any kind.
BASES: list[JSON] = [CLAUDE, PI, CODEX, {"type": "message", "id": "a", "parentId": None, "message": {}}]


@st.composite
def odd_lines(draw: st.DrawFn) -> list[JSON]:
    fields = st.dictionaries(st.sampled_from(KEYS), NEAR_MISSES, max_size=5)
    return [{**base, **draw(fields)} for base in draw(st.lists(st.sampled_from(BASES), min_size=1, max_size=6))]


def attempt(
    data: bytes, everything: bool, pick: int | None = None, dialect: str | None = None
) -> Transcript | InputError:
    try:
        return parse(data, everything=everything, pick=pick, dialect=dialect)
    except InputError as error:
        return error


def assert_sound(found: Transcript | InputError) -> None:
    """A refusal is one line; a transcript has messages, a known dialect, and its problems in order."""
    if isinstance(found, InputError):
        assert len(str(found).splitlines()) == 1
        return
    assert found.messages
    assert found.dialect in BUILT_IN
    assert 1 <= found.picked <= found.conversations
    assert [each.line for each in found.problems] == sorted(each.line for each in found.problems)


@given(st.binary(), st.booleans())
@example(b"\xff\xfe{", False)
@example(b"[" * 100_000, False)
@example(b'{"a":' * 100_000, False)
def test_any_bytes(data: bytes, everything: bool) -> None:
    assert_sound(attempt(data, everything))


@given(
    st.lists(JSON_VALUES | NEAR_MISSES, max_size=6),
    st.booleans(),
    st.none() | st.integers(-1, 3),
    st.sampled_from((None, *BUILT_IN)),
)
def test_any_json_lines(lines: list[object], everything: bool, pick: int | None, dialect: str | None) -> None:
    assert_sound(attempt(file_of(*lines), everything, pick, dialect))


@given(odd_lines(), st.booleans())
def test_any_lines_that_look_like_a_session(lines: list[JSON], everything: bool) -> None:
    assert_sound(attempt(file_of(*lines), everything))


@given(odd_lines(), st.data())
def test_any_place_where_a_file_is_torn(lines: list[JSON], data: st.DataObject) -> None:
    whole = file_of(*lines)
    assert_sound(attempt(whole[: data.draw(st.integers(0, len(whole)))], everything=False))
