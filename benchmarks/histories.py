"""Agent histories to measure with: made from a seed, so that every run measures the same bytes.

A step is a short text, one tool call and its result, as a coding agent sends them.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

WORDS = 2_000
FIRST = json.dumps({"role": "user", "content": "Find out why the build is slow, and make it faster."})
KEYS = {"anthropic": "messages", "openai-responses": "input"}


@dataclass
class History:
    """A history that grows on demand.

    Attributes:
        dialect: of its messages.
        result_chars: the shortest and the longest result of a tool.
        steps: the JSON text of each step's messages.
    """

    dialect: str
    result_chars: tuple[int, int] = (2_000, 6_000)
    steps: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        """Draws the vocabulary."""
        self._random = random.Random(1)
        letters = "abcdefghijklmnopqrstuvwxyz_/."
        self._words = ["".join(self._random.choices(letters, k=self._random.randint(2, 9))) for _ in range(WORDS)]

    def body(self, count: int) -> bytes:
        """The request with the first `count` steps."""
        while len(self.steps) < count:
            self.steps.append(self._step(len(self.steps)))
        messages = ", ".join([FIRST, *self.steps[:count]])
        fields = f'"model": "claude-sonnet-4-5", "max_tokens": 8000, "{KEYS[self.dialect]}": [{messages}]'
        return f'{{{fields}, "stream": true}}'.encode()

    def _step(self, number: int) -> str:
        result = self._text(self._random.randint(*self.result_chars))
        made = _anthropic if self.dialect == "anthropic" else _responses
        return ", ".join(json.dumps(message) for message in made(f"call_{number:06}", self._text(80), result))

    def _text(self, length: int) -> str:
        words = self._random.choices(self._words, k=length // 5)
        lines = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
        return "\n".join(lines)[:length]


def of_size(dialect: str, megabytes: int) -> tuple[History, int]:
    """A history of long results (30 to 90 kB), and how many of its steps make a body of that size."""
    history = History(dialect, (30_000, 90_000))
    count = 1
    while len(history.body(count)) < megabytes * 1_000_000:
        missing = megabytes * 1_000_000 - len(history.body(count))
        count += max(1, missing // 90_000)
    return history, count


def _anthropic(call: str, text: str, result: str) -> list[object]:
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"cat {text[:40]}"}}
    return [
        {"role": "assistant", "content": [{"type": "text", "text": text}, use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": result}]},
    ]


def _responses(call: str, text: str, result: str) -> list[object]:
    arguments = json.dumps({"command": f"cat {text[:40]}"})
    return [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]},
        {"type": "function_call", "call_id": call, "name": "shell", "arguments": arguments},
        {"type": "function_call_output", "call_id": call, "output": result},
    ]
