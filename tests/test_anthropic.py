"""Anthropic Messages: every kind of block."""

from __future__ import annotations

import pytest

from faithfold.core.parts import UNREADABLE, Call, Document, Image, Opaque, Part, Result, Text, Thinking
from faithfold.dialects import DIALECTS
from tests.pieces import Row, Wire, check_row, folded, hosted, hosted_res, image, res, says, text, think, use, user

NAME = "anthropic"


def ran(arguments: str, name: str) -> Call:
    return Call("srv_1", name, arguments, "hosted", hosted=True)


def told(words: str) -> Result:
    return Result("srv_1", words, "hosted", hosted=True)


PICTURE = image()
FOUND = [{"type": "web_search_result", "title": "T", "url": "https://a.example", "encrypted_content": "zzz"}]
PAGE = {"type": "web_fetch_result", "url": "https://a", "content": {"type": "document", "title": "T"}}
RAN: Wire = {"type": "bash_code_execution_result", "stdout": "4\n", "stderr": "", "return_code": 0, "content": []}
EDITED = {"type": "text_editor_code_execution_create_result", "is_file_update": False}
TOOLS = {"type": "tool_search_tool_search_result", "tool_references": [{"type": "tool_reference", "tool_name": "a"}]}
SEEN = Result("toolu_1", "a\nb", "tool_use", others=(Image("AAAA"),))
FAILED = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}


def row(name: str, block: object, part: Part, *shown: str) -> Row:
    return Row(name, says(block), (part,), list(shown))


def asked(name: str, block: object, part: Part, *shown: str) -> Row:
    return Row(name, user(block), (part,), list(shown))


