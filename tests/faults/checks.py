"""What every fault test asks: no cut of any beginning of the conversation does harm."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from faithfold.compaction import Compaction, compact
from faithfold.core.projection import breaches
from faithfold.core.voices import SUMMARY_HEADER
from faithfold.strategies.options import CompactSettings
from tests.providers import problems


def compacted(dialect: str, messages: Sequence[object], keep_recent: int = 1) -> Compaction:
    made = compact(messages, dialect, CompactSettings(keep_recent=keep_recent))
    assert made is not None
    return made


def note(made: Compaction) -> str:
    """The text of the note."""
    return json.dumps(made.summary, ensure_ascii=False)


def layout(made: Compaction) -> str:
    """The messages sent: original indices, and N for a note."""
    return " ".join(str(origin) if isinstance(origin, int) else "N" for origin in made.projection.origins())


def all_cuts(dialect: str, messages: Sequence[object]) -> Iterator[Compaction]:
    """Every compaction of every beginning of the conversation; each is sound."""
    for length in range(1, len(messages) + 1):
        for keep_recent in range(5):
            made = compact(messages[:length], dialect, CompactSettings(keep_recent=keep_recent))
            if made is not None:
                check_sound(dialect, messages[:length], made)
                yield made


def check_cuts(dialect: str, messages: Sequence[object]) -> None:
    """Every cut is sound, and there is one."""
    assert list(all_cuts(dialect, messages))


def check_sound(dialect: str, messages: Sequence[object], made: Compaction) -> None:
    """It is legal, or as illegal as before; what is kept is the client's own; there is one note."""
    assert Counter(refusals(dialect, made.messages)) <= Counter(refusals(dialect, messages))
    assert breaches(made.projection) == []
    known = {id(message) for message in messages} | {id(made.summary)}
    assert all(id(message) in known for message in made.messages)
    assert json.dumps(made.messages).count(SUMMARY_HEADER) == 1


def refusals(dialect: str, messages: Sequence[object]) -> list[tuple[str, str]]:
    """What a provider would refuse: by its kind and the call that it is about."""
    return [(code, where if isinstance(where, str) else "") for code, where in problems(dialect, messages)]
