"""Pieces of Pi conversations, as its session files hold them."""

from __future__ import annotations

from faithfold import SUMMARY_HEADER
from tests.generate.dice import Block, Dice, Json
from tests.generate.pictures import inline_picture
from tests.generate.shape import Shapes
from tests.pieces import text

# ---------------------------------------------------------------- messages and blocks


def any_text(dice: Dice) -> Json:
    block = text(dice.text())
    return block | {"textSignature": "c2ln"} if dice.chance(4) else block


def any_thinking(dice: Dice) -> Json:
    return {"type": "thinking", "thinking": dice.one_of(("", dice.text())), "thinkingSignature": f"s{dice.place}"}


def any_call(dice: Dice, identity: str) -> Json:
    block: Json = {"type": "toolCall", "id": identity, "name": "bash", "arguments": dice.arguments()}
    return block | {"thoughtSignature": "dGhvdWdodA"} if dice.chance(4) else block


def any_image(dice: Dice) -> Json:
    media_type, data = inline_picture(dice)
    return {"type": "image", "data": data, "mimeType": media_type}


def model(dice: Dice, *blocks: Block, **more: object) -> Json:
    bill = {"input": dice.number(1, 10**6), "output": 3, "cost": {"total": 0.25}}
    told = {"api": "anthropic-messages", "provider": "anthropic", "model": "m", "usage": bill, "timestamp": dice.place}
    return {"role": "assistant", "content": list(blocks), "stopReason": "stop"} | told | more


def any_result(dice: Dice, identity: str) -> Json:
    content = [text(dice.result()), *([any_image(dice)] if dice.chance(4) else [])]
    told: Json = {"toolCallId": identity, "toolName": "bash", "isError": dice.chance(5), "details": dice.json()}
    return {"role": "toolResult", "content": content, "timestamp": dice.number(0, 10**12)} | told


# ---------------------------------------------------------------- pieces


def one_call(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    return [model(dice, any_text(dice), any_call(dice, i)), any_result(dice, i)]


def parallel_calls(dice: Dice) -> list[Json]:
    ids = [dice.identity("toolu") for _ in range(dice.number(2, 4))]
    return [model(dice, any_thinking(dice), *(any_call(dice, i) for i in ids)), *(any_result(dice, i) for i in ids)]


def late_result(dice: Dice) -> list[Json]:
    """The user speaks, and the model answers, before the tool does."""
    i = dice.identity("toolu")
    meanwhile = [message for _ in range(dice.number(1, 3)) for message in (*human(dice), model(dice, any_text(dice)))]
    return [model(dice, any_call(dice, i)), *meanwhile, any_result(dice, i)]


def reused_id(dice: Dice) -> list[Json]:
    return [model(dice, any_call(dice, "call_0")), any_result(dice, "call_0")] * dice.number(1, 2)


def signed_thinking(dice: Dice) -> list[Json]:
    i = dice.identity("toolu")
    return [model(dice, any_thinking(dice), any_text(dice), any_thinking(dice), any_call(dice, i)), any_result(dice, i)]


def answer(dice: Dice) -> list[Json]:
    return [model(dice, any_thinking(dice), any_text(dice)), *human(dice)]


def aborted(dice: Dice) -> list[Json]:
    return [model(dice, stopReason="aborted", errorMessage="Request was aborted."), *human(dice)]


def human(dice: Dice) -> list[Json]:
    said = dice.prose(20_050) if dice.chance(25) else dice.text()
    content = dice.one_of((said, [text(said)], [text(said), any_image(dice)]))
    return [{"role": "user", "content": content, "timestamp": dice.place}]


def command(dice: Dice) -> list[Json]:
    told: Json = {"exitCode": 0, "cancelled": False, "truncated": False, "timestamp": dice.place}
    return [{"role": "bashExecution", "command": dice.text(), "output": dice.result()} | told]


def custom(dice: Dice) -> list[Json]:
    role = dice.one_of(("custom", "hookMessage"))
    content = dice.one_of((dice.text(), [any_text(dice)]))
    return [{"role": role, "customType": "x", "content": content, "display": True, "timestamp": 1}]


def summaries(dice: Dice) -> list[Json]:
    branch: Json = {"role": "branchSummary", "summary": dice.text(), "fromId": "a1", "timestamp": 1}
    own: Json = {"role": "compactionSummary", "summary": dice.text(), "tokensBefore": 9, "timestamp": 1}
    return [dice.one_of((branch, own))]


def notification(dice: Dice) -> list[Json]:
    said = f"<task-notification>{dice.text()}</task-notification> {dice.text()}"
    return [{"role": "user", "content": said, "timestamp": 1}]


def note_back(dice: Dice) -> list[Json]:
    said = f"{SUMMARY_HEADER}\n\nuser: {dice.text()}"
    return [{"role": "user", "content": [text(said)], "timestamp": 1}]


# ---------------------------------------------------------------- beginnings


def task(dice: Dice) -> list[Json]:
    return human(dice)


def compacted_task(dice: Dice) -> list[Json]:
    return [*human(dice), *note_back(dice)]


SHAPES = Shapes(
    begin=(task, compacted_task, summaries, command),
    go_on=(
        one_call,
        parallel_calls,
        late_result,
        reused_id,
        signed_thinking,
        answer,
        aborted,
        human,
        command,
        custom,
        summaries,
        notification,
        note_back,
    ),
)
