"""Items of the Responses API, of which its pieces are made."""

from __future__ import annotations

import json

from tests.generate.dice import Dice, Json
from tests.generate.pictures import picture_url
from tests.pieces import item, message


def said(dice: Dice) -> Json:
    block: Json = {"type": "output_text", "text": dice.text(), "annotations": []}
    more: Json = {
        "id": dice.identity("msg"),
        "status": "completed",
        "phase": dice.one_of(("commentary", "final_answer")),
    }
    return message("assistant", block, **more)


def asked(dice: Dice) -> Json:
    text = dice.prose(20_050) if dice.chance(25) else dice.text()
    bare: Json = {"role": "user", "content": text}
    return dice.one_of((bare, message("user", item("input_text", text=text)), bare | {"type": "message"}))


def reasoning(dice: Dice) -> Json:
    thought = item("reasoning", id=dice.identity("rs"), summary=[])
    match dice.number(0, 2):
        case 0:
            thought["encrypted_content"] = f"gAAAA{dice.number(0, 10**9)}"
        case 1:
            thought["summary"] = [item("summary_text", text=dice.text())]
        case _:
            thought["content"] = [item("reasoning_text", text=dice.text())]
    return thought


def any_call(dice: Dice, identity: str) -> Json:
    call = item("function_call", call_id=identity, name="shell", arguments=json.dumps(dice.arguments()))
    return call | {"id": dice.identity("fc"), "status": "completed"} if dice.chance(2) else call


def any_output(dice: Dice, identity: str) -> Json:
    text = dice.result()
    content: object = text
    if dice.chance(3):
        content = [item("input_text", text=text), {"type": "input_image", "image_url": picture_url(dice)}]
    return {"type": "function_call_output", "call_id": identity, "output": content}
