"""`faithfold compact`: one conversation in, a smaller one out, in its own dialect and form.

Invariant: the result is never larger than the input. Where there is nothing to gain the conversation comes out as it
went in, and the user is told why.

Source: spec 90-decisions, Session files and the command line; spec 10-cliff.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from faithfold.cli.options import Whole, takes_settings
from faithfold.cli.output import refuse_to_write, write
from faithfold.cli.source import Wanted, read, takes_a_conversation
from faithfold.cli.terminal import finish, json_bytes, put, say, steps_shown
from faithfold.core.conversation import Conversation
from faithfold.dialects import DIALECTS
from faithfold.sessions.files import STANDARD_INPUT

if TYPE_CHECKING:
    from faithfold.compaction import Compaction
    from faithfold.sessions import Transcript
    from faithfold.strategies.options import CompactSettings


@click.command(epilog="Example: faithfold compact session.jsonl -o compacted.json")
@takes_a_conversation
@click.option("-o", "--output", "out", metavar="OUT", help="Write to this file, all or nothing.")
@click.option("--threshold", type=Whole(min=0), metavar="N", help="Only if it is over N tokens.")
@takes_settings
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object that tells what was done.")
def compact(
    source: Wanted,
    settings: CompactSettings,
    *,
    out: str | None,
    threshold: int | None,
    as_json: bool,
) -> None:
    """Compact the conversation in FILE, once, now.

    FILE is a session of Claude Code, Codex or Pi, a request body or a message list; - is standard input. The result
    is a body if FILE is one, else the list of messages, as JSON, on standard output or in OUT. With nothing to gain
    it is the conversation as it was. What was done is said on standard error.

    Exit code: 0 done, 1 it could not be done, 2 usage, 3 done, but FILE has bad lines.
    """
    target = None if out == STANDARD_INPUT else out
    if target is not None:
        refuse_to_write(target, source.path)
    done = _done(source, settings, threshold)
    result = json_bytes(done.conversation)
    if target is not None:
        write(target, result)
    if as_json:
        put(json_bytes(done.report(target)))
    elif target is None:
        put(result)
    say(done.notice)
    finish(done.transcript.problems)


@dataclass(frozen=True, slots=True)
class _Done:
    """What came of it: a compaction, or none; and one line that says what was done, or why nothing."""

    transcript: Transcript
    compaction: Compaction | None
    tokens: int
    notice: str

    @property
    def messages(self) -> list[object]:
        return [*self.compaction.messages] if self.compaction else self.transcript.messages

    @property
    def conversation(self) -> object:
        """The result in the form of the input: a body for a body, with its fields in their order."""
        body = self.transcript.body
        if body is None or self.compaction is None:
            return self.messages if body is None else body
        return {**body, DIALECTS[self.transcript.dialect].messages_key: self.messages}

    def report(self, out: str | None) -> dict[str, object]:
        """All of it as one JSON object; the conversation itself only where it was not written to a file."""
        made, transcript = self.compaction, self.transcript
        return {
            "changed": made is not None,
            "dialect": transcript.dialect,
            "agent": transcript.agent,
            "messages_before": len(transcript.messages),
            "messages_after": len(self.messages),
            "tokens_before": self.tokens,
            "tokens_after": made.tokens_after if made else self.tokens,
            "head_len": made.head_len if made else None,
            "cut": made.cut if made else None,
            "notice": self.notice,
            "problems": [{"line": problem.line, "why": problem.why} for problem in transcript.problems],
            "output": out,
            **({"conversation": self.conversation} if out is None else {}),
        }


def _done(source: Wanted, settings: CompactSettings, threshold: int | None) -> _Done:
    from faithfold.cli.gain import gain, gain_over

    with steps_shown(source.size, "reading", "compacting") as stages:
        next(stages)
        transcript = read(source)
        next(stages)
        conversation = Conversation(transcript.messages, DIALECTS[transcript.dialect])
        if threshold is None:
            gained = gain(conversation, settings)
        else:
            gained = gain_over(threshold, conversation, transcript.body, settings)
        next(stages, None)
    return _Done(transcript, gained.compaction, gained.tokens, gained.notice)
