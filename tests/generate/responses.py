"""Pieces of legal inputs of the Responses API."""

from __future__ import annotations

from faithfold import SUMMARY_HEADER
from tests.generate.dice import Dice, Json
from tests.generate.pictures import any_pdf, picture_data_url, picture_url
from tests.generate.responses_hosted import approval, generated_picture, hosted_search, hosted_tools, mcp, program
from tests.generate.responses_items import any_call, any_output, asked, reasoning, said
from tests.generate.shape import Shapes
from tests.pictures import data_url
from tests.pieces import item, message

# ---------------------------------------------------------------- the client's tools


def one_call(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    return [*([said(dice)] if dice.chance(2) else []), any_call(dice, i), any_output(dice, i)]


def parallel_calls(dice: Dice) -> list[Json]:
    ids = [dice.identity("call") for _ in range(dice.number(2, 4))]
    return [reasoning(dice), *(any_call(dice, i) for i in ids), *(any_output(dice, i) for i in reversed(ids))]


def alternating_calls(dice: Dice) -> list[Json]:
    i, j = dice.identity("call"), dice.identity("call")
    return [
        any_call(dice, i),
        any_output(dice, i),
        reasoning(dice),
        reasoning(dice),
        any_call(dice, j),
        any_output(dice, j),
    ]


def late_result(dice: Dice) -> list[Json]:
    """A call that waits for a person, while the conversation goes on."""
    i = dice.identity("call")
    meanwhile = [each for _ in range(dice.number(1, 3)) for each in (asked(dice), *one_call(dice))]
    return [any_call(dice, i), *meanwhile, any_output(dice, i)]


def pending_result(dice: Dice) -> list[Json]:
    """A tool that says first that it is still at work, and tells its outcome in words later."""
    i = dice.identity("call")
    pending: Json = {"type": "function_call_output", "call_id": i, "output": '{"status":"pending"}'}
    return [any_call(dice, i), pending, said(dice), message("user", item("input_text", text=f"{i} is done"))]


def reused_id(dice: Dice) -> list[Json]:
    return [any_call(dice, "call_0"), any_output(dice, "call_0")] * dice.number(1, 2)


def custom_call(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    asks: Json = {"type": "custom_tool_call", "call_id": i, "name": "apply_patch", "input": dice.text()}
    return [reasoning(dice), asks, {"type": "custom_tool_call_output", "call_id": i, "output": dice.result()}]


def shells(dice: Dice) -> list[Json]:
    i, j = dice.identity("call"), dice.identity("call")
    local: Json = {"type": "exec", "command": ["ls", dice.text()], "env": {}}
    remote: Json = {"commands": [dice.text()], "timeout_ms": None}
    outcome = [{"stdout": dice.result(), "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
    return [
        {"type": "local_shell_call", "id": "lsh", "call_id": i, "action": local, "status": "completed"},
        {"type": "local_shell_call_output", "call_id": i, "output": dice.result()},
        {"type": "shell_call", "call_id": j, "action": remote, "status": "completed"},
        {"type": "shell_call_output", "call_id": j, "output": outcome, "max_output_length": 9},
    ]


def patch(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    operation = {"type": "update_file", "path": "a.py", "diff": dice.text()}
    return [
        {"type": "apply_patch_call", "call_id": i, "operation": operation, "status": "completed"},
        {"type": "apply_patch_call_output", "call_id": i, "status": "completed", "output": dice.text()},
    ]


def computer(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    shot = item("computer_screenshot", image_url=picture_data_url(dice))
    return [
        reasoning(dice),
        {"type": "computer_call", "call_id": i, "id": "cu", "action": {"type": "screenshot"}, "status": "completed"},
        {"type": "computer_call_output", "call_id": i, "output": shot, "acknowledged_safety_checks": []},
    ]


def tool_search(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    tools: list[Json] = [{"type": "function", "name": "deploy", "parameters": {}}]
    asks: Json = {"type": "tool_search_call", "execution": "client", "call_id": i, "arguments": {"query": dice.text()}}
    return [asks, {"type": "tool_search_output", "execution": "client", "call_id": i, "tools": tools}]


# ---------------------------------------------------------------- what else stands in an input


def reference(dice: Dice) -> list[Json]:
    """Items that the provider holds; the last one is a call, and its output follows."""
    i = dice.identity("stored")
    return [{"type": "item_reference", "id": "rs_1"}, {"type": "item_reference", "id": "fc_1"}, any_output(dice, i)]


def own_compaction(dice: Dice) -> list[Json]:
    kind = dice.one_of(("compaction", "compaction_summary", "context_compaction"))
    return [{"type": kind, "id": dice.identity("cmp"), "encrypted_content": f"gA{dice.number(0, 999)}"}, asked(dice)]


def more_tools(dice: Dice) -> list[Json]:
    tools: list[Json] = [{"type": "function", "name": f"tool{dice.number(0, 9)}", "parameters": {}}]
    return [{"type": "additional_tools", "role": "developer", "tools": tools}, asked(dice)]


def answer(dice: Dice) -> list[Json]:
    bare: Json = {"role": "assistant", "content": dice.text()}
    refused = message("assistant", {"type": "refusal", "refusal": dice.text()}, status="completed", id="msg")
    return [*([reasoning(dice)] if dice.chance(2) else []), dice.one_of((said(dice), bare, refused)), asked(dice)]


def two_answers(dice: Dice) -> list[Json]:
    return [reasoning(dice), said(dice), said(dice), asked(dice)]


def human(dice: Dice) -> list[Json]:
    return [asked(dice)]


def pictures(dice: Dice) -> list[Json]:
    linked: Json = {"type": "input_image", "image_url": picture_url(dice), "detail": "auto"}
    stored: Json = {"type": "input_image", "file_id": f"file_{dice.number(0, 9)}", "detail": "low"}
    return [message("user", linked, item("input_text", text=dice.text()), stored)]


def documents(dice: Dice) -> list[Json]:
    inline: Json = {"type": "input_file", "filename": "a.pdf", "file_data": data_url(any_pdf(dice), "application/pdf")}
    stored: Json = {"type": "input_file", "file_id": "file_1"}
    linked: Json = {"type": "input_file", "file_url": "https://example.com/a.pdf"}
    return [message("user", dice.one_of((inline, stored, linked)), item("input_text", text=dice.text()))]


def instruction(dice: Dice) -> list[Json]:
    role = dice.one_of(("system", "developer"))
    return [message(role, item("input_text", text=dice.text())), asked(dice), said(dice)]


def notification(dice: Dice) -> list[Json]:
    report = f"<task-notification>{dice.text()}</task-notification>"
    return [message("user", item("input_text", text=report), item("input_text", text=dice.text()))]


def note_back(dice: Dice) -> list[Json]:
    return [message("user", item("input_text", text=f"{SUMMARY_HEADER}\n\nuser: {dice.text()}"))]


# ---------------------------------------------------------------- beginnings and ends


def task(dice: Dice) -> list[Json]:
    return [message(dice.one_of(("system", "developer")), item("input_text", text=dice.text())), asked(dice)]


def bare_task(dice: Dice) -> list[Json]:
    return [asked(dice)]


def compacted_task(dice: Dice) -> list[Json]:
    return [*task(dice), *note_back(dice)]


def compaction_trigger(dice: Dice) -> list[Json]:
    del dice
    return [{"type": "compaction_trigger"}]


SHAPES = Shapes(
    begin=(task, bare_task, compacted_task, own_compaction, more_tools),
    go_on=(
        one_call,
        parallel_calls,
        alternating_calls,
        late_result,
        pending_result,
        reused_id,
        custom_call,
        shells,
        patch,
        computer,
        tool_search,
        hosted_tools,
        hosted_search,
        generated_picture,
        mcp,
        approval,
        program,
        reference,
        own_compaction,
        more_tools,
        answer,
        two_answers,
        human,
        pictures,
        documents,
        instruction,
        notification,
        note_back,
    ),
    end=(compaction_trigger,),
)
