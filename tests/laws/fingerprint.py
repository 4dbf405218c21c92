"""Digests of what is made of a few fixed conversations; run as a script, it prints them."""

from __future__ import annotations

import sys

import faithfold as ff
from faithfold import dialects
from faithfold.core.identity import chain, digest, digest_text
from tests.generate.conversations import SHAPES
from tests.generate.dice import Dice
from tests.laws.running import text_of


def fingerprint() -> list[str]:
    """For each dialect: of the messages that are sent, the projection, and the chain of the history."""
    found: list[str] = []
    for dialect, shapes in SHAPES.items():
        pieces = (shapes.begin[0], *shapes.go_on, *shapes.go_on)
        messages: list[object] = [m for place, piece in enumerate(pieces) for m in piece(Dice(place, place * 7))]
        for limit in (None, 900):
            compaction = ff.compact(messages, dialect, ff.CompactSettings(target_tokens=limit))
            if compaction is not None:
                projection = compaction.projection
                story = [sorted(projection.dropped.items()), list(map(str, projection.omissions)), compaction.notice]
                found.extend(map(digest_text, (text_of(compaction.messages), text_of(story))))
        found.append(chain(digest(dialects.dialect(dialect).canonical(message)) for message in messages)[-1])
    return found


if __name__ == "__main__":
    sys.stdout.write("\n".join(fingerprint()))
