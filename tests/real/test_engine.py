"""The engine over real sessions: recorded requests as the client sent them, and transcripts as they grew.

Request by request as the oracle has it, in the client's own bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import faithfold as ff
from faithfold.core.values import as_list, as_object, as_text
from faithfold.dialects import DIALECTS
from faithfold.resending import Engine
from faithfold.sessions.shapes import dialect_of_path
from faithfold.wire import split
from tests.parity import oracle
from tests.parity.test_engine import Both, request
from tests.places import captures
from tests.real.conversations import Spoken, conversations, sources

MOST_MESSAGES = 120
PARTS = (2, 5)


def clients() -> list[str]:
    """Clients of whom more than one request was recorded."""
    folder = captures()
    names = [] if folder is None else [path.name.rsplit("-", 2)[0] for path in sorted(folder.glob("*.json"))]
    return sorted({name for name in names if names.count(name) > 1})


def recorded(client: str) -> Iterator[tuple[str, bytes]]:
    """A client's requests, in order: dialect and body."""
    for path in sorted((captures() or Path()).glob(f"{client}-[0-9]*.json")):
        capture = as_object(json.loads(path.read_text("utf-8")))
        dialect = dialect_of_path(as_text(capture.get("path")))
        if dialect and as_list(as_object(capture.get("body")).get(DIALECTS[dialect].messages_key)):
            yield dialect, json.dumps(capture["body"], ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("client", clients())
@pytest.mark.parametrize("part", PARTS)
def test_recorded_requests_stay_legal_and_keep_their_bytes(client: str, part: int) -> None:
    requests = [*recorded(client)]
    largest = max((ff.estimate_tokens(json.loads(body)) for _, body in requests), default=0)
    engine = Engine(ff.EngineSettings(threshold_tokens=largest // part))
    for dialect, body in requests:
        made = engine.prepare(body, dialect)
        came, goes = (split(each, DIALECTS[dialect].messages_key) for each in (body, made.body))
        assert came is not None
        assert goes is not None
        texts = [[each.message(index) for index in range(len(each.messages))] for each in (came, goes)]
        assert goes.rest == came.rest
        assert texts[1][: made.head_len] == texts[0][: made.head_len]
        assert made.modified or made.body is body
        assert not made.modified or texts[1][made.head_len + 1 :][-(len(texts[0]) - made.cut) :] == texts[0][made.cut :]
        codes = [{fault.code for fault in ff.faults([*told], dialect)} for told in (json_of(texts[0]), made.messages)]
        assert codes[1] <= codes[0]


def json_of(texts: Sequence[bytes]) -> list[object]:
    return [json.loads(text) for text in texts]


@pytest.mark.parametrize("source", [source for source in sources() if not source.startswith("captures:")])
def test_transcripts_as_they_grew_are_sent_as_the_oracle_sends_them(source: str) -> None:
    for spoken in conversations(source)[:1]:
        if spoken.dialect in oracle.DIALECTS and can_be_compared(spoken):
            told = [oracle.plain(message) for message in spoken.messages[:MOST_MESSAGES]]
            total = oracle.tokens(request(spoken.dialect, told))
            for part in PARTS:
                both = Both(ff.EngineSettings(threshold_tokens=total // part), named_alike=False)
                for end in ends(told, spoken.dialect):
                    both.prepare(request(spoken.dialect, told[:end]), spoken.dialect)


def ends(told: Sequence[object], dialect: str) -> Iterator[int]:
    """Where the model was asked: before each of its messages, with no call open."""
    for end in range(1, len(told) + 1):
        speaker = DIALECTS[dialect].read(told[end]).speaker if end < len(told) else "model"
        if speaker == "model" and not ff.faults(told[:end], dialect):
            yield end


def can_be_compared(spoken: Spoken) -> bool:
    """Whether the oracle compacts it as ours does, and prices all that is in it alike."""
    told = [oracle.plain(message) for message in spoken.messages[:MOST_MESSAGES]]
    if any(oracle.price_difference(message) for message in told):
        return False
    try:
        return all(
            oracle.ours(told, spoken.dialect, settings) == oracle.theirs(told, spoken.dialect, settings)
            for settings in (ff.CompactSettings(keep_recent=keep_recent) for keep_recent in (1, 3))
        )
    except (AttributeError, TypeError):
        return False