BLOCKS = [
    # what the user's side may send
    Row("text", user("fix it"), (Text("fix it"),), ["user: fix it"]),
    asked("text block", text("fix it"), Text("fix it"), "user: fix it"),
    Row("two texts", user(text("a"), text("b")), (Text("a"), Text("b")), ["user: a", "user: b"]),
    asked("bare string in a list", 7, Opaque("no object")),
    Row("bare strings in a list", user("a", "b"), (Text("a"), Text("b")), ["user: a", "user: b"]),
    asked("image", PICTURE, Image("AAAA")),
    asked("document", {"type": "document", "source": {"type": "file", "file_id": "f"}, "title": "T"}, Document()),
    asked("upload", {"type": "container_upload", "file_id": "f"}, Document()),
    asked("search result", {"type": "search_result", "source": "s", "content": [text("x")]}, Opaque("search_result")),
    asked("tool result", res(1, " ok "), Result("toolu_1", " ok ", "tool_use"), "result: ok"),
    asked("tool result, blocks", res(1, [text("a"), PICTURE, "b"]), SEEN, "result: a\nb"),
    asked("tool result, empty", {"type": "tool_result", "tool_use_id": "toolu_1"}, Result("toolu_1", "", "tool_use")),
    asked("tool result, null", res(1, None), Result("toolu_1", "", "tool_use")),
    asked("tool result, long", res(1, "x" * 501), Result("toolu_1", "x" * 501, "tool_use")),
    asked("tool result, odd", res(1, 7), Result("toolu_1", "7", "tool_use"), "result: 7"),
    # what the model may say
    Row("assistant text", says("done"), (Text("done"),), ["assistant: done"]),
    row("cited text", {**text("it is"), "citations": [{"type": "char_location"}]}, Text("it is"), "assistant: it is"),
    row("thinking", think("hm"), Thinking("hm"), "thinking: hm"),
    row("sealed thinking", think(""), Thinking("")),
    row("redacted thinking", {"type": "redacted_thinking", "data": "zzz"}, Thinking("")),
    row(
        "tool use", use(1, b=1, a="x"), Call("toolu_1", "Bash", '{"a":"x","b":1}', "tool_use"), '[Bash] {"a":"x","b":1}'
    ),
    row("tool use, nothing given", {"type": "tool_use"}, Call("", "?", "{}", "tool_use"), "[?] {}"),
    # tools that run at the provider
    row(
        "search",
        hosted("server_tool_use", "web_search", query="q"),
        ran('{"query":"q"}', "web_search"),
        '[web_search] {"query":"q"}',
    ),
    row(
        "search, found",
        hosted_res("web_search_tool_result", FOUND),
        told("T\nhttps://a.example"),
        "result: T\nhttps://a.example",
    ),
    row(
        "search, failed",
        hosted_res("web_search_tool_result", FAILED),
        told("max_uses_exceeded"),
        "result: max_uses_exceeded",
    ),
    row(
        "fetch",
        hosted("server_tool_use", "web_fetch", url="u"),
        ran('{"url":"u"}', "web_fetch"),
        '[web_fetch] {"url":"u"}',
    ),
    row("fetch, found", hosted_res("web_fetch_tool_result", PAGE), told("https://a\nT"), "result: https://a\nT"),
    row(
        "code",
        hosted("server_tool_use", "code_execution", code="1"),
        ran('{"code":"1"}', "code_execution"),
        '[code_execution] {"code":"1"}',
    ),
    row("code, ran", hosted_res("code_execution_tool_result", RAN), told("4\n"), "result: 4"),
    row("shell, ran", hosted_res("bash_code_execution_tool_result", RAN), told("4\n"), "result: 4"),
    row("editor, ran", hosted_res("text_editor_code_execution_tool_result", EDITED), told("")),
    row(
        "tool search",
        hosted("server_tool_use", "tool_search_tool_regex"),
        ran("{}", "tool_search_tool_regex"),
        "[tool_search_tool_regex] {}",
    ),
    row("tool search, found", hosted_res("tool_search_tool_result", TOOLS), told("a"), "result: a"),
    row("MCP", {**hosted("mcp_tool_use", "echo", a=1), "server_name": "s"}, ran('{"a":1}', "echo"), '[echo] {"a":1}'),
    row("MCP, answered", hosted_res("mcp_tool_result", [text("hi")]), told("hi"), "result: hi"),
    # what is carried whole or dropped whole
    Row("compaction", says({"type": "compaction", "content": "so far"}), (Opaque("compaction"),), [], pinned=True),
    row("unknown block", {"type": "hologram", "text": "x"}, Opaque("hologram")),
    row("no type", {"text": "x"}, Opaque("")),
    row("a type that is a list", {"type": ["text"], "text": "x"}, Opaque("")),
    row("null text", text(None), Opaque("text")),
    row("null thinking", think(None), Thinking("")),
    Row("no content", {"role": "user"}, (), []),
    Row("null content", {"role": "user", "content": None}, (), []),
    Row("odd content", {"role": "user", "content": {"type": "text"}}, (Opaque("content"),), []),
    Row("unknown role", {"role": "tool", "content": "x"}, (Text("x"),), []),
    Row("role that is a list", {"role": ["user"], "content": "x"}, (Text("x"),), []),
    Row("no object", "stray", UNREADABLE.parts, []),
    # instructions among the messages
    Row("instruction", {"role": "system", "content": "be kind"}, (Text("be kind"),), ["system: be kind"]),
    Row("directive", {"role": "system", "content": [], "output_config": {"effort": "low"}}, (), []),
]


@pytest.mark.parametrize("row", BLOCKS, ids=[row.name for row in BLOCKS])
def test_every_block(row: Row) -> None:
    check_row(NAME, row)


def test_a_message_of_the_model_is_one_part_and_hosted_results_stand_for_themselves() -> None:
    call, result = hosted("server_tool_use", "web_search", query="q"), hosted_res("web_search_tool_result", FOUND)
    message = says(think("hm"), text("I look"), call, result, text("found"), use(1))
    said = 'thinking: hm\nassistant: I look\nfound\n[web_search] {"query":"q"}\n[Bash] {}'
    assert folded(NAME, message).parts == [said, "result: T\nhttps://a.example"]


def test_a_user_message_is_a_part_for_each_block_in_order() -> None:
    message = user(res(1, "a"), text("STEER"), res(2, "b"))
    assert folded(NAME, message).parts == ["result: a", "user: STEER", "result: b"]


def test_the_note_is_a_user_message() -> None:
    assert DIALECTS[NAME].note("so far") == user("so far")
