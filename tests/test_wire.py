"""A request's bytes: where the messages are in them, and others in their place."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from faithfold.wire import Split, resume, splice, split

MESSAGES: list[tuple[str, bytes, list[bytes]]] = [
    ("none", b'{"messages":[]}', []),
    ("none, spaced", b'{"messages": [ \n] }', []),
    ("one", b'{"messages":[{"a":1}]}', [b'{"a":1}']),
    (
        "of every kind",
        b'{"messages":[1.10,"a",null,[2,[3]],{"b":[]}]}',
        [b"1.10", b'"a"', b"null", b"[2,[3]]", b'{"b":[]}'],
    ),
    ("spaced", b'\n{ "a" : [ 1 ] ,\t"messages" : [ 1 , { "b" : 2 } ] , "c" : { } } \r\n', [b"1", b'{ "b" : 2 }']),
    ("a name with escapes", b'{"m\\u0065ssages":[1]}', [b"1"]),
    ("the name inside of a text", b'{"a":"\\"messages\\":[9]","messages":[1]}', [b"1"]),
    ("the name further in", b'{"a":{"messages":[9]},"messages":[1]}', [b"1"]),
    ("brackets in texts", b'{"messages":["]}","[{,:"]}', [b'"]}"', b'"[{,:"']),
    ("a backslash at the end of a text", b'{"messages":["\\\\",1]}', [b'"\\\\"', b"1"]),
    ("numbers as they are", b'{"messages":[1e400,-0,1E5,1.10]}', [b"1e400", b"-0", b"1E5", b"1.10"]),
    ("half of a pair", b'{"messages":["\\ud83d", 1 ],"a":2}', [b'"\\ud83d"', b"1"]),
    ("half of a pair in a name", b'{"\\ud83d":0,"messages":[1]}', [b"1"]),
    ("half of a pair, not escaped", b'{"a":1,"a":2,"messages":["\xed\xa0\xbd"]}', [b'"\xed\xa0\xbd"']),
    ("no numbers", b'{"messages":[NaN,-Infinity],"a":Infinity}', [b"NaN", b"-Infinity"]),
    ("the field twice", b'{"messages":[1],"messages":[2]}', [b"2"]),
    ("the field twice, under two spellings", b'{"messages":[1],"messag\\u0065s":[2, 3]}', [b"2", b"3"]),
    ("another field twice", b'{"a":1,"messages":[1],"a":[2]}', [b"1"]),
    ("a field twice, which looks like other fields", b'{"a":"x\\"b\\",","a":10,"b":2,"messages":[7]}', [b"7"]),
    ("a field twice, of texts", b'{"a":"\\"messages\\":[9]}","a":"","messages":[1]}', [b"1"]),
]


@pytest.mark.parametrize(("body", "messages"), [row[1:] for row in MESSAGES], ids=[row[0] for row in MESSAGES])
def test_the_messages_are_where_they_are(body: bytes, messages: list[bytes]) -> None:
    found = split(body, "messages")
    assert found is not None
    assert [found.message(index) for index in range(len(found.messages))] == messages
    assert body[slice(*found.array)].startswith(b"[")
    assert body[slice(*found.array)].endswith(b"]")


NOBODYS: list[tuple[str, bytes]] = [
    ("nothing", b""),
    ("white space", b" \n"),
    ("a list", b'[{"messages":[]}]'),
    ("a text", b'"hi"'),
    ("cut", b'{"messages":[{"a":1}'),
    ("more than one value", b'{"messages":[]} {}'),
    ("no such field", b'{"input":[]}'),
    ("no list", b'{"messages":"x"}'),
    ("no list, where the field stands twice", b'{"messages":[1],"messages":"x"}'),
    ("an object", b'{"messages":{"a":[]}}'),
    ("a comma too many", b'{"messages":[1,]}'),
    ("a control character in a text", b'{"messages":["\x01"]}'),
    ("a control character in a name", b'{"\x01":1,"messages":[]}'),
    ("a byte order mark", b'\xef\xbb\xbf{"messages":[]}'),
    ("UTF-16", '{"messages":[]}'.encode("utf-16")),
    ("UTF-16 without a mark", '{"messages":[]}'.encode("utf-16-le")),
    ("Latin-1, where a field stands twice", b'{"a":1,"a":2,"messages":["\xe9"]}'),
    ("nested too deeply", b'{"messages":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}"),
]


@pytest.mark.parametrize("body", [row[1] for row in NOBODYS], ids=[row[0] for row in NOBODYS])
def test_what_no_reader_takes_is_not_touched(body: bytes) -> None:
    assert split(body, "messages") is None


BODY = b'{"a": 1.10, "messages": [ {"n":0} ,  {"n":1}, {"n":2},{"n":3} ], "b": "\\u003c"}'
SPLICED: list[tuple[str, list[range | bytes], bytes]] = [
    ("all", [range(4)], b'{"n":0} ,  {"n":1}, {"n":2},{"n":3}'),
    ("none", [], b""),
    ("ours alone", [b"{}"], b"{}"),
    ("the first, ours, the last", [range(1), b"{}", range(3, 4)], b'{"n":0},{},{"n":3}'),
    ("neighbours keep what is between them", [range(2), b"{}", range(2, 4)], b'{"n":0} ,  {"n":1},{},{"n":2},{"n":3}'),
    ("nothing of a range", [range(0), b"{}", range(4, 4)], b"{}"),
]


@pytest.mark.parametrize(("pieces", "messages"), [row[1:] for row in SPLICED], ids=[row[0] for row in SPLICED])
def test_other_messages_take_their_place(pieces: list[range | bytes], messages: bytes) -> None:
    found = split(BODY, "messages")
    assert found is not None
    assert splice(found, pieces) == b'{"a": 1.10, "messages": [' + messages + b'], "b": "\\u003c"}'


def test_the_rest_is_what_is_not_messages() -> None:
    found = split(BODY, "messages")
    assert found is not None
    assert found.rest == b'{"a": 1.10, "messages": [], "b": "\\u003c"}'


RESUMED: list[tuple[str, bytes, bool]] = [
    ("more messages", b'{"messages": [1, "a", {"b":2}, 3], "c": 4}', True),
    ("no more messages", b'{"messages": [1, "a"]}', True),
    ("cut", b'{"messages": [1, "a", {"b":2}', False),
    ("the field again", b'{"messages": [1, "a"], "messages": [2]}', False),
    ("a message that goes on", b'{"messages": [1, "a""b"]}', False),
]


@pytest.mark.parametrize(("body", "goes_on"), [row[1:] for row in RESUMED], ids=[row[0] for row in RESUMED])
def test_what_follows_known_messages_is_read(body: bytes, *, goes_on: bool) -> None:
    assert resume(body, "messages", 13, [(14, 15), (17, 20)]) == (split(body, "messages") if goes_on else None)
    assert resume(body, "messages", 13, []) is None


def test_a_long_text_with_half_a_pair_takes_little_more_than_itself() -> None:
    body = b'{"messages":["\\ud83d","' + b"long \\n " * 500_000 + b'"]}'
    tracemalloc.start()
    try:
        found = split(body, "messages")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found, Split)
    assert len(found.messages) == 2
    assert len(json.loads(found.message(1))) == 3_500_000
    assert peak < 8 * len(body)
