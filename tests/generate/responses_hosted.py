"""Pieces of Responses inputs with tools that run at the provider."""

from __future__ import annotations

from tests.generate.dice import Dice, Json
from tests.generate.pictures import inline_picture
from tests.generate.responses_items import any_call, any_output, asked, reasoning, said


def hosted_tools(dice: Dice) -> list[Json]:
    found = [{"filename": "a.md", "file_id": "f", "text": dice.result(), "score": 0.5}]
    logs = [{"type": "logs", "logs": dice.result()}]
    return [
        reasoning(dice),
        {
            "type": "web_search_call",
            "id": "ws",
            "status": "completed",
            "action": {"type": "search", "query": dice.text()},
        },
        {"type": "file_search_call", "id": "fs", "status": "completed", "queries": [dice.text()], "results": found},
        {"type": "code_interpreter_call", "id": "ci", "container_id": "c", "code": dice.text(), "outputs": logs},
        said(dice),
    ]


def hosted_search(dice: Dice) -> list[Json]:
    asks: Json = {"type": "tool_search_call", "execution": "server", "call_id": None, "arguments": {"paths": ["a"]}}
    return [asks, {"type": "tool_search_output", "execution": "server", "call_id": None, "tools": []}, said(dice)]


def generated_picture(dice: Dice) -> list[Json]:
    picture = inline_picture(dice)[1]
    made: Json = {"type": "image_generation_call", "id": dice.identity("ig"), "status": "completed", "result": picture}
    return [made | {"revised_prompt": dice.text()}, said(dice)]


def mcp(dice: Dice) -> list[Json]:
    tools: list[Json] = [{"name": "echo", "input_schema": {"type": "object"}}]
    ran: Json = {"type": "mcp_call", "id": dice.identity("mcp"), "server_label": "s", "name": "echo", "arguments": "{}"}
    outcome: Json = dice.one_of(({"output": dice.result(), "error": None}, {"output": None, "error": dice.text()}))
    return [{"type": "mcp_list_tools", "id": "mcpl", "server_label": "s", "tools": tools}, ran | outcome, said(dice)]


def approval(dice: Dice) -> list[Json]:
    i = dice.identity("mcpr")
    asks: Json = {"type": "mcp_approval_request", "id": i, "server_label": "s", "name": "rm", "arguments": "{}"}
    answers: Json = {
        "type": "mcp_approval_response",
        "approval_request_id": i,
        "approve": dice.chance(2),
        "reason": "no",
    }
    return [asks, *([asked(dice)] if dice.chance(3) else []), answers, said(dice)]


def program(dice: Dice) -> list[Json]:
    p, i = dice.identity("prog"), dice.identity("call")
    caller = {"type": "program", "caller_id": p}
    return [
        {"type": "program", "id": "pr", "call_id": p, "code": "await f()", "fingerprint": "fp"},
        any_call(dice, i) | {"caller": caller},
        any_output(dice, i) | {"caller": caller},
        {"type": "program_output", "id": "po", "call_id": p, "result": dice.text(), "status": "completed"},
        said(dice),
    ]
