"""Dumps: what is in them, what is never in them, and that requests never wait for the disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event

import pytest

from faithfold.core.values import as_object
from faithfold.proxy.dumps import Dumps, Writer, harmless, redacted
from faithfold.proxy.exchange import Exchange
from faithfold.resending import Engine
from tests.exchanges import body, compacted, decision, exchange
from tests.resending import small

KEY = "sk-ant-api03-" + "x" * 40
HEADERS = [
    (b"Content-Type", b"application/json"),
    (b"request-id", b"req_1"),
    (b"anthropic-ratelimit-tokens-remaining", b"17"),
    (b"set-cookie", b"session=s3cret"),
    (b"x-api-key", KEY.encode()),
    (b"Authorization", b"Bearer s3cret"),
    (b"anthropic-organization-id", b"s3cret"),
    (b"location", b"/?token=s3cret"),
    (b"retry-after", b"9" * 1_000),
]


def dumped(path: Path, watch: Callable[[Dumps], None]) -> dict[str, bytes]:
    """What is in the folder afterwards: contents by what they are, without time and number."""
    said: list[str] = []
    dumps = Dumps(path, said.append)
    watch(dumps)
    dumps.close()
    assert (said, dumps.lost) == ([], 0)
    return {each.name.split("-", 2)[2]: each.read_bytes() for each in path.iterdir()}


def read(content: bytes) -> dict[str, object]:
    return dict(as_object(json.loads(content)))


def of_one(told: Exchange) -> Callable[[Dumps], None]:
    """A whole exchange."""

    def watch(dumps: Dumps) -> None:
        told.tries = 0
        dumps.decided(told)
        told.tries = 1
        dumps.answered(told, HEADERS)
        dumps.ended(told)

    return watch


def test_a_compacted_exchange_has_all_there_is(tmp_path: Path) -> None:
    told = compacted(bytes_out=5)
    made = told.decision
    assert made is not None
    files = dumped(tmp_path / "dumps", of_one(told))
    assert sorted(files) == ["answer.json", "came.body", "decision-1.body", "decision-1.json", "ended.json"]
    assert (files["came.body"], files["decision-1.body"]) == (body(), made.body)
    decided, answer, ended = (read(files[f"{what}.json"]) for what in ("decision-1", "answer", "ended"))
    assert (decided["kind"], decided["tokens_out"], decided["head_len"]) == ("decided", made.tokens_out, made.head_len)
    assert (answer["status"], ended["kind"], ended["bytes_out"]) == (200, "ended", 5)


def test_what_was_not_changed_is_there_once(tmp_path: Path) -> None:
    files = dumped(tmp_path / "dumps", of_one(compacted(decision=decision(1_000_000))))
    assert sorted(files) == ["answer.json", "came.body", "decision-1.json", "ended.json"]


def test_each_decision_after_an_overflow_is_there(tmp_path: Path) -> None:
    engine = Engine(small(1_000_000))
    first = engine.prepare(body(), "anthropic")
    second = engine.overflow(first)
    assert second is not None

    def watch(dumps: Dumps) -> None:
        dumps.decided(compacted(decision=first, tries=0))
        dumps.decided(compacted(decision=second, tries=1))

    files = dumped(tmp_path / "dumps", watch)
    assert sorted(files) == ["came.body", "decision-1.json", "decision-2.body", "decision-2.json"]
    assert files["decision-2.body"] == second.body


def test_a_body_that_could_not_be_read_is_there_as_it_came(tmp_path: Path) -> None:
    made = Engine().prepare(b"\xff no JSON", "anthropic")
    files = dumped(tmp_path / "dumps", of_one(compacted(decision=made)))
    assert files["came.body"] == b"\xff no JSON"


def test_a_decision_on_an_object_has_no_bytes_that_came(tmp_path: Path) -> None:
    made = Engine().prepare({"messages": []}, "anthropic")
    assert "came.body" not in dumped(tmp_path / "dumps", of_one(compacted(decision=made)))


def test_what_was_only_passed_on_has_no_body(tmp_path: Path) -> None:
    assert sorted(dumped(tmp_path / "dumps", of_one(exchange()))) == ["answer.json", "ended.json"]


def test_of_an_answer_only_harmless_headers_are_written(tmp_path: Path) -> None:
    files = dumped(tmp_path / "dumps", of_one(compacted()))
    assert read(files["answer.json"])["headers"] == [
        ["content-type", "application/json"],
        ["request-id", "req_1"],
        ["anthropic-ratelimit-tokens-remaining", "17"],
        ["retry-after", "9" * 200],
    ]
    assert not any(secret in content for content in files.values() for secret in (b"s3cret", KEY.encode()))


def test_headers_keep_their_order_and_may_hold_any_bytes() -> None:
    odd = [(b"via", b"\xff"), (b"\xff", b"x"), (b"x-ratelimit-a", b"1"), (b"via", b"2")]
    assert harmless(odd) == [["via", "\xff"], ["x-ratelimit-a", "1"], ["via", "2"]]


@pytest.mark.parametrize(
    ("content", "written"),
    [
        (b'{"api_key": "abc"}', b'{"api_key": "[redacted]"}'),
        (b'{"Authorization":"Basic abc"}', b'{"Authorization":"[redacted]"}'),
        (b'{"authorization_token" : "abc", "a": "b"}', b'{"authorization_token" : "[redacted]", "a": "b"}'),
        (b'{"X-Api-Key":"abc"}', b'{"X-Api-Key":"[redacted]"}'),
        (b'{"a":"{\\"client_secret\\": \\"abc\\"}"}', b'{"a":"{\\"client_secret\\": \\"[redacted]\\"}"}'),
        (b'{"a":"OPENAI_API_KEY=' + KEY.encode() + b'\\n"}', b'{"a":"OPENAI_API_KEY=[redacted]\\n"}'),
        (b"Authorization: Bearer abcdefghijklmnopqrst==", b"Authorization: [redacted]"),
        (b'"ghp_' + b"a1" * 18 + b'"', b'"[redacted]"'),
        (b'"AIza' + b"a-" * 17 + b'a"', b'"[redacted]"'),
        (b'{"max_tokens": 10, "tokens": "many"}', b'{"max_tokens": 10, "tokens": "many"}'),
        (b'{"password": {"type": "string"}}', b'{"password": {"type": "string"}}'),
        (b"task-of-a-very-long-name-with-dashes", b"task-of-a-very-long-name-with-dashes"),
        (b"\xff\x00", b"\xff\x00"),
    ],
)
def test_what_looks_like_a_key_is_not_written(content: bytes, written: bytes) -> None:
    assert redacted(content) == written


def test_keys_are_taken_out_of_bodies(tmp_path: Path) -> None:
    raw = json.dumps({"messages": [], "mcp_servers": [{"authorization_token": "s3cret"}], "note": KEY}).encode()
    files = dumped(tmp_path / "dumps", of_one(compacted(decision=Engine().prepare(raw, "anthropic"))))
    assert b"mcp_servers" in files["came.body"]
    assert not any(secret in files["came.body"] for secret in (b"s3cret", KEY.encode()))


@pytest.mark.parametrize(
    "hostile", ["../../../../tmp/pwn", "..\\..\\x", "x" * 10_000, "\0", "\u2215etc\u2215passwd", "/etc/passwd"]
)
def test_no_name_is_made_of_what_a_client_sends(tmp_path: Path, hostile: str) -> None:
    told = compacted(session=hostile, model=hostile, path=hostile, method=hostile, policy=hostile, number=12)
    dumps = Dumps(tmp_path / "dumps", print)
    of_one(told)(dumps)
    dumps.close()
    names = [each.name for each in (tmp_path / "dumps").iterdir()]
    assert len(names) == 5
    assert all(name.startswith("0000001000000-000012-") for name in names)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["dumps"]


def test_files_are_private_and_the_oldest_exchanges_go(tmp_path: Path) -> None:
    dumps = Dumps(tmp_path / "dumps", print, keep=2)
    for number in range(5):
        dumps.ended(exchange(number))
    dumps.close()
    paths = sorted((tmp_path / "dumps").iterdir())
    assert [path.name for path in paths] == [f"0000001000000-{number:06d}-ended.json" for number in (3, 4)]
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}


def test_when_the_folder_is_gone_one_line_says_so_and_all_goes_on(tmp_path: Path) -> None:
    said: list[str] = []
    dumps = Dumps(tmp_path / "dumps", said.append)
    shutil.rmtree(tmp_path / "dumps")
    for number in range(3):
        dumps.ended(exchange(number))
    dumps.close()
    assert said == ["debug dumps can't be written, and requests go on: No such file or directory"]
    assert dumps.lost == 3


class Slow:
    """A disk that takes nothing until it is let."""

    def __init__(self, most: int) -> None:
        self.may_write = Event()
        self.is_writing = Event()
        self.written: list[str] = []
        self.writer = Writer(self.write, lambda _: None, most)

    def write(self, name: str, content: bytes) -> None:
        del content
        self.is_writing.set()
        assert self.may_write.wait(30)
        self.written.append(name)

    def put(self, contents: Iterable[tuple[str, int]]) -> None:
        for name, size in contents:
            self.writer.put(name, bytes(size))


def test_what_the_disk_can_not_keep_up_with_is_dropped_and_counted() -> None:
    slow = Slow(most=30_000)
    slow.put([("first", 10_000), ("fits", 1_000), ("too much", 10_000), ("fits too", 1_000)])
    assert slow.writer.dropped == 1
    slow.may_write.set()
    assert slow.writer.close()
    assert slow.written == ["first", "fits", "fits too"]


def test_many_empty_files_are_bounded_too() -> None:
    slow = Slow(most=30_000)
    slow.put((str(number), 0) for number in range(100))
    assert slow.writer.dropped == 100 - 30_000 // 4_096
    slow.may_write.set()
    assert slow.writer.close()


def test_a_file_larger_than_the_bound_is_written_where_nothing_else_waits() -> None:
    slow = Slow(most=10)
    slow.put([("large", 100_000), ("next", 0)])
    slow.may_write.set()
    assert slow.writer.close()
    assert (slow.written, slow.writer.dropped) == (["large"], 1)


def test_closing_waits_no_longer_than_it_was_told_to() -> None:
    slow = Slow(most=10)
    slow.put([("stuck", 0)])
    assert slow.is_writing.wait(30)
    assert slow.writer.close(patience=0.01) is False
    slow.may_write.set()
    assert slow.writer.close()
