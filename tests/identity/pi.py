"""What makes a message of Pi's another.

Rows: what differs, one message, the other. `SAME` have one digest, `DIFFERENT` have two.
"""

from __future__ import annotations

from tests.identity.rows import Rows
from tests.pieces import Wire, pi_step, says, text, user

_, RESULT = pi_step(1, "ok")
PICTURE: Wire = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
SHELL: Wire = {"role": "bashExecution", "command": "ls", "output": "a.py"}
SUMMARY: Wire = {"role": "compactionSummary", "summary": "so far"}
THOUGHT: Wire = {"type": "thinking", "thinking": "hm", "thinkingSignature": "A"}
SAME: Rows = [
    ("when it was said", user("x"), user("x") | {"timestamp": 1}),
    (
        "what it cost and who said it",
        says("x"),
        says("x") | {"usage": {"input": 1}, "api": "a", "provider": "p", "model": "m"},
    ),
    ("what only the screen shows", RESULT, RESULT | {"details": {"diff": "x"}}),
    ("a signature", says(THOUGHT), says(THOUGHT | {"thinkingSignature": "B"})),
    ("a string against a text block", user("x"), user(text("x"))),
]
DIFFERENT: Rows = [
    ("text", user("x"), user("y")),
    ("role", user("x"), says("x")),
    ("role, of the user's side", user("a"), {**user("a"), "role": "custom"}),
    ("what is no object", "a", "b"),
    ("arguments", says({"type": "toolCall", "arguments": {"a": 1}}), says({"type": "toolCall", "arguments": {"a": 2}})),
    ("the call answered", RESULT, RESULT | {"toolCallId": "call_2"}),
    ("an error", RESULT | {"isError": False}, RESULT | {"isError": True}),
    ("a command", SHELL, SHELL | {"command": "pwd"}),
    ("a summary", SUMMARY, SUMMARY | {"summary": "more"}),
    ("a picture", user(PICTURE), user(PICTURE | {"data": "BBBB"})),
    ("bare strings", user("a", "b"), user("a", "c")),
    ("odd content", {"role": "user", "content": 7}, {"role": "user", "content": 8}),
]
