"""Log lines: which fields, how bad, and that the process's own logging is neither used nor changed."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import fields

import pytest
import structlog

from faithfold.proxy.events import Event, event_of
from faithfold.proxy.exchange import Exchange
from faithfold.proxy.logs import Log, Style
from tests.exchanges import compacted, decision, exchange


@pytest.fixture
def configured() -> Iterator[None]:
    """A process that has set up structlog for itself, in its own way."""
    structlog.configure(processors=[structlog.processors.KeyValueRenderer()], context_class=dict)
    yield
    structlog.reset_defaults()


def lines(*exchanges: Exchange, style: Style = "json") -> list[str]:
    file = io.StringIO()
    log = Log(style, file)
    for each in exchanges:
        log.ended(event_of(each, "ended"))
    return file.getvalue().splitlines()


def test_an_exchange_is_one_line_of_json_with_the_fields_of_an_event() -> None:
    told = compacted()
    (line,) = lines(told)
    read = json.loads(line)
    assert set(read) == {field.name for field in fields(Event)} - {"kind"} | {"event", "level", "timestamp"}
    assert (read["event"], read["level"], read["number"], read["fate"]) == ("exchange", "info", 1, "compacted")
    assert read["timestamp"].endswith("Z")


def test_a_line_is_one_line_whatever_clients_send() -> None:
    odd = compacted(model="a\nb\u2028\ud83d", path="/v1/messages?key=sk-secret")
    assert len(lines(odd)) == len(lines(odd, style="human")) == 1
    assert "sk-secret" not in "".join([*lines(odd), *lines(odd, style="human")])


def test_for_people_there_is_the_same_without_json() -> None:
    (line,) = lines(compacted(), style="human")
    assert "exchange" in line
    assert "fate=compacted" in line
    assert "\x1b" not in line


@pytest.mark.parametrize(
    ("told", "level"),
    [
        (exchange(status=200), "info"),
        (compacted(), "info"),
        (exchange(status=404), "warning"),
        (exchange(status=400, fate="refused", problem="over budget"), "warning"),
        (compacted(decision=decision(10)), "warning"),
        (exchange(status=500), "error"),
        (exchange(status=200, problem="broke off"), "error"),
        (exchange(status=200, fate="failed"), "error"),
    ],
)
def test_the_level_says_how_bad_it_was(told: Exchange, level: str) -> None:
    (line,) = lines(told)
    assert json.loads(line)["level"] == level


def test_what_somebody_should_know_is_a_warning() -> None:
    file = io.StringIO()
    Log(file=file).warn("websocket: answered 426")
    read = json.loads(file.getvalue())
    assert (read["event"], read["level"]) == ("websocket: answered 426", "warning")


def test_lines_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    Log().warn("something")
    said = capsys.readouterr()
    assert said.out == ""
    assert json.loads(said.err)["event"] == "something"


def test_nothing_is_configured_for_the_process() -> None:
    before = [*logging.getLogger().handlers]
    lines(compacted())
    assert not structlog.is_configured()
    assert logging.getLogger().handlers == before


@pytest.mark.usefixtures("configured")
def test_what_the_process_has_configured_changes_nothing() -> None:
    (line,) = lines(compacted())
    assert json.loads(line)["event"] == "exchange"
