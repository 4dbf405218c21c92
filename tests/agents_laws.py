"""What must hold of every trip, whoever the client is and whatever it does.

No request breaks; what was decided is what goes up; it is legal, by ours and by other people's judgement; it fits; and
between two drops it only grows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import cast

import msgspec

from faithfold import dialects
from faithfold.core.values import as_object, is_list, is_object
from tests.agents_trips import Sent, Trip, messages
from tests.places import validators_file

Validate = Callable[[str, Mapping[str, object], Mapping[str, object]], list[str]]


def check(trip: Trip[object], *, repeats: bool = False) -> None:
    """All laws.

    Args:
        trip: that is judged.
        repeats: whether the client sends the bytes of what it sent before again. Else it may move its cache marks, and
            say a text as a block.
    """
    nothing_broke(trip)
    decided_is_asked(trip)
    all_is_legal(trip)
    all_fits(trip)
    prefixes_hold(trip.sent, repeats=repeats)


def nothing_broke(trip: Trip[object]) -> None:
    """Whatever asks something of the model is answered; a WebSocket may be refused."""
    asked = [received for received in trip.requests if received.asked is not None]
    assert {(received.status, received.hung_up) for received in asked} == {(200, False)}
    assert {ended["fate"] for ended in trip.ended} <= {"passed", "untouched", "substituted", "compacted"}
    assert {ended["problem"] for ended in trip.ended} == {""}
    assert (trip.totals.failures, trip.totals.replays, trip.totals.over_budget) == (0, 0, 0)


def decided_is_asked(trip: Trip[object]) -> None:
    """What the provider got is what was decided, to the byte; over a WebSocket to the message. So is its size."""
    asked = [received for received in trip.requests if received.asked is not None and not received.asked.warms_up]
    assert len(asked) == len(trip.sent)
    by_http = [received.body for received in asked if not received.websocket]
    assert not set(by_http) - {sent.up for sent in trip.sent}
    assert _texts(each.messages for each in trip.asked) == _texts(messages(s.up, s.dialect) for s in trip.sent)
    assert _texts(each.tokens for each in trip.asked) == _texts(sent.tokens_out for sent in trip.sent)


def all_is_legal(trip: Trip[object]) -> None:
    assert [fault for asked in trip.asked for fault in asked.faults] == []
    assert [complaint for sent in trip.sent for complaint in complaints(sent)] == []


def all_fits(trip: Trip[object]) -> None:
    """No request that was accepted is over the window; and none over the threshold, so it isn't a near thing."""
    assert max(asked.tokens for asked in trip.accepted) <= trip.window
    assert all(sent.tokens_out <= cast("int", sent.decision["threshold"]) for sent in trip.sent)


def prefixes_hold(sent: Sequence[Sent], *, repeats: bool) -> None:
    """A request that goes on from another one repeats what went up for that, unless something was dropped since.

    A client may branch off from an older request: Claude Code adds its order to summarise to its last message. What was
    dropped since that older one stays dropped, and so goes up as it did before, but for that last message.
    """
    for place, before, after in _followed(sent):
        prefix = after.decision["prefix"]
        if after.compacted:
            assert prefix in ("drop", "branched")
            continue
        repeated = _repeated(before, after) if repeats else _begins(_up(before), _up(after))
        drops = [each for each in sent[:place] if each.compacted]
        assert prefix == "continued" or (prefix == "branched" and drops)
        assert repeated or (prefix == "branched" and any(_begins(_up(each)[:-1], _up(after)) for each in drops))


def _followed(sent: Sequence[Sent]) -> Iterator[tuple[int, Sent, Sent]]:
    """Each request whose history goes on from an earlier one: its place, the latest such, and itself."""
    histories = [settled(each.came, each.dialect) for each in sent]
    for place, history in enumerate(histories):
        befores = [number for number in range(place) if _begins(histories[number], history)]
        if befores:
            yield place, sent[befores[-1]], sent[place]


def _begins(first: Sequence[object], history: Sequence[object]) -> bool:
    return history[: len(first)] == first


def _up(sent: Sent) -> list[object]:
    return settled(sent.up, sent.dialect)


def _repeated(before: Sent, after: Sent) -> bool:
    """To the byte."""
    return array(after.up, after.dialect).startswith(array(before.up, before.dialect))


def array(body: bytes, dialect: str) -> bytes:
    """The messages as they stand in a body, from `[` to the end of the last one."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return bytes(fields[dialects.dialect(dialect).messages_key]).rstrip().removesuffix(b"]").rstrip()


def settled(body: bytes, dialect: str) -> list[object]:
    """The messages without what clients move about in them."""
    return [_settled(message) for message in messages(body, dialect)]


def _settled(message: object) -> object:
    if not is_object(message):
        return message
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {**message, "content": [_unmarked(one) for one in blocks] if is_list(blocks) else blocks}


def _unmarked(block: object) -> object:
    return {name: value for name, value in block.items() if name != "cache_control"} if is_object(block) else block


def complaints(sent: Sent) -> list[str]:
    """What is wrong with a request, by the validators beside the project; nothing where there are none."""
    validate = validators()
    if validate is None:
        return []
    return validate(sent.dialect, as_object(json.loads(sent.up)), as_object(json.loads(sent.came)))


@cache
def validators() -> Validate | None:
    """The validators beside the project, or None where there are none."""
    path = validators_file()
    spec = None if path is None else spec_from_file_location("validators", path)
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Validate", module.validate)


def _texts(values: Iterable[object]) -> list[str]:
    """As JSON, in an order that is the same for the same values: requests may overtake each other on their way."""
    return sorted(json.dumps(value, sort_keys=True) for value in values)
