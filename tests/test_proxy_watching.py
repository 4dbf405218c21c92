"""The watcher: all are told of each exchange, and what fails in one of them stays there."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from faithfold.core.errors import SettingsError
from faithfold.core.values import as_list, as_object
from faithfold.proxy.exchange import Exchange, Watcher
from faithfold.proxy.logs import Log
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.spans import Spans
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from tests.exchanges import compacted, exchange


class Watched:
    """A watcher, and what came of what it was told."""

    def __init__(self, **settings: object) -> None:
        self.file = io.StringIO()
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        made = ProxySettings(**settings)  # type: ignore[arg-type]
        self.watching = Watching(Engine(), made, log=Log(file=self.file), spans=Spans("1", provider))

    def watch(self, told: Exchange) -> None:
        watcher: Watcher = self.watching
        watcher.began(told)
        watcher.decided(told)
        self.watching.answered(told, [(b"request-id", b"req_1")])
        watcher.ended(told)

    @property
    def status(self) -> Mapping[str, object]:
        return self.watching.status.to_json(0.0)

    @property
    def kinds(self) -> list[object]:
        """Of the events, in order; there will be no more."""
        return asyncio.run(self._heard())

    async def _heard(self) -> list[object]:
        self.watching.events.close()
        with self.watching.events.subscribe() as subscription:
            return [told["kind"] async for told in subscription]

    @property
    def logged(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.file.getvalue().splitlines()]


def requests(watched: Watched) -> object:
    return as_object(watched.status["totals"])["requests"]


def test_all_are_told_of_an_exchange() -> None:
    watched = Watched()
    watched.watch(compacted(tries=0))
    assert requests(watched) == 1
    assert len(as_list(watched.status["sessions"])) == 1
    assert watched.kinds == ["decided", "ended"]
    assert [line["event"] for line in watched.logged] == ["exchange"]
    assert [span.name for span in watched.exporter.get_finished_spans()] == ["chat claude"]
    assert b'faithfold_requests_total{dialect="anthropic",fate="compacted",status="2xx"} 1.0' in metrics(watched)
    assert watched.watching.failures == 0


def test_what_goes_on_is_in_status_and_metrics() -> None:
    watched = Watched()
    watched.watching.began(exchange(1))
    watched.watching.began(exchange(2))
    watched.watching.ended(exchange(1))
    assert watched.status["in_flight"] == 1
    assert b"faithfold_in_flight 1.0" in metrics(watched)


def test_status_shows_the_settings_and_where_requests_go_but_nothing_secret() -> None:
    watched = Watched(token="s3cret", tenant="s3cret", openai_upstream="https://gateway.example/v1")
    assert as_object(watched.status["settings"])["token"] == "(set)"
    assert as_object(watched.status["settings"])["port"] == 8257
    assert watched.status["upstreams"] == {
        "anthropic": "https://api.anthropic.com",
        "openai": "https://gateway.example/v1",
    }
    assert "s3cret" not in json.dumps(watched.status)


def test_a_notice_is_in_status_and_log() -> None:
    watched = Watched()
    watched.watching.notice("websocket: answered 426")
    assert watched.status["notices"] == ["websocket: answered 426"]
    assert [line["event"] for line in watched.logged] == ["websocket: answered 426"]


def test_who_fails_does_not_keep_the_others_from_being_told() -> None:
    watched = Watched()
    watched.file.close()
    for number in (1, 2):
        watched.watch(compacted(number))
    assert requests(watched) == 2
    assert watched.kinds == ["decided", "ended"] * 2
    assert len(watched.exporter.get_finished_spans()) == 2
    # Each exchange once, and the line about the first failure, which fails too.
    assert watched.watching.failures == 4
    assert watched.status["notices"] == [
        "Log.ended failed with ValueError; requests go on",
        "Log.warn failed with ValueError; requests go on",
    ]


def test_an_exchange_that_can_not_be_told_of_harms_no_other() -> None:
    watched = Watched()
    watched.watch(exchange(1, path=None))
    watched.watch(exchange(2))
    watched.watch(exchange(3, path=None))
    assert watched.status["in_flight"] == 0
    assert requests(watched) == 1
    assert watched.watching.failures == 4
    assert [line["event"] for line in watched.logged if line["level"] == "warning"] == [
        "Watching._spread_decision failed with TypeError; requests go on",
        "Watching._spread_end failed with TypeError; requests go on",
    ]


def test_dumps_are_written_where_the_settings_say_so(tmp_path: Path) -> None:
    watched = Watched(debug_dir=str(tmp_path / "dumps"))
    watched.watch(compacted(tries=0))
    watched.watching.close()
    kinds = sorted(path.name.split("-", 2)[2] for path in (tmp_path / "dumps").iterdir())
    assert kinds == ["answer.json", "came.body", "decision-1.body", "decision-1.json", "ended.json"]


def test_when_dumps_can_not_be_written_status_and_log_say_so_once(tmp_path: Path) -> None:
    watched = Watched(debug_dir=str(tmp_path / "dumps"))
    shutil.rmtree(tmp_path / "dumps")
    for number in (1, 2):
        watched.watch(compacted(number))
    watched.watching.close()
    (line,) = as_list(watched.status["notices"])
    assert str(line).startswith("debug dumps can't be written")
    assert [each["event"] for each in watched.logged if each["level"] == "warning"] == [line]
    assert watched.watching.failures == 0


def test_a_folder_for_dumps_that_can_not_be_used_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"^debug_dir .* can't be used"):
        Watched(debug_dir=str(tmp_path / "file"))


def test_by_default_lines_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    watching = Watching(Engine(), ProxySettings())
    told = compacted()
    watching.began(told)
    watching.answered(told, [])
    watching.ended(told)
    watching.close()
    assert json.loads(capsys.readouterr().err)["event"] == "exchange"


def metrics(watched: Watched) -> bytes:
    return watched.watching.metrics.text()
