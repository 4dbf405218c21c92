"""OpenAI Responses: every type of item."""

from __future__ import annotations

import pytest

from faithfold.core.parts import UNREADABLE, Call, Document, Image, Opaque, Reference, Result, Text, Thinking
from faithfold.dialects import DIALECTS
from tests.pieces import Row, Wire, check_row, fc, fo, item, message, rs, text, user

NAME = "openai-responses"
URL = "data:image/png;base64,AAAA"
PICTURE: Wire = {"type": "input_image", "image_url": URL}


def owed(kind: str, shown: str, name: str = "") -> tuple[Call]:
    return (Call("c", name or kind, shown, kind),)


def hosted(kind: str, shown: str, name: str = "") -> Call:
    return Call("h", name or kind, shown, kind, hosted=True)


def came(family: str, words: str) -> Result:
    return Result("h", words, family, hosted=True)


def answered(family: str, words: str) -> tuple[Result]:
    return (Result("c", words, family),)


RAN = [{"stdout": "4\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
SHOT = item("computer_screenshot", image_url=URL)
DIFF = {"type": "update_file", "path": "a.py", "diff": "+x"}
DIFF_TEXT = '{"diff":"+x","path":"a.py","type":"update_file"}'
FOUND = [{"file_id": "f", "filename": "a.md", "score": 0.9, "text": "words"}]

ITEMS = [
    # messages
    Row("user", message("user", item("input_text", text="fix it")), (Text("fix it"),), ["user: fix it"]),
    Row("user, bare", user("fix it"), (Text("fix it"),), ["user: fix it"]),
    Row("user, plain text blocks", user(text("a"), text("b")), (Text("a"), Text("b")), ["user: a\nb"]),
    Row(
        "assistant",
        message("assistant", item("output_text", text="done", annotations=[])),
        (Text("done"),),
        ["assistant: done"],
    ),
    Row("refusal", message("assistant", item("refusal", refusal="no")), (Text("no"),), ["assistant: no"]),
    Row("system", message("system", item("input_text", text="a")), (Text("a"),), ["system: a"]),
    Row("developer", message("developer", item("input_text", text="a")), (Text("a"),), ["developer: a"]),
    Row(
        "another agent",
        item("agent_message", author="a", content=[item("input_text", text="found it")]),
        (Text("found it"),),
        ["agent_message: found it"],
    ),
    Row("image", message("user", item("input_text", text="see"), PICTURE), (Text("see"), Image(URL)), ["user: see"]),
    Row("file", message("user", item("input_file", file_id="f")), (Document(),), []),
    Row("audio", message("user", item("input_audio", input_audio={})), (Opaque("input_audio"),), []),
    Row("null text", message("user", item("input_text", text=None)), (Opaque("input_text"),), []),
    Row("a number for content", item("message", role="user", content=7), (Text("7"),), ["user: 7"]),
    # reasoning
    Row("reasoning, sealed", rs(1), (Thinking(""),), []),
    Row("reasoning, summed up", rs(1, "hm", "so"), (Thinking("hm\nso"),), ["thinking: hm\nso"]),
    Row(
        "reasoning, open",
        item("reasoning", content=[item("reasoning_text", text="hm")]),
        (Thinking("hm"),),
        ["thinking: hm"],
    ),
    Row("reasoning, odd", item("reasoning", summary=["x", {"text": None}]), (Thinking(""),), []),
    # calls that the client answers
    Row("function", fc(1), (Call("call_1", "run", '{"a":1}', "function_call"),), ['[run] {"a":1}']),
    Row(
        "function, parsed arguments",
        fc(1, {"b": 1, "a": 2}),
        (Call("call_1", "run", '{"a":2,"b":1}', "function_call"),),
        ['[run] {"a":2,"b":1}'],
    ),
    Row(
        "custom tool",
        item("custom_tool_call", call_id="c", name="apply_patch", input="*** Begin"),
        owed("custom_tool_call", "*** Begin", "apply_patch"),
        ["[apply_patch] *** Begin"],
    ),
    Row(
        "local shell",
        item("local_shell_call", call_id="c", id="i", action={"command": ["ls"]}),
        owed("local_shell_call", '{"command":["ls"]}'),
        ['[local_shell_call] {"command":["ls"]}'],
    ),
    Row(
        "shell",
        item("shell_call", call_id="c", action={"commands": ["ls"]}),
        owed("shell_call", '{"commands":["ls"]}'),
        ['[shell_call] {"commands":["ls"]}'],
    ),
    Row(
        "patch",
        item("apply_patch_call", call_id="c", operation=DIFF),
        owed("apply_patch_call", DIFF_TEXT),
        [f"[apply_patch_call] {DIFF_TEXT}"],
    ),
    Row(
        "computer",
        item("computer_call", call_id="c", action={"type": "click"}),
        owed("computer_call", '{"type":"click"}'),
        ['[computer_call] {"type":"click"}'],
    ),
    Row(
        "computer, several actions",
        item("computer_call", call_id="c", actions=[{"type": "wait"}]),
        owed("computer_call", '[{"type":"wait"}]'),
        ['[computer_call] [{"type":"wait"}]'],
    ),
    Row(
        "tool search",
        item("tool_search_call", call_id="c", execution="client", arguments={"q": 1}),
        owed("tool_search_call", '{"q":1}'),
        ['[tool_search_call] {"q":1}'],
    ),
    Row(
        "a call of tomorrow",
        item("hologram_call", id="h", arguments="{}"),
        (hosted("hologram_call", "{}"),),
        ["[hologram_call] {}"],
    ),
    # their results
    Row("function, result", fo(1, " ok "), (Result("call_1", " ok ", "function_call"),), ["result: ok"]),
    Row(
        "function, blocks",
        fo(1, [item("input_text", text="a"), PICTURE]),
        (Result("call_1", "a", "function_call", others=(Image(URL),)),),
        ["result: a"],
    ),
    Row(
        "function, a picture alone",
        fo(1, [{"type": "input_image"}]),
        (Result("call_1", '[{"type":"input_image"}]', "function_call", others=(Image(""),)),),
        ['result: [{"type":"input_image"}]'],
    ),
    Row("function, parsed", fo(1, {"ok": 1}), (Result("call_1", "{'ok': 1}", "function_call"),), ["result: {'ok': 1}"]),
    Row(
        "custom tool, result",
        item("custom_tool_call_output", call_id="c", output="ok"),
        answered("custom_tool_call", "ok"),
        ["result: ok"],
    ),
    Row(
        "custom tool, blocks",
        item("custom_tool_call_output", call_id="c", output=[text("a"), text("b")]),
        answered("custom_tool_call", "a\nb"),
        ["result: a\nb"],
    ),
    Row(
        "local shell, result",
        item("local_shell_call_output", call_id="c", output="4"),
        answered("local_shell_call", "4"),
        ["result: 4"],
    ),
    Row(
        "local shell, found by its id",
        item("local_shell_call_output", id="c", output="4"),
        answered("local_shell_call", "4"),
        ["result: 4"],
    ),
    Row(
        "shell, result",
        item("shell_call_output", call_id="c", output=RAN),
        answered("shell_call", "4\n"),
        ["result: 4"],
    ),
    Row(
        "patch, result",
        item("apply_patch_call_output", call_id="c", status="completed", output="ok"),
        answered("apply_patch_call", "ok"),
        ["result: ok"],
    ),
    Row(
        "computer, result",
        item("computer_call_output", call_id="c", output=SHOT),
        (Result("c", "", "computer_call", others=(Image(URL),)),),
        [],
    ),
    Row(
        "tool search, result",
        item("tool_search_output", call_id="c", execution="client", tools=[]),
        answered("tool_search_call", ""),
        [],
    ),
    # what runs at the provider, or waits for a person
    Row(
        "search",
        item("web_search_call", id="h", action={"query": "q"}),
        (hosted("web_search_call", '{"query":"q"}'),),
        ['[web_search_call] {"query":"q"}'],
    ),
    Row(
        "file search",
        item("file_search_call", id="h", queries=["q"], results=FOUND),
        (hosted("file_search_call", '["q"]'), came("file_search_call", "words")),
        ['[file_search_call] ["q"]', "result: words"],
    ),
    Row(
        "code",
        item("code_interpreter_call", id="h", code="2+2", outputs=[{"type": "logs", "logs": "4"}]),
        (hosted("code_interpreter_call", "2+2"), came("code_interpreter_call", "4")),
        ["[code_interpreter_call] 2+2", "result: 4"],
    ),
    Row(
        "code, no outputs",
        item("code_interpreter_call", id="h", code="2+2", outputs=None),
        (hosted("code_interpreter_call", "2+2"),),
        ["[code_interpreter_call] 2+2"],
    ),
    Row(
        "picture made",
        item("image_generation_call", id="h", revised_prompt="a cat", result="AAAA"),
        (hosted("image_generation_call", "a cat"), Image("AAAA")),
        ["[image_generation_call] a cat"],
    ),
    Row(
        "MCP",
        item("mcp_call", id="h", name="echo", arguments="{}", output="hi"),
        (hosted("mcp_call", "{}", "echo"), came("mcp_call", "hi")),
        ["[echo] {}", "result: hi"],
    ),
    Row(
        "MCP, failed",
        item("mcp_call", id="h", name="echo", arguments="{}", output=None, error="no"),
        (hosted("mcp_call", "{}", "echo"), came("mcp_call", "no")),
        ["[echo] {}", "result: no"],
    ),
    Row("MCP, tools", item("mcp_list_tools", id="h", tools=[]), (Opaque("mcp_list_tools"),), []),
    Row(
        "approval asked",
        item("mcp_approval_request", id="h", name="rm", arguments="{}"),
        (hosted("mcp_approval_request", "{}", "rm"),),
        ["[rm] {}"],
    ),
    Row(
        "approved",
        item("mcp_approval_response", approval_request_id="h", approve=True),
        (came("mcp_approval_request", "approved"),),
        ["result: approved"],
    ),
    Row(
        "refused",
        item("mcp_approval_response", approval_request_id="h", approve=False, reason="no"),
        (came("mcp_approval_request", "refused\nno"),),
        ["result: refused\nno"],
    ),
    Row(
        "tool search at the provider",
        item("tool_search_call", id="h", execution="server", arguments={}),
        (hosted("tool_search_call", "{}"),),
        ["[tool_search_call] {}"],
    ),
    Row(
        "tool search at the provider, result",
        item("tool_search_output", id="h", execution="server", tools=[]),
        (came("tool_search_call", ""),),
        [],
    ),
    Row("program", item("program", id="h", code="x"), (hosted("program", "x"),), ["[program] x"]),
    Row("program, result", item("program_output", id="h", output="4"), (came("program", "4"),), ["result: 4"]),
    Row("reference", item("item_reference", id="m_1"), (Reference("m_1"),), []),
    # what must not be folded
    Row("compaction", item("compaction", encrypted_content="z"), (Opaque("compaction"),), [], pinned=True),
    Row(
        "compaction, older name",
        item("compaction_summary", encrypted_content="z"),
        (Opaque("compaction_summary"),),
        [],
        pinned=True,
    ),
    Row("compaction, of the context", item("context_compaction"), (Opaque("context_compaction"),), [], pinned=True),
    Row("compaction asked for", item("compaction_trigger"), (Opaque("compaction_trigger"),), [], pinned=True),
    Row("tools", item("additional_tools", role="developer", tools=[]), (Opaque("additional_tools"),), [], pinned=True),
    # what isn't known
    Row("unknown item", item("hologram", text="x"), (Opaque("hologram"),), []),
    Row("no type and no role", {"text": "x"}, (Opaque("other"),), []),
    Row("a type that is a list", user("x") | {"type": ["message"]}, (Text("x"),), ["user: x"]),
    Row("unknown block", message("user", item("hologram")), (Opaque("hologram"),), []),
    Row("no object", "stray", UNREADABLE.parts, []),
]


@pytest.mark.parametrize("row", ITEMS, ids=[row.name for row in ITEMS])
def test_every_item(row: Row) -> None:
    check_row(NAME, row)


def test_the_note_is_a_user_message() -> None:
    assert DIALECTS[NAME].note("so far") == message("user", item("input_text", text="so far"))
