"""The smallest wire messages, and a row that says what becomes of one.

`user`, `says`, `use`, ... are Anthropic's (`user`, `says` and `text` every dialect's); `calls` and `tool` are Chat's;
`message`, `fc`, `fo` and `rs` are Responses items. Where a call's number is asked for, its result takes the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from faithfold.core.conversation import Conversation
from faithfold.core.identity import digest
from faithfold.core.parts import Part
from faithfold.dialects import DIALECTS
from faithfold.strategies.folding import Folded, fold
from faithfold.strategies.options import CompactSettings

Wire = dict[str, object]
DEFAULTS = CompactSettings()


def user(*blocks: object) -> Wire:
    """A user message: of one text, or of blocks."""
    return {"role": "user", "content": blocks[0] if len(blocks) == 1 and isinstance(blocks[0], str) else list(blocks)}


def says(*blocks: object) -> Wire:
    """An assistant message, as `user`."""
    return {**user(*blocks), "role": "assistant"}


def item(kind: str, **fields: object) -> Wire:
    """An item of the Responses API, or a block of any dialect."""
    return {"type": kind, **fields}


def text(words: object) -> Wire:
    return {"type": "text", "text": words}


def think(words: object, signature: str = "SIG") -> Wire:
    return {"type": "thinking", "thinking": words, "signature": signature}


def use(number: object, name: str = "Bash", **arguments: object) -> Wire:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}


def res(number: object, content: object = "done") -> Wire:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content}


def hosted(kind: str, name: str, **arguments: object) -> Wire:
    """A call of a tool that runs at Anthropic."""
    return {"type": kind, "id": "srv_1", "name": name, "input": arguments}


def hosted_res(kind: str, content: object) -> Wire:
    return {"type": kind, "tool_use_id": "srv_1", "content": content}


def image(data: str = "AAAA") -> Wire:
    """A picture, inline, by its base64."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def model(content: object = None, **fields: object) -> Wire:
    """A Chat assistant message with fields of its own."""
    return {"role": "assistant", "content": content, **fields}


def calls(*numbers: object) -> Wire:
    """A Chat assistant message with tool calls."""
    return model(tool_calls=[call(number) for number in numbers])


def call(number: object, arguments: object = '{"a":1}') -> Wire:
    return {"id": f"call_{number}", "type": "function", "function": {"name": "run", "arguments": arguments}}


def custom(number: object, words: str = "*** Begin Patch") -> Wire:
    """A call of a tool that takes free text."""
    return {"id": f"call_{number}", "type": "custom", "custom": {"name": "apply_patch", "input": words}}


def tool(number: object, content: object = "done") -> Wire:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}


def message(role: str, *blocks: object, **more: object) -> Wire:
    return item("message", role=role, content=list(blocks), **more)


def fc(number: object, arguments: object = '{"a":1}') -> Wire:
    return {"type": "function_call", "call_id": f"call_{number}", "name": "run", "arguments": arguments}


def fo(number: object, output: object = "done") -> Wire:
    return {"type": "function_call_output", "call_id": f"call_{number}", "output": output}


def patch(number: object, words: str = "*** Begin Patch") -> Wire:
    """As `custom`."""
    return {"type": "custom_tool_call", "call_id": f"call_{number}", "name": "apply_patch", "input": words}


def patched(number: object, output: object = "done") -> Wire:
    return {"type": "custom_tool_call_output", "call_id": f"call_{number}", "output": output}


def rs(number: object, *summary: str) -> Wire:
    """A reasoning item: sealed, with what of it may be read."""
    readable = [{"type": "summary_text", "text": words} for words in summary]
    return {"type": "reasoning", "id": f"rs_{number}", "summary": readable, "encrypted_content": f"sealed {number}"}


def pi_step(number: int, result: str) -> list[Wire]:
    call: Wire = {"type": "toolCall", "id": f"call_{number}", "name": "bash", "arguments": {"command": f"run {number}"}}
    answer: Wire = {"role": "toolResult", "toolCallId": f"call_{number}", "toolName": "bash", "content": [text(result)]}
    return [says(call), answer]


BUILT_IN = ("anthropic", "openai", "openai-responses", "pi")
"""The dialects that no test over all dialects may leave out, whatever else is in the table."""

# One ordinary step of a dialect: a call, and its result with the given text. Here an author adds the samples of a new
# dialect: all tests over ordinary sessions run over this table.
STEPS: Mapping[str, Callable[[int, str], list[Wire]]] = {
    "anthropic": lambda number, result: [says(use(number, command=f"run {number}")), user(res(number, result))],
    "openai": lambda number, result: [calls(number), tool(number, result)],
    "openai-responses": lambda number, result: [rs(number), fc(number), fo(number, result)],
    "pi": pi_step,
}


def session(dialect: str, steps: int, result: str = "done", task: str = "the task") -> list[Wire]:
    """A task and so many ordinary steps."""
    taken = [message for number in range(steps) for message in STEPS[dialect](number, result)]
    return [DIALECTS[dialect].note(task), *taken]


class Row(NamedTuple):
    """What becomes of one message: how it is read, what a note shows of it, whether it is pinned."""

    name: str
    message: object
    parts: tuple[Part, ...]
    shown: list[str]
    pinned: bool = False


def folded(dialect: str, message: object, settings: CompactSettings = DEFAULTS) -> Folded:
    """What a note shows of a message."""
    row = DIALECTS[dialect]
    return fold(0, row.read(message), settings, row)


def check_row(dialect: str, row: Row) -> None:
    reading = DIALECTS[dialect].read(row.message)
    assert reading.parts == row.parts
    assert folded(dialect, row.message).parts == row.shown
    assert reading.pinned == row.pinned


def codes(dialect: str, messages: list[object]) -> list[str]:
    """The codes of the faults, in order."""
    return [fault.code for fault in Conversation(messages, DIALECTS[dialect]).faults]


def digest_of(dialect: str, message: object) -> str:
    return digest(DIALECTS[dialect].canonical(message))
