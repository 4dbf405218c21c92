"""Damaged JSON lines: what can be read is read, what can't is named by its line."""

from __future__ import annotations

import json
from time import process_time

import pytest

from faithfold.sessions.lines import read_entries


def read(data: bytes) -> tuple[list[tuple[int, object]], list[tuple[int, str]]]:
    entries, problems = read_entries(data)
    return [(entry.line, entry.value) for entry in entries], [(each.line, each.why) for each in problems]


WHOLE: dict[str, tuple[bytes, list[tuple[int, object]]]] = {
    "nothing": (b"", []),
    "blank lines": (b"\n \n\t\r\n", []),
    "one line without a newline": (b'{"a":1}', [(1, {"a": 1})]),
    "lines with blank ones between": (b'{"a":1}\n\n{"b":2}\n', [(1, {"a": 1}), (3, {"b": 2})]),
    "carriage returns": (b'{"a":1}\r\n{"b":2}\r\n', [(1, {"a": 1}), (2, {"b": 2})]),
    "a byte order mark": (b'\xef\xbb\xbf{"a":1}', [(1, {"a": 1})]),
    "UTF-16": ('{"a":"é"}\n{"b":2}'.encode("utf-16"), [(1, {"a": "é"}), (2, {"b": 2})]),
    "two objects on one line": (b'{"a":1}{"b":2}\n{"c":3}', [(1, {"a": 1}), (1, {"b": 2}), (2, {"c": 3})]),
    "pretty-printed objects back to back": (
        b'{\n  "a": [\n    1\n  ]\n}\n{\n  "b": 2\n}\n',
        [(1, {"a": [1]}), (6, {"b": 2})],
    ),
    "a pretty-printed list": (b'[\n  {"a": 1},\n  {"b": 2}\n]', [(1, [{"a": 1}, {"b": 2}])]),
    "a comma after each object": (b'{"a":1},\n{"b":2},\n', [(1, {"a": 1}), (2, {"b": 2})]),
    "a line separator inside a text": ('{"a":"x\u2028y"}\n{"b":2}'.encode(), [(1, {"a": "x\u2028y"}), (2, {"b": 2})]),
    "a lone surrogate as an escape": (b'{"a":"\\ud83d"}', [(1, {"a": "\ud83d"})]),
    "a lone surrogate as bytes": (b'{"a":"\xed\xa0\xbd"}', [(1, {"a": "\ud83d"})]),
    "a big number": (b'{"a":123456789012345678901234567890}', [(1, {"a": 123456789012345678901234567890})]),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_file_has_no_problems(name: str) -> None:
    data, entries = WHOLE[name]
    assert read(data) == (entries, [])


DAMAGED: dict[str, tuple[bytes, list[tuple[int, object]], list[int]]] = {
    "a torn last line": (b'{"a":1}\n{"b":"tor', [(1, {"a": 1})], [2]),
    "a torn last line after a comma": (b'{"a":1}\n{"b":2,', [(1, {"a": 1})], [2]),
    "a torn last line inside a character": (b'{"a":1}\n{"b":"\xc3', [(1, {"a": 1})], [2]),
    "a torn line in the middle": (b'{"a":1}\n{"b":"tor\n{"c":3}', [(1, {"a": 1}), (3, {"c": 3})], [2]),
    "a torn line that ends like an open list": (b'{"b":[1,\n{"c":3}\n{"d":4}', [(2, {"c": 3}), (3, {"d": 4})], [1]),
    "a text, a number and null": (b'"oops"\n42\nnull\n{"a":1}', [(4, {"a": 1})], [1, 2, 3]),
    "a glued second object that is torn": (b'{"a":1}{"b":"tor\n{"c":3}', [(1, {"a": 1}), (2, {"c": 3})], [1]),
    "text after an object": (b'{"a":1} and so on\n{"b":2}', [(1, {"a": 1}), (2, {"b": 2})], [1]),
    "a torn line with the next one glued to it": (b'{"a":"tor{"a":2}\n{"b":3}', [(1, {"a": 2}), (2, {"b": 3})], [1]),
    "zero bytes before an object": (b'\0\0\0{"a":1}\n{"b":2}', [(1, {"a": 1}), (2, {"b": 2})], [1]),
    "a time stamp before an object": (b'[16:29:14] got {"a":1}\n', [(1, {"a": 1})], [1]),
    "bytes that are no text, inside a text": (b'{"a":"x\xffy"}\n{"b":2}', [(1, {"a": "x\ufffdy"}), (2, {"b": 2})], [1]),
    "a number that is too long to be one": (b'{"a":' + b"1" * 5000 + b'}\n{"b":2}', [(2, {"b": 2})], [1]),
    "lists without end": (b"[" * 100_000 + b'\n{"b":2}', [(2, {"b": 2})], [1]),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_each_bad_line_is_named_and_every_other_is_read(name: str) -> None:
    data, entries, bad_lines = DAMAGED[name]
    found, problems = read(data)
    assert found == entries
    assert [line for line, _ in problems] == bad_lines
    assert all(why and "\n" not in why for _, why in problems)


def test_a_problem_says_why() -> None:
    _, problems = read(b'42\n{"a":"x\xff"}\n{"b":\n')
    assert problems == [
        (1, "no JSON object"),
        (2, "bytes that are not UTF-8 were replaced"),
        (3, "not JSON: expecting value"),
    ]


def test_a_torn_pretty_printed_file_gives_its_whole_objects() -> None:
    whole = json.dumps({"messages": [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]}, indent=1)
    torn = whole[: whole.index("two")].encode()
    found, problems = read(torn)
    assert [value for _, value in found] == [{"role": "user", "content": "one"}]
    assert problems


def test_a_file_of_many_bad_lines_is_read_in_one_go() -> None:
    """Each bad line is looked at by itself: ten thousand of them take no time to speak of."""
    data = b'{"a":"torn\n' * 10_000 + b'{"b":2}'
    found, problems = read(data)
    assert found == [(10_001, {"b": 2})]
    assert len(problems) == 10_000


# Files in which each value must be looked at by itself; were all that follows looked at too, each would take minutes.
LONG: dict[str, tuple[bytes, int, int]] = {
    "objects glued on one line": (b'{"a":1}' * 500_000, 500_000, 0),
    "torn objects glued on one line": (b'{"a":"tor' * 20_000, 0, 1),
    "bad lines": (b'{"a":"torn\n' * 100_000, 0, 100_000),
    "lines that might go on": (b'[1,\n{"b":}\n' * 50_000, 0, 100_000),
    "a list over many lines": (b"[\n" + b'{"a": 1},\n' * 200_000 + b"{}]", 1, 0),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_file_takes_time_by_its_length(name: str) -> None:
    data, values, bad_lines = LONG[name]
    before = process_time()
    found, problems = read(data)
    assert (len(found), len(problems)) == (values, bad_lines)
    assert process_time() - before < 10


def test_a_value_over_several_lines_may_follow_one_on_the_same_line() -> None:
    found, problems = read(b'{"a":1} {\n"b":[\n2]}{"c":3}\n{"d":4}')
    assert found == [(1, {"a": 1}), (1, {"b": [2]}), (3, {"c": 3}), (4, {"d": 4})]
    assert problems == []
