"""What is left of a message in a note, by content class: the table of spec 10-cliff.

Text is cut or dropped, never rephrased, and each thing left out is named in an omission.

| content                                | in the note                                              |
| tool result                            | `result: ...`, whole or not at all                       |
| tool call                              | `[name] arguments`, cut                                  |
| assistant text                         | `assistant: ...`                                         |
| readable thinking                      | `thinking: ...`                                          |
| human text                             | `user: ...`, less reports that a harness wrote into it   |
| system or developer text               | `system: ...`, `developer: ...`                          |
| picture, document, sealed thinking     | dropped                                                  |
| an earlier note                        | dropped                                                  |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from faithfold.core.dialect import Dialect
from faithfold.core.parts import (
    Call,
    Document,
    Image,
    Opaque,
    Part,
    Reading,
    Reference,
    Result,
    Speaker,
    Text,
    Thinking,
)
from faithfold.core.projection import Omission
from faithfold.core.voices import SUMMARY_HEADER, without_elements
from faithfold.strategies.options import CompactSettings

_HARNESS_REPORT = re.compile("<(task-notification)>")


@dataclass(slots=True)
class Folded:
    """The parts of a note that message `index` leaves, and what they don't show."""

    index: int
    parts: list[str] = field(default_factory=list[str])
    omissions: list[Omission] = field(default_factory=list[Omission])

    def omit(self, what: str, characters: int = 0) -> None:
        """Names something that is left out."""
        self.omissions.append(Omission(self.index, what, characters))

    def cut(self, text: str, limit: int, what: str) -> str:
        """`text`, cut at `limit` characters (0: not at all) and marked with an ellipsis."""
        if not limit or len(text) <= limit:
            return text
        self.omit(what, len(text) - limit)
        return text[:limit] + "..."


def fold(index: int, reading: Reading, settings: CompactSettings, dialect: Dialect) -> Folded:
    """Folds one message.

    Args:
        index: of the message, for the omissions.
        reading: the message.
        settings: where things are cut.
        dialect: of the message.
    """
    folded = Folded(index)
    match reading.speaker:
        case "model":
            _fold_model(folded, reading, settings, joined=dialect.joined)
        case "user" | "tool":
            _fold_user(folded, reading, settings, joined=dialect.joined)
        case "instruction":
            _fold_instruction(folded, reading, settings, notes="instruction" in dialect.notes_from)
        case _:
            folded.omit(f"message of kind {reading.role or _kind(reading)!r}")
            return folded
    for part in reading.parts:
        pieces: Sequence[Part] = (part, *part.others) if isinstance(part, Result) else (part,)
        for what in filter(None, (_unshown(piece, reading.speaker) for piece in pieces)):
            folded.omit(what)
    return folded


def _kind(reading: Reading) -> str:
    return next((part.kind for part in reading.parts if isinstance(part, Opaque)), "")


def _unshown(part: Part, speaker: Speaker) -> str:
    """What a part is called when no note shows any of it, else nothing."""
    match part:
        case Image():
            return "image"
        case Document():
            return "document"
        case Thinking(text=""):
            return "sealed thinking"
        case Thinking() if speaker != "model":
            return "thinking"
        case Reference():
            return "item reference"
        case Opaque(kind=kind):
            return f"{kind or 'unknown'} block"
        case Call() | Result() if speaker == "instruction":
            return "tool block"
        case _:
            return ""


def _fold_model(folded: Folded, reading: Reading, settings: CompactSettings, *, joined: bool) -> None:
    """Thinking, text and calls make one part; results of hosted tools stand for themselves."""
    texts = list(reading.texts) if joined else _said(reading.texts)
    lines = [
        _labelled("thinking", _thinking(folded, reading, settings)),
        _labelled("assistant", folded.cut("\n".join(texts).strip(), settings.thought_max_chars, "assistant text")),
        "\n".join(_call(folded, part, settings) for part in reading.parts if isinstance(part, Call)),
    ]
    if shown := "\n".join(filter(None, lines)):
        folded.parts.append(shown)
    for part in reading.parts:
        if isinstance(part, Result):
            _fold_result(folded, part, settings)


def _thinking(folded: Folded, reading: Reading, settings: CompactSettings) -> str:
    thoughts = _said([part.text for part in reading.parts if isinstance(part, Thinking)])
    text = "\n".join(thoughts).strip()
    if text and not settings.keep_thinking:
        folded.omit("thinking", len(text))
        return ""
    return folded.cut(text, settings.thinking_max_chars, "thinking")


def _call(folded: Folded, call: Call, settings: CompactSettings) -> str:
    return f"[{call.name}] {folded.cut(call.arguments, settings.cmd_max_chars, f'arguments of {call.name}')}"


def _fold_result(folded: Folded, result: Result, settings: CompactSettings) -> None:
    text = result.text.strip()
    if len(text) > settings.result_max_chars:
        folded.omit("tool result", len(text))
    elif text:
        folded.parts.append(f"result: {text}")


def _fold_user(folded: Folded, reading: Reading, settings: CompactSettings, *, joined: bool) -> None:
    """What stands on the user's side, in order: human text, results, and commands that the human ran."""
    if joined:
        _fold_human(folded, "\n".join(reading.texts).strip(), settings)
    for part in reading.parts:
        match part:
            case Text(text=text) if not joined:
                _fold_human(folded, text, settings)
            case Call():
                folded.parts.append(_call(folded, part, settings))
            case Result():
                _fold_result(folded, part, settings)
            case _:
                pass


def _fold_human(folded: Folded, text: str, settings: CompactSettings) -> None:
    if text.startswith(SUMMARY_HEADER):
        folded.omit("earlier note", len(text))
        return
    said = without_elements(text, _HARNESS_REPORT)
    if len(said) < len(text):
        folded.omit("task notification", len(text) - len(said))
    if shown := folded.cut(said.strip(), settings.human_max_chars, "human text"):
        folded.parts.append(f"user: {shown}")


def _fold_instruction(folded: Folded, reading: Reading, settings: CompactSettings, *, notes: bool) -> None:
    text = "\n".join(reading.texts).strip()
    if notes and text.startswith(SUMMARY_HEADER):
        folded.omit("earlier note", len(text))
    elif text:
        folded.parts.append(f"{reading.role}: {folded.cut(text, settings.human_max_chars, f'{reading.role} text')}")


def _labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if text else ""


def _said(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if text.strip()]
