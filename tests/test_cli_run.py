"""`faithfold run`: a command that goes by way of the proxy, with its own terminal, signals and exit code."""

from __future__ import annotations

import json
import re
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result

from faithfold.testing import Delivery, FakeProvider, says
from tests.cli_runs import Home
from tests.pieces import session
from tests.resending import body_of, wire

PATIENCE = 20.0

ASK = """
import os, sys, urllib.request
variable, path, body = sys.argv[1:]
headers = {"content-type": "application/json"}
request = urllib.request.Request(os.environ[variable] + path, open(body, "rb").read(), headers)
sys.stdout.buffer.write(urllib.request.urlopen(request).read())
"""

UNTIL_IT_IS_ASKED = """
import json, os, time, urllib.request
page = os.environ["ANTHROPIC_BASE_URL"] + "/__faithfold__/status"
while not json.load(urllib.request.urlopen(page))["in_flight"]:
    time.sleep(0.05)
"""


def run(home: Home, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Result:
    """Runs `faithfold run` with these arguments, in a home that has a folder for its state."""
    return home.run("run", *arguments, env={"XDG_STATE_HOME": str(home.path / "state"), **(env or {})})


def asking(home: Home, variable: str, path: str, dialect: str, steps: int = 1, **fields: object) -> list[str]:
    """A command that posts a history of so many steps to a base URL."""
    sent = {"max_tokens": 100, **fields} if dialect == "anthropic" else fields
    body = home.write("body.json", wire(body_of(dialect, session(dialect, steps, "some result " * 60), **sent)))
    return [sys.executable, "-c", ASK, variable, path, str(body)]


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


@pytest.mark.parametrize(
    ("variable", "base", "path", "dialect"),
    [
        ("ANTHROPIC_BASE_URL", "", "/v1/messages", "anthropic"),
        ("OPENAI_BASE_URL", "/v1", "/chat/completions", "openai"),
        ("OPENAI_API_BASE", "/v1", "/responses", "openai-responses"),
        ("OPENAI_BASE_URL", "/some/gateway", "/v1/chat/completions", "openai"),
    ],
)
def test_requests_go_by_way_of_the_proxy(home: Home, variable: str, base: str, path: str, dialect: str) -> None:
    command = asking(home, variable, path, dialect)
    with FakeProvider(says("Hello.")) as provider:
        done = run(home, "--", *command, env={variable: provider.url + base})
    [received] = provider.requests
    assert (received.target.decode(), received.status) == (base + path, 200)
    assert received.header("via")[0].startswith("1.1 faithfold-")
    assert received.body == (home.path / "body.json").read_bytes()
    first, last = done.stderr.splitlines()
    assert f" to {provider.url}" in first or f"and {provider.url}" in first
    assert (last, done.exit_code) == ("faithfold: 1 request", 0)


def test_an_upstream_can_be_named(home: Home) -> None:
    command = asking(home, "ANTHROPIC_BASE_URL", "/v1/messages", "anthropic")
    with FakeProvider(says("Hello.")) as provider:
        run(home, "--anthropic-upstream", provider.url, "--", *command)
    assert len(provider.requests) == 1


def test_a_base_url_that_holds_a_password_is_refused(home: Home) -> None:
    done = run(home, "--", "true", env={"ANTHROPIC_BASE_URL": "https://me:sesame@gateway.example"})
    assert (done.exit_code, done.stderr.count("\n"), "sesame" in done.output) == (1, 1, False)
    assert "anthropic_upstream must hold no name or password" in done.stderr


def test_what_was_gained_is_said_in_the_end(home: Home) -> None:
    command = asking(home, "ANTHROPIC_BASE_URL", "/v1/messages", "anthropic", 200, model="claude-sonnet-4-5")
    with FakeProvider(says("Hello."), strict_faults=True) as provider:
        done = run(home, "--threshold", "2000", "--", *command, env={"ANTHROPIC_BASE_URL": provider.url})
    said = re.fullmatch(
        r"faithfold: 1 request; 1 drop; about ([\d,]+) tokens saved, worth \$([\d.]+) to \$([\d.]+)"
        r"(; 1 request sent over the threshold)?",
        done.stderr.splitlines()[-1],
    )
    assert said is not None, done.stderr
    tokens = int(said[1].replace(",", ""))
    assert tokens > 10_000
    assert said.group(2, 3) == (f"{tokens * 0.3 / 1e6:.2f}", f"{tokens * 3 / 1e6:.2f}")
    assert provider.asked[0].tokens < 5_000


def test_a_shadow_run_has_gained_nothing(home: Home) -> None:
    command = asking(home, "OPENAI_BASE_URL", "/chat/completions", "openai", 50)
    with FakeProvider(says("Hello.")) as provider:
        flags = ("--threshold", "2000", "--shadow")
        done = run(home, *flags, "--", *command, env={"OPENAI_BASE_URL": f"{provider.url}/v1"})
    assert "saved" not in done.stderr
    assert provider.requests[0].body == (home.path / "body.json").read_bytes()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise SystemExit(0)", 0),
        ("raise SystemExit(3)", 3),
        ("import os; os.kill(os.getpid(), 15)", 143),
        ("import os; os.kill(os.getpid(), 9)", 137),
    ],
)
def test_the_exit_code_is_the_commands(home: Home, code: str, expected: int) -> None:
    assert run(home, "--", *python(code)).exit_code == expected


