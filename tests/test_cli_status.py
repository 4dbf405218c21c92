"""`faithfold status`: what a running proxy does, as a page and as JSON."""

from __future__ import annotations

import http.server
import io
import threading
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager

import click
import pytest

from faithfold.cli.beside import served_beside
from faithfold.cli.layout import lasting, short
from faithfold.cli.status_page import ASCII, sparkline, status_page
from faithfold.core.values import as_list, as_object
from faithfold.proxy.app import create_app
from faithfold.proxy.logs import Log
from faithfold.proxy.serving import address, listener
from faithfold.proxy.settings import ProxySettings
from faithfold.proxy.watching import Watching
from faithfold.resending import Engine
from faithfold.testing import FakeProvider, says
from tests.cli_runs import Home, parsed
from tests.pieces import session
from tests.resending import body_of, wire


@contextmanager
def proxied(provider: FakeProvider, token: str | None = None) -> Generator[str]:
    """A proxy before a provider; its address."""
    settings = ProxySettings(threshold_tokens=2_000, anthropic_upstream=provider.url, token=token)
    engine = Engine(settings.engine())
    app = create_app(settings, engine, watching=Watching(engine, settings, log=Log(file=io.StringIO())))
    with listener("127.0.0.1", 0) as listening, served_beside(app, listening):
        yield address(listening)


def ask(url: str, steps: int) -> None:
    body = wire(
        body_of("anthropic", session("anthropic", steps, "some result " * 40), model="claude-sonnet-4-5", max_tokens=9)
    )
    request = urllib.request.Request(f"{url}/v1/messages", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        answer.read()


def test_a_proxy_that_runs_is_shown(home: Home) -> None:
    with FakeProvider(says("Hello.")) as provider, proxied(provider) as url:
        for steps in (2, 8, 30, 31):
            ask(url, steps)
        port = url.rpartition(":")[2]
        shown = home.run("status", "--port", port)
        told = parsed(home.run("status", "--url", f"{url}/", "--json").stdout)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].startswith(f"faithfold {told['version']} at {url}, up ")
    assert f"  anthropic to {provider.url}" in lines
    assert "  policy cliff, threshold 2,000" in lines
    [row] = as_list(told["sessions"])
    session = as_object(row)
    line = next(line for line in lines if str(session["session"])[:8] in line)
    assert line.split()[1:4] == ["claude-sonnet-4-5", "4", "1"]
    assert "↓" in line
    assert as_object(told["totals"])["requests"] == 4


def test_where_no_proxy_runs_one_line_says_so(home: Home) -> None:
    with listener("127.0.0.1", 0) as taken:
        port = address(taken).rpartition(":")[2]
    done = home.run("status", "--port", port)
    said = (
        f"faithfold: no proxy answers at http://127.0.0.1:{port} (Connection refused); `faithfold serve` starts one\n"
    )
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", said)


def test_the_port_comes_from_the_settings(home: Home) -> None:
    done = home.run("status", env={"FAITHFOLD_PORT": "1"})
    assert done.stderr.startswith("faithfold: no proxy answers at http://127.0.0.1:1 ")


def test_a_token_opens_it(home: Home) -> None:
    with FakeProvider(says("Hello.")) as provider, proxied(provider, "open sesame") as url:
        refused = home.run("status", "--url", url)
        opened = [
            home.run("status", "--url", url, "--token", "open sesame"),
            home.run("status", "--url", url, env={"FAITHFOLD_TOKEN": "open sesame"}),
        ]
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert f"faithfold: {url}: this proxy asks for its token" in refused.stderr
    assert [each.exit_code for each in opened] == [0, 0]
    assert all("sesame" not in each.output for each in opened)


class Stranger(http.server.BaseHTTPRequestHandler):
    """Some other server; it leads on to a place that would like to have the token."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(302 if self.path.startswith("/__") else 200)
        self.send_header("location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b'{"version": 1}')

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Says nothing."""


