"""Agents that are about to be started by way of a proxy, for the tests of what they are told."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from faithfold.hosts.agents import prepare
from faithfold.hosts.launch import Launch, Side
from tests.cli_runs import Home

PROXY = "http://127.0.0.1:4711"
GATEWAY = "https://gateway.example/llm"


def launched(
    command: Sequence[str], variables: Mapping[str, str] | None = None, upstreams: Mapping[Side, str] | None = None
) -> Launch:
    """What is run in place of a command."""
    return prepare(command, {"PATH": os.environ["PATH"], **(variables or {})}, PROXY, upstreams or {})


def stand_in(home: Home, name: str, asked: str, says: str, stream: int = 1) -> str:
    """A program of this name, that says something where it is asked with these two words, and else nothing."""
    answer = f"cat >&{stream} <<'END'\n{says}\nEND\n"
    path = home.write(f"bin/{name}", f'#!/bin/sh\n[ "$1 $2" = "{asked}" ] && {answer}')
    path.chmod(0o755)
    return str(path)
