"""Pieces of legal Chat Completions conversations, as OpenAI and the servers that speak its format take them."""

from __future__ import annotations

import json

from faithfold import SUMMARY_HEADER
from tests.generate.dice import Block, Dice, Json
from tests.generate.pictures import any_pdf, picture_url
from tests.generate.shape import Shapes
from tests.pictures import data_url
from tests.pieces import text

# ---------------------------------------------------------------- messages


def model(content: object, *calls: Block, **more: object) -> Json:
    return {"role": "assistant", "content": content} | ({"tool_calls": list(calls)} if calls else {}) | more


def any_call(dice: Dice, identity: str) -> Json:
    arguments = json.dumps(dice.arguments(), ensure_ascii=dice.chance(2))
    name = dice.one_of(("shell", "read_file"))
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def any_result(dice: Dice, identity: str) -> Json:
    said = dice.result()
    content: object = said if dice.chance(2) else [text(said), text(dice.text())]
    return {"role": "tool", "tool_call_id": identity, "content": content}


def any_text(dice: Dice) -> Json:
    return text(dice.text())


# ---------------------------------------------------------------- pieces


def one_call(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    return [model(dice.one_of((None, "", dice.text())), any_call(dice, i)), any_result(dice, i)]


def parallel_calls(dice: Dice) -> list[Json]:
    ids = [dice.identity("call") for _ in range(dice.number(2, 5))]
    return [model(None, *(any_call(dice, i) for i in ids)), *(any_result(dice, i) for i in reversed(ids))]


def reused_id(dice: Dice) -> list[Json]:
    """Some gateways give every call the same id."""
    i = dice.one_of(("call_0", ""))
    return [model(None, any_call(dice, i)), any_result(dice, i), model(None, any_call(dice, i)), any_result(dice, i)]


def no_content(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    return [{"role": "assistant", "tool_calls": [any_call(dice, i)]}, any_result(dice, i)]


def reasoning(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    field = dice.one_of(("reasoning_content", "reasoning"))
    details = [{"type": "reasoning.encrypted", "data": "ZZ", "id": None, "index": 0}]
    thought = {field: dice.text()} | ({"reasoning_details": details} if dice.chance(2) else {})
    return [model(dice.one_of((None, dice.text())), any_call(dice, i), **thought), any_result(dice, i)]


def thought_signature(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    extra = {"google": {"thought_signature": f"sig{dice.number(0, 10**6)}"}}
    return [model(None, {**any_call(dice, i), "extra_content": extra}), any_result(dice, i)]


def thinking_block(dice: Dice) -> list[Json]:
    return [model([{"type": "thinking", "thinking": [any_text(dice)]}, any_text(dice)]), *human(dice)]


def custom_call(dice: Dice) -> list[Json]:
    i = dice.identity("call")
    custom = {"id": i, "type": "custom", "custom": {"name": "apply_patch", "input": f"*** Begin Patch\n{dice.text()}"}}
    return [model(None, custom), any_result(dice, i)]


def legacy_call(dice: Dice) -> list[Json]:
    function = {"name": "lookup", "arguments": json.dumps(dice.arguments())}
    return [model(None, function_call=function), {"role": "function", "name": "lookup", "content": dice.result()}]


def answer(dice: Dice) -> list[Json]:
    content = dice.one_of((dice.text(), [any_text(dice), any_text(dice)]))
    note = {"type": "url_citation", "url_citation": {"url": "https://example.com", "title": dice.text()}}
    more: Json = {"annotations": [note], "refusal": None} if dice.chance(2) else {}
    return [model(content, **more), *human(dice)]


def refusal(dice: Dice) -> list[Json]:
    refused = dice.text()
    said = dice.one_of((model(None, refusal=refused), model([{"type": "refusal", "refusal": refused}])))
    return [said, *human(dice)]


def spoken_answer(dice: Dice) -> list[Json]:
    said: Json = {"type": "input_audio", "input_audio": {"data": "UklGRg", "format": "wav"}}
    return [model(None, audio={"id": dice.identity("audio")}), {"role": "user", "content": [said, any_text(dice)]}]


def two_answers(dice: Dice) -> list[Json]:
    return [model(dice.text()), model(dice.text()), *human(dice)]


def human(dice: Dice) -> list[Json]:
    said = dice.prose(20_050) if dice.chance(25) else dice.text()
    name = {"name": "ann"} if dice.chance(4) else {}
    return [{"role": "user", "content": dice.one_of((said, [text(said)])), **name}]


def pictures(dice: Dice) -> list[Json]:
    linked = {"type": "image_url", "image_url": {"url": picture_url(dice), "detail": "high"}}
    return [
        {
            "role": "user",
            "content": [linked, any_text(dice), {"type": "image_url", "image_url": {"url": "https://e.x"}}],
        }
    ]


def documents(dice: Dice) -> list[Json]:
    inline = {"filename": "a.pdf", "file_data": data_url(any_pdf(dice), "application/pdf")}
    file = dice.one_of((inline, {"file_id": f"file_{dice.number(0, 99)}"}))
    return [{"role": "user", "content": [{"type": "file", "file": file}, any_text(dice)]}]


def instruction(dice: Dice) -> list[Json]:
    role = dice.one_of(("system", "developer"))
    return [{"role": role, "content": dice.one_of((dice.text(), [any_text(dice)]))}, *human(dice), model(dice.text())]


def notification(dice: Dice) -> list[Json]:
    report = f"<task-notification>{dice.text()}</task-notification>"
    return [{"role": "user", "content": report + dice.one_of(("", dice.text()))}]


def note_back(dice: Dice) -> list[Json]:
    said = f"{SUMMARY_HEADER}\n\nuser: {dice.text()}\n\n---\n\nresult: {dice.text()}"
    return [{"role": "user", "content": dice.one_of((said, [text(said)]))}]


# ---------------------------------------------------------------- beginnings


def bare_task(dice: Dice) -> list[Json]:
    return human(dice)


def task(dice: Dice) -> list[Json]:
    return [{"role": dice.one_of(("system", "developer")), "content": dice.text()}, *human(dice)]


def compacted_task(dice: Dice) -> list[Json]:
    return [*task(dice), *note_back(dice)]


def greeting(dice: Dice) -> list[Json]:
    """A conversation may begin with the model here."""
    return [{"role": "system", "content": dice.text()}, model(dice.text()), *human(dice)]


SHAPES = Shapes(
    begin=(bare_task, task, compacted_task, greeting),
    go_on=(
        one_call,
        parallel_calls,
        reused_id,
        no_content,
        reasoning,
        thought_signature,
        thinking_block,
        custom_call,
        legacy_call,
        answer,
        refusal,
        spoken_answer,
        two_answers,
        human,
        pictures,
        documents,
        instruction,
        notification,
        note_back,
    ),
)