def test_what_is_no_proxy_is_told_from_one(home: Home) -> None:
    asked: list[str] = []
    handler = type("Handler", (Stranger,), {"asked": asked})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        done = home.run("status", "--url", url, "--token", "sesame")
        server.shutdown()
        thread.join()
    assert (done.exit_code, asked) == (1, ["/__faithfold__/status"])
    assert done.stderr == f"faithfold: what answers at {url} is no proxy of faithfold (HTTP 302)\n"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8257", "ftp://127.0.0.1", "http://", "http://[::1", "http://127.0.0.1:port"]
)
def test_an_address_that_is_none(home: Home, url: str) -> None:
    done = home.run("status", "--url", url)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "expected one such as http://127.0.0.1:8257" in done.stderr


def test_port_and_address_are_not_given_both(home: Home) -> None:
    done = home.run("status", "--port", "1", "--url", "http://127.0.0.1:1")
    assert (done.exit_code, "give --port or --url, not both" in done.stderr) == (2, True)


FOUND: Mapping[str, object] = {
    "version": "1.2",
    "uptime": 7_385.5,
    "upstreams": {"anthropic": "https://api.anthropic.com", "openai": "https://gateway.example"},
    "settings": {"policy": ["none", "cliff"], "threshold_tokens": None, "strict": True, "shadow": False},
    "in_flight": 2,
    "totals": {
        "requests": 1_234,
        "compactions": 1,
        "tokens_saved": 5_000_000,
        "over_budget": 3,
        "replays": 0,
        "failures": 1,
    },
    "sessions": [
        {
            "session": "0123456789abcdef",
            "model": "claude-\x1b[31m",
            "requests": 12,
            "compactions": 1,
            "tokens_out": 30_500,
            "threshold": 80_000,
            "last_seen": 940.0,
            "sizes": [[10_000, False], [79_999, False], [90_000, False], [20_000, True], [30_500, False]],
        },
        {"session": "fedcba9876543210", "model": "gpt", "last_seen": 999.5, "threshold": None},
    ],
    "notices": ["something to know"],
}

PAGE = """\
faithfold 1.2 at http://127.0.0.1:8257, up 2 h 3 min
  anthropic to https://api.anthropic.com
  openai to https://gateway.example
  policy none, cliff, threshold by the model, strict

Requests
  1,234 requests, 2 in flight; 1 drop; about 5,000,000 tokens saved; 3 sent over the threshold; 1
    failed

Sessions, the newest first
  session  model                requests drops tokens  ago       size against the threshold
  01234567 claude-?[31m               12     1  30.5k  1 min     ▁▇█↓▂▃
  fedcba98 gpt                         0     0      0  1 s

Notices, the newest last
  something to know"""


def test_the_page() -> None:
    assert click.unstyle(status_page(FOUND, "http://127.0.0.1:8257", 100, 1_000.0)) == PAGE


def test_a_narrow_page_has_no_sizes() -> None:
    lines = status_page(FOUND, "http://127.0.0.1:8257", 40, 1_000.0).splitlines()
    assert not any("█" in line for line in lines)


@pytest.mark.parametrize("found", [{}, {"sessions": [3], "totals": 3, "uptime": float("inf"), "notices": [None]}])
def test_a_page_of_odd_things(found: Mapping[str, object]) -> None:
    assert "0 requests, 0 in flight; 0 drops" in status_page(found, "http://127.0.0.1:8257")


def test_what_has_no_room_is_left_out() -> None:
    row = {"threshold": 800, "sizes": [[100, False], [800, False], [300, True]]}
    assert [click.unstyle(sparkline(row, room, ASCII)) for room in (9, 3, 0)] == ["_#v:", "#v:", ""]
    many = {"sessions": [{"session": f"{number}"} for number in range(25)]}
    assert status_page(many, "u").splitlines()[-1] == "  and 5 more"


def test_how_long_and_how_many() -> None:
    seconds = (-1, 0, 59.9, 60, 3_599, 3_600, 90_000, 86_400)
    assert [lasting(each) for each in seconds] == [
        "0 s",
        "0 s",
        "59 s",
        "1 min",
        "59 min 59 s",
        "1 h",
        "1 d 1 h",
        "1 d",
    ]
    assert [short(each) for each in (0, 999, 1_500, 149_000, 1_234_567)] == ["0", "999", "1.5k", "149k", "1.23M"]
