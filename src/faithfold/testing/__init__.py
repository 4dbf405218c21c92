"""A fake provider of models, for tests: a server that speaks the real wire formats, and says what a script wants.

Needs the extra `faithfold[proxy]`. Nothing in it is a mock: clients connect to real sockets and can't tell.

    with FakeProvider(tool_loop(Call("read", {"path": "a.py"}), steps=3)) as provider:
        ...  # point a client at provider.url, then look at provider.requests
"""

from __future__ import annotations

from faithfold.testing.answers import Answer, Call, Delivery, Raw, Refusal, Reply
from faithfold.testing.asked import Asked, Tool
from faithfold.testing.provider import FakeProvider
from faithfold.testing.received import Received
from faithfold.testing.scripts import Script, says, sequence, shell, tool_loop

__all__ = [
    "Answer",
    "Asked",
    "Call",
    "Delivery",
    "FakeProvider",
    "Raw",
    "Received",
    "Refusal",
    "Reply",
    "Script",
    "Tool",
    "says",
    "sequence",
    "shell",
    "tool_loop",
]
