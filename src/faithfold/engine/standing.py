"""What stands for the beginning of a request's history: nothing yet, or what a compaction made of it.

A compaction's projection is put into an entry of the store in short, turned back into a projection when a strategy is
to work on it, and into bytes when it is sent.

Source: spec 10-cliff, Engine; spec 00-model, Entries of a projection.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise
from typing import cast

from faithfold.core.dialect import Message
from faithfold.core.projection import Edited, Kept, Note, Projection
from faithfold.core.sizes import SEPARATOR, Sizer
from faithfold.engine import answers
from faithfold.engine.request import Request
from faithfold.engine.store import PrefixEntry
from faithfold.wire import splice


def entry_of(projection: Projection) -> PrefixEntry:
    """A projection in short: all after its cut stays as it is."""
    tail = projection.total - projection.cut
    entries = projection.entries[: len(projection.entries) - tail]
    ours = [entry.message for entry in entries if not isinstance(entry, Kept)]
    return PrefixEntry(
        cut=projection.cut,
        entries=entries,
        texts=tuple(map(_text, ours)),
        quarters=sum(map(Sizer().quarters, ours)),
    )


def _text(message: object) -> bytes:
    """A message as it goes over the wire; a lone surrogate can only go as an escape."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode()


def projection(standing: PrefixEntry | None) -> Projection:
    """The projection of the first messages that it is short for; of none where nothing stands for any."""
    if standing is None:
        return Projection(0, ())
    shown: set[int] = set()
    for entry in standing.entries:
        shown.update(entry.covers if isinstance(entry, Note) else [entry.index])
    gone = {index: "earlier compaction" for index in range(standing.cut) if index not in shown}
    return Projection(standing.cut, standing.entries, gone)


def cut(standing: PrefixEntry | None) -> int:
    """How many messages it stands for."""
    return 0 if standing is None else standing.cut


def quarters(request: Request, standing: PrefixEntry | None) -> int:
    """The size of the request as it would be sent, in quarter tokens."""
    if standing is None:
        return request.quarters
    kept = [request.known[entry.index] for entry in standing.entries if isinstance(entry, Kept)]
    kept.extend(request.known[standing.cut :])
    ours = len(standing.texts)
    separators = SEPARATOR * max(0, len(kept) + ours - 1)
    return request.fixed + sum(known.quarters for known in kept) + standing.quarters + separators


def holds(request: Request, standing: PrefixEntry) -> bool:
    """Whether no result after the cut answers a call that is not sent."""
    stay = {entry.index for entry in standing.entries if isinstance(entry, (Kept, Edited))}
    return answers.hold(request.known, stay, standing.cut)


def body(request: Request, standing: PrefixEntry | None) -> bytes:
    """The request as it is sent: the client's own bytes and what is ours.

    Raises:
        TypeError, ValueError, RecursionError: it came as a dict that JSON can't express.
    """
    if standing is not None and request.whole is not None:
        return splice(request.whole, [*_pieces(standing), range(standing.cut, len(request.messages))])
    fields = {**request.rest, request.dialect.messages_key: messages(request, standing)}
    return json.dumps(fields, separators=(",", ":")).encode()


def messages(request: Request, standing: PrefixEntry | None) -> list[object]:
    """The messages as they are sent; those of ours are new objects, so that nobody can change what is stored."""
    if standing is None:
        return [*request.messages]
    ours = map(json.loads, standing.texts)
    shown = (request.messages[entry.index] if isinstance(entry, Kept) else next(ours) for entry in standing.entries)
    return [*shown, *request.messages[standing.cut :]]


def note(standing: PrefixEntry | None) -> Message | None:
    """The message of the note, a new object, if there is one."""
    ours = [entry for entry in standing.entries if not isinstance(entry, Kept)] if standing else []
    places = (place for place, entry in enumerate(ours) if isinstance(entry, Note))
    texts = standing.texts if standing else ()
    return next((cast("Message", json.loads(texts[place])) for place in places), None)


def _pieces(standing: PrefixEntry) -> Iterator[range | bytes]:
    """What is sent of the first messages. What stands between two neighbours that both stay, stays too."""
    texts = iter(standing.texts)
    for is_kept, group in groupby(standing.entries, key=lambda entry: isinstance(entry, Kept)):
        if is_kept:
            yield from _runs([entry.index for entry in group if isinstance(entry, Kept)])
        else:
            yield from islice(texts, len([*group]))


def _runs(indices: Sequence[int]) -> Iterator[range]:
    """Neighbouring indices together."""
    bounds = [place for place in range(1, len(indices)) if indices[place] != indices[place - 1] + 1]
    for first, last in pairwise([0, *bounds, len(indices)]):
        yield range(indices[first], indices[last - 1] + 1)
