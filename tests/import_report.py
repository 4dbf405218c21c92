"""Imports faithfold in a fresh interpreter, watches what that does, and prints it as JSON. Run by test_house_rules.py.

Watched: files that are opened (code aside), connections, log handlers, and which modules came along.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys

CODE = (".py", ".pyc", ".so", ".pyd", ".dylib")
opened: list[str] = []
connected: list[str] = []


def watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and not str(arguments[0]).endswith(CODE):
        opened.append(str(arguments[0]))
    if event.startswith("socket."):
        connected.append(event)


if __name__ == "__main__":
    before = set(sys.modules)
    sys.addaudithook(watch)
    importlib.import_module("faithfold")

    brought = sorted(set(sys.modules) - before)
    handlers = [repr(handler) for handler in logging.root.handlers]
    json.dump({"opened": opened, "connected": connected, "handlers": handlers, "brought": brought}, sys.stdout)
