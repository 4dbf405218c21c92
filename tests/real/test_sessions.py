"""Real session files and captures, when they lie beside the project: each is read whole or refused by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from faithfold.core.errors import InputError
from faithfold.core.values import as_list, as_object, as_text
from faithfold.sessions import Transcript, parse, read
from faithfold.sessions.lines import read_entries
from faithfold.sessions.plain import find, group
from tests.places import captures, shared_data

DATA = shared_data() or pytest.skip(
    "no real session files beside the project (../shared/data)", allow_module_level=True
)
FILES = sorted(path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file() and path.suffix != ".md")
CAPTURED = sorted((captures() or DATA / "none").glob("*.json"))

# How the folders of the collection are read: the agent and the dialect.
READ = {
    "anthropic/": ("plain", "anthropic"),
    "claude-code/": ("claude", "anthropic"),
    "codex/": ("codex", "openai-responses"),
    "openai-chat/": ("plain", "openai"),
    "openai-responses/": ("plain", "openai-responses"),
    "pi/": ("pi", "pi"),
    "swe-agent-traj/": ("plain", "openai"),
}
# What is refused, and the name that it is refused by.
REFUSED = {
    "anthropic/vercel-ai/": "a model's answers without the requests",
    "gemini/gemini-cli_trajectory": "a Gemini API request or content list",
    "gemini/git-ai_gemini-session": "a Gemini CLI session",
    "langchain/langsmith-bench_inputs": "a LangChain dump",
    "langchain/langsmith-bench_outputs": "a LangSmith run",
    "langchain/tau-airline": "a LangChain dump",
    "openai-chat/inspect/": "an Inspect evaluation log",
    "openai-chat/tau2-bench/": "a tau2-bench result file",
    "openai-responses/vercel-ai/": "a model's answers without the requests",
    "openhands/": "an OpenHands event log",
    "other/git-ai/droid": "a Factory Droid session",
}


def expected(table: dict[str, object], name: str) -> object:
    return next((value for prefix, value in table.items() if name.startswith(prefix)), None)


def open_file(name: str, *, everything: bool = False) -> Transcript:
    return read(str(DATA / name), everything=everything)


READABLE = [name for name in FILES if expected({**REFUSED}, name) is None]
CLAUDE = [name for name in READABLE if name.startswith("claude-code/")]
SMALL = [name for name in READABLE if (DATA / name).stat().st_size < 200_000]


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_read_or_refused_by_its_name(name: str) -> None:
    why = expected({**REFUSED}, name)
    if why is None:
        found = open_file(name)
        assert found.messages
        assert (found.agent, found.dialect) == expected({**READ}, name)
    else:
        with pytest.raises(InputError, match=str(why)):
            open_file(name)


@pytest.mark.parametrize("name", READABLE)
def test_everything_is_no_less_than_the_live_part(name: str) -> None:
    live, everything = open_file(name), open_file(name, everything=True)
    assert len(everything.messages) >= len(live.messages) - 1  # the summary is not among them
    assert everything.problems == live.problems


# Lines that can't be used, as far as the collection's notes or the files' makers know of them.
BAD_LINES = {
    "claude-code/daaain/edge_cases.jsonl": [10, 11, 13, 15, 16],
}


@pytest.mark.parametrize("name", [name for name in READABLE if "duplicate-assistant-response" not in name])
def test_only_the_known_bad_lines_are_named(name: str) -> None:
    assert [problem.line for problem in open_file(name).problems] == BAD_LINES.get(name, [])


def test_a_debug_log_around_the_lines_of_a_session_is_read_past() -> None:
    found = open_file("claude-code/happy/fixtures/duplicate-assistant-response-2.jsonl")
    assert found.problems[0].line == 1
    assert {as_object(message)["role"] for message in found.messages} == {"user", "assistant"}


def blocks(message: object, kind: str) -> list[object]:
    content = as_list(as_object(message).get("content"))
    return [block for block in content if as_object(block).get("type") == kind]


def calls_and_answers(messages: list[object]) -> Iterator[tuple[list[str], list[str]]]:
    """For each message: the calls of the one before it, and the results that it holds."""
    for before, message in zip([None, *messages], messages, strict=False):
        calls = [as_text(as_object(block).get("id")) for block in blocks(before, "tool_use")]
        results = [as_text(as_object(block).get("tool_use_id")) for block in blocks(message, "tool_result")]
        yield calls, results


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("name", CLAUDE)
def test_results_follow_their_calls_and_messages_are_bare(name: str, everything: bool) -> None:
    messages = open_file(name, everything=everything).messages
    for calls, results in calls_and_answers(messages):
        assert set(results) <= set(calls)
        assert len(results) == len(set(results))
    for message in map(as_object, messages):
        assert list(message) == ["role", "content"]
        assert message["content"]


# Calls, and those without a result, as the collection's notes count them (files without sub-agents and branches).
CALLS = {
    "claude-code/entire-cli/70d782f7_v2.1.20_micro+compact.jsonl": (220, 0),
    "claude-code/entire-cli/062a8bdd_v2.1.29_image+compact.jsonl": (127, 1),
    "claude-code/entire-cli/bad-json-line_mixed-models.jsonl": (55, 0),
    "claude-code/entire-cli/a318ad73_v2.1.17_api_error.jsonl": (13, 0),
    "claude-code/entire-cli/170cebcc_v2.1.37_opus46.jsonl": (15, 0),
    "claude-code/entire-skills/95047199_v2.1.119_opus47_snapshot1.jsonl": (113, 1),
    "claude-code/entire-skills/95047199_v2.1.119_opus47_snapshot2.jsonl": (133, 1),
    "claude-code/obra/large-conversation_v1.0.117.jsonl": (152, 0),
    "claude-code/bastion/claude-session.jsonl": (5, 0),
    "claude-code/git-ai/claude-code-with-plan.jsonl": (3, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_call_has_its_result(name: str) -> None:
    messages = open_file(name, everything=True).messages
    calls = [call for message in messages for call in blocks(message, "tool_use")]
    results = [result for message in messages for result in blocks(message, "tool_result")]
    assert (len(calls), len(calls) - len(results)) == CALLS[name]


def test_464_lines_of_the_model_are_169_messages() -> None:
    found = open_file("claude-code/entire-cli/70d782f7_v2.1.20_micro+compact.jsonl", everything=True)
    assert sum(as_object(message)["role"] == "assistant" for message in found.messages) == 169


def test_a_later_state_of_a_session_begins_with_the_earlier_one() -> None:
    folder = "claude-code/entire-skills/95047199_v2.1.119_opus47_snapshot"
    first, second = open_file(f"{folder}1.jsonl").messages, open_file(f"{folder}2.jsonl").messages
    assert len(second) > len(first)
    assert second[: len(first) - 1] == first[:-1]  # the last one was still waiting for more


# What a walk leaves out on purpose: edited branches, a file of placeholders, a debug log.
WITH_BRANCHES = ("dag_compact", "bad-json-line", "small_multi-version", "duplicate-assistant")


@pytest.mark.parametrize("name", [name for name in CLAUDE if not any(each in name for each in WITH_BRANCHES)])
def test_nothing_that_was_said_is_lost(name: str) -> None:
    """Every block of every main line of the file is among all messages: counted by its kind and its own key."""
    entries, _ = read_entries((DATA / name).read_bytes())
    said = {key for message in open_file(name, everything=True).messages for key in keys(as_object(message))}
    for entry in entries:
        line = as_object(entry.value)
        skipped = (
            line.get("isSidechain") or line.get("isCompactSummary") or line.get("type") not in ("user", "assistant")
        )
        message = as_object(line.get("message"))
        if not skipped and message.get("model") != "<synthetic>":
            assert set(keys(message)) <= said, entry.line


def keys(message: object) -> Iterator[str]:
    """What tells each block of a message; a text, bare or as a block, by its words."""
    content = as_object(message).get("content")
    for block in [content] if isinstance(content, str) else as_list(content):
        named = (as_text(as_object(block).get(name)) for name in ("text", "id", "tool_use_id", "thinking", "signature"))
        key = as_text(block) or next(filter(None, named), repr(block))
        if key != "''":
            yield key


# How many messages there are with everything, or of the picked conversation, and how many conversations.
COUNTS = {
    "anthropic/claude-trace/claude-code-1.0.6_session_requests.jsonl": (27, 2),
    "anthropic/pi-ext/opus-4-8_requests.jsonl": (9, 1),
    "codex/edgerunner/codex-session_v0.144.1.jsonl": (573, 1),
    "codex/entire-skills/019dc0d3_v0.125.0_gpt5.5_compacted.jsonl": (1480, 1),
    "codex/langsmith/rollout-attachments.jsonl": (5, 1),
    "codex/langsmith/rollout-editing.jsonl": (28, 1),
    "codex/raze/codex-session_v0.114.0.jsonl": (105, 1),
    "openai-chat/browser-use/Allrecipes-2_step1_messages.json": (2, 1),
    "openai-chat/mini-swe-agent/astropy__astropy-12907.traj.json": (130, 1),
    "openai-chat/openhands-llm-logs/sonnet4-046.707.json": (12, 1),
    "openai-chat/swe-agent-interactions/interactions_20251129_080419.jsonl": (60, 1),
    "openai-chat/tau-bench/gpt-4o-airline_000-079.json": (62, 80),
    "openai-responses/pi-ext/gpt-5.5_requests.jsonl": (25, 1),
    "pi/kimchi/session_v3_kimi-k2.5.jsonl": (122 + 12, 1),  # and twelve from an extension
    "pi/pi-async-compaction/edc-real-long-session_v3_gpt5.5.jsonl": (271, 1),
    "pi/pi-mono/before-compaction_v1.jsonl": (990, 1),
    "pi/pi-mono/large-session_v1.jsonl": (914, 1),
    "swe-agent-traj/demos/ctf_i_got_id_demo.traj": (43, 1),
    "swe-agent-traj/demos/marshmallow-1867_function_calling.traj": (28, 1),
    "swe-agent-traj/sonnet3.5/sympy__sympy-24661.traj": (135, 1),
}


@pytest.mark.parametrize("name", COUNTS)
def test_the_messages_are_as_many_as_the_notes_say(name: str) -> None:
    found = open_file(name, everything=True)
    assert (len(found.messages), found.conversations) == COUNTS[name]


def test_the_80_conversations_hold_all_messages_of_the_file() -> None:
    entries, _ = read_entries((DATA / "openai-chat/tau-bench/gpt-4o-airline_000-079.json").read_bytes())
    groups = group(find(entries)[0])
    assert (len(groups), sum(len(found.messages) for found in groups)) == (80, 2280)


def test_a_replaced_history_is_the_live_one() -> None:
    found = open_file("codex/entire-skills/019dc0d3_v0.125.0_gpt5.5_compacted.jsonl")
    assert len(found.messages) == 299
    assert as_object(found.messages[0])["role"] == "user"


@pytest.mark.parametrize("name", SMALL)
def test_a_torn_file_gives_what_it_holds(name: str) -> None:
    """Cut off anywhere, a file is read or refused in one line; what an uncut line said stays."""
    data = (DATA / name).read_bytes()
    for cut in range(0, len(data), max(1, len(data) // 40)):
        found = attempt(data[:cut])
        assert len(str(found).splitlines()) == 1 if isinstance(found, InputError) else found.messages


def attempt(data: bytes) -> Transcript | InputError:
    try:
        return parse(data)
    except InputError as error:
        return error


KINDS = {
    "messages": "anthropic",
    "count": "anthropic",
    "chat": "openai",
    "responses": "openai-responses",
    "compact": "openai-responses",
}


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_each_capture_is_a_body_of_its_dialect(path: Path) -> None:
    dialect = KINDS.get(path.stem.rpartition("-")[2])
    if dialect:
        found = read(str(path))
        assert (found.dialect, found.agent) == (dialect, "plain")
        assert found.body is not None
        held = found.body.get("messages") or found.body.get("input")
        assert held in (found.messages, as_object(found.messages[0]).get("content"))
