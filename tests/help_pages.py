"""The `--help` pages as they stand in docs/cli.md. `python -m tests.help_pages` writes them there anew."""

from __future__ import annotations

import re

from faithfold.cli.group import commands
from tests.places import ROOT

DOCUMENT = ROOT / "docs" / "cli.md"
_PLACE = re.compile(r"(<!-- help: (\w+) -->\n).*?(<!-- /help -->)", re.DOTALL)


def page(name: str) -> str:
    """The help page of a command, 80 columns wide."""
    parent = commands.make_context("faithfold", [], resilient_parsing=True, terminal_width=80)
    command = commands.commands[name]
    return command.get_help(command.make_context(name, [], parent, resilient_parsing=True, terminal_width=80))


def with_pages(document: str) -> str:
    """The document with each help page in its place."""
    return _PLACE.sub(lambda place: f"{place[1]}\n```text\n{page(place[2])}\n```\n\n{place[3]}", document)


if __name__ == "__main__":
    DOCUMENT.write_text(with_pages(DOCUMENT.read_text("utf-8")), "utf-8")