def test_a_command_that_cannot_be_run(home: Home) -> None:
    plain = home.write("plain", "#!/bin/sh\n")
    broken = home.write("broken", "#!/no/such/interpreter\n")
    broken.chmod(0o755)
    folder = home.path / "folder"
    folder.mkdir()
    wanted: list[tuple[str | Path, int, str]] = [
        ("no-such-command", 127, "no-such-command: command not found"),
        (home.path / "missing", 127, f"{home.path}/missing: command not found"),
        (plain, 126, f"{plain}: it is not executable"),
        (folder, 127, f"{folder}: command not found"),
    ]
    for program, code, line in wanted:
        done = run(home, "--", program)
        assert (done.exit_code, done.stderr) == (code, f"faithfold: {line}\n")
    assert run(home, "--", broken).exit_code == 126


def test_without_a_command_its_use_is_shown(home: Home) -> None:
    for arguments in ((), ("--",), ("--shadow",)):
        done = run(home, *arguments)
        assert (done.exit_code, "Usage: faithfold run [OPTIONS] COMMAND..." in done.stderr) == (2, True)


def test_options_behind_the_command_are_the_commands(home: Home) -> None:
    shown = home.path / "shown.json"
    code = f"import json, sys; json.dump(sys.argv[1:], open({str(shown)!r}, 'w'))"
    for dashes in ([], ["--"]):
        run(home, *dashes, *python(code, "--help", "--policy", "--", "-x"))
        assert json.loads(shown.read_text()) == ["--help", "--policy", "--", "-x"]


def test_the_log_is_a_file_of_its_own(home: Home) -> None:
    command = asking(home, "ANTHROPIC_BASE_URL", "/v1/messages", "anthropic")
    with FakeProvider(says("Hello.")) as provider:
        done = run(home, "--", *command, env={"ANTHROPIC_BASE_URL": provider.url})
    path = Path(done.stderr.splitlines()[0].partition("; log: ")[2])
    assert path.parent == home.path / "state" / "faithfold" / "log"
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]
    [line] = map(json.loads, path.read_text("utf-8").splitlines())
    assert (line["event"], line["path"], line["status"]) == ("exchange", "/v1/messages", 200)
    assert home.files() == {"body.json", str(path.relative_to(home.path))}


def test_the_newest_logs_are_kept(home: Home) -> None:
    for number in range(30):
        home.write(f"state/faithfold/log/run-20200101T0000{number:02}-1.log", "old")
    home.write("state/faithfold/log/mine.txt", "kept")
    run(home, "--", *python(""))
    names = sorted(path.name for path in (home.path / "state" / "faithfold" / "log").iterdir())
    assert (len(names), names[0], names[1]) == (21, "mine.txt", "run-20200101T000011-1.log")


def test_it_runs_without_a_log_too(home: Home) -> None:
    done = run(home, "--no-log", "--", *python(""))
    assert (done.stderr.splitlines()[0].endswith("; no log"), home.files()) == (True, set())
    blocked = run(home, "--", *python("raise SystemExit(4)"), env={"XDG_STATE_HOME": str(home.write("file", ""))})
    assert blocked.exit_code == 4
    assert blocked.stderr.startswith("faithfold: no log is written: Not a directory\n")


def test_what_the_agent_will_not_do_is_said(home: Home) -> None:
    codex = home.write("codex", "#!/bin/sh\nexit 7\n")
    codex.chmod(0o755)
    done = run(home, "--", codex, "--oss")
    assert done.exit_code == 7
    assert done.stderr.splitlines()[1:] == [
        "faithfold: the command line names a provider for Codex: its requests do not go through faithfold",
        "faithfold: 0 requests",
    ]
    assert done.stderr.startswith("faithfold: Codex does not go by way of faithfold; log: ")


def test_its_status_can_be_asked_for(home: Home) -> None:
    shown = home.path / "status.json"
    code = (
        "import os, subprocess, sys; "
        "asked = [sys.executable, '-m', 'faithfold', 'status', '--json', '--url', os.environ['ANTHROPIC_BASE_URL']]; "
        f"subprocess.run(asked, check=True, stdout=open({str(shown)!r}, 'w'))"
    )
    assert run(home, "--policy", "none", "--", *python(code)).exit_code == 0
    assert json.loads(shown.read_text())["settings"]["policy"] == "none"


def test_programs_that_the_command_leaves_behind_do_not_keep_it(home: Home) -> None:
    command = asking(home, "ANTHROPIC_BASE_URL", "/v1/messages", "anthropic")
    code = f"import subprocess; subprocess.Popen({command!r}, stderr=subprocess.DEVNULL)\n{UNTIL_IT_IS_ASKED}"
    with FakeProvider(says("Hello."), delivery=Delivery(delay=float("inf"))) as provider:
        began = time.monotonic()
        done = run(home, "--", *python(code), env={"ANTHROPIC_BASE_URL": provider.url})
        assert time.monotonic() - began < PATIENCE
        [received] = provider.requests
        assert received.wait(PATIENCE)
    assert (received.hung_up, done.exit_code) == (True, 0)
    assert done.stderr.splitlines()[-1] == "faithfold: 1 request"
