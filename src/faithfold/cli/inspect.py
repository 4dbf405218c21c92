"""`faithfold inspect`: what is in a conversation, and what a compaction would do to it. Nothing is changed.

Source: spec 60-hosts, Session files; spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from faithfold.cli.options import takes_settings
from faithfold.cli.source import Wanted, read, takes_a_conversation
from faithfold.cli.terminal import finish, json_bytes, put, show, steps_shown

if TYPE_CHECKING:
    from faithfold.strategies.options import CompactSettings


@click.command(epilog="Example: faithfold inspect --latest claude --keep-recent 5")
@takes_a_conversation
@click.option("--model", metavar="NAME", help="Count also with the tokenizer of this model.")
@takes_settings
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def inspect(
    source: Wanted,
    settings: CompactSettings,
    *,
    model: str | None,
    as_json: bool,
) -> None:
    """Show what is in FILE, and what a compaction would do to it.

    FILE is a session of Claude Code, Codex or Pi, a request body or a message list; - is standard input. Shown are
    its size by class of content, its largest messages, what a provider would refuse in it, and a picture of how it
    grew. Tokens are an estimate, a quarter of the characters; --model counts with a real tokenizer besides.

    Exit code: 0 done, 1 it could not be done, 2 usage, 3 done, but FILE has bad lines.
    """
    from faithfold.cli.page import page
    from faithfold.cli.report import report

    with steps_shown(source.size, "reading", "measuring") as stages:
        next(stages)
        transcript = read(source)
        next(stages)
        found = report(source.path, transcript, settings, model)
        next(stages, None)
    if as_json:
        put(json_bytes(found.as_json(), indent=2))
    else:
        show(page(found))
    finish(transcript.problems)
