"""`faithfold serve`: what it says when it starts, why it doesn't start, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

import pytest

from faithfold.proxy.settings import ProxySettings
from tests.cli_runs import Home
from tests.proxies import SECRET, Answered, body
from tests.wires import END, STREAM, Connection, answering, chunk, connected, post, run, said, upstream, whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")


@dataclass
class Served:
    """A process that serves, what it said when it started, and where it listens."""

    process: asyncio.subprocess.Process
    lines: Sequence[str]

    @property
    def url(self) -> str:
        return self.lines[0].split()[3].rstrip(";")

    async def end(self, *signals: signal.Signals) -> tuple[int, str]:
        """Sends signals, and waits: the exit code, and what was said on standard error."""
        for each in signals:
            self.process.send_signal(each)
        _, told = await self.process.communicate()
        return self.process.returncode or 0, told.decode()


@contextlib.asynccontextmanager
async def serving(home: Home, *arguments: str, variables: Mapping[str, str] | None = None) -> AsyncGenerator[Served]:
    command = (sys.executable, "-m", "faithfold", "serve", "--port", "0", *arguments)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=home.variables(variables))
    assert process.stdout is not None
    try:
        lines = [(await process.stdout.readline()).decode().rstrip("\n") for _ in range(7)]
        yield Served(process, lines)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def test_it_says_where_it_is_and_how_to_get_there_and_ends_with_ctrl_c(home: Home) -> None:
    async def scenario() -> None:
        async with upstream(answering(whole())) as provider:
            flags = ("--anthropic-upstream", provider.url, "--threshold", "2000000")
            async with serving(home, *flags) as served:
                url = served.url
                assert list(served.lines) == [
                    f"faithfold listens at {url}; its state is at {url}/__faithfold__/status",
                    f"Anthropic's requests go to {provider.url}",
                    "OpenAI's requests go to https://api.openai.com",
                    f"Claude Code:  ANTHROPIC_BASE_URL={url} claude",
                    f"Codex:        codex -c openai_base_url='\"{url}/v1\"'",
                    f"others:       ANTHROPIC_BASE_URL={url} or OPENAI_BASE_URL={url}/v1",
                    "Switch off the agent's own compaction. Without these settings an agent goes past the proxy.",
                ]
                sent = body("anthropic", 3, model="claude-sonnet-4-5")
                answers = [Answered.of(await said(url, post("/v1/messages", sent, SECRET + ": 1"))) for _ in range(2)]
                assert [answer.status for answer in answers] == [200, 200]
                code, told = await served.end(signal.SIGINT)
        lines = [json.loads(line) for line in told.splitlines()]
        assert code == 130
        assert [line["status"] for line in lines if line["event"] == "exchange"] == [200, 200]
        assert [line["event"] for line in lines if line["event"] != "exchange"] == [
            "threshold_tokens is 2000000, but the window of claude-sonnet-4-5 is 200000; set it lower, or none"
        ]

    run(scenario())


def test_with_sigterm_it_lets_streams_come_to_their_end(home: Home) -> None:
    async def scenario() -> None:
        going, stopped = asyncio.Event(), asyncio.Event()

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM + chunk(b"data: 1\n\n"))
            going.set()
            await stopped.wait()
            await connection.send(chunk(b"data: 2\n\n") + END)

        async with upstream(script) as provider, serving(home, "--anthropic-upstream", provider.url) as served:
            asked = asyncio.create_task(said(served.url, post("/v1/messages", b"{}")))
            feed = asyncio.create_task(
                said(served.url, b"GET /__faithfold__/events HTTP/1.1\r\nhost: localhost\r\n\r\n")
            )
            await going.wait()
            ended = asyncio.create_task(served.end(signal.SIGTERM))
            await asyncio.sleep(0.5)
            with pytest.raises(ConnectionError):
                await connected(served.url).__aenter__()
            stopped.set()
            assert (await asked).endswith(chunk(b"data: 2\n\n") + END)
            assert Answered.of(await feed).status == 200
            code, told = await asyncio.wait_for(ended, 5)
            assert (code, [json.loads(line)["status"] for line in told.splitlines()]) == (-signal.SIGTERM, [200])

    run(scenario())


def test_a_second_ctrl_c_ends_it_at_once(home: Home) -> None:
    async def scenario() -> None:
        going = asyncio.Event()

        async def script(connection: Connection) -> None:
            await connection.request()
            await connection.send(STREAM + chunk(b"data: 1\n\n"))
            going.set()
            await connection.closed()

        async with upstream(script) as provider, serving(home, "--anthropic-upstream", provider.url) as served:
            asked = asyncio.create_task(said(served.url, post("/v1/messages", b"{}")))
            await going.wait()
            served.process.send_signal(signal.SIGINT)
            await asyncio.sleep(0.5)
            code, told = await asyncio.wait_for(served.end(signal.SIGINT), 5)
            assert (code, "Traceback" in told) == (130, False)
            assert (await asked).endswith(chunk(b"data: 1\n\n"))

    run(scenario())


def test_a_port_that_is_in_use_is_one_line(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = home.run("serve", "--port", str(port))
    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr == f"faithfold: port {port} of 127.0.0.1 is in use; expected a free one, or 0 for any\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--host", "0.0.0.0"], "--host: host '0.0.0.0' lets other machines in, and so needs a token"),
        (
            ["--host", "192.0.2.1", "--token", "t"],
            "can't listen at 192.0.2.1 port 8257: Cannot assign requested address",
        ),
        (["--port", "70000"], "--port: port must be at most 65535, but is 70000"),
        (["--openai-upstream", "api.openai.com"], "--openai-upstream: openai_upstream is 'api.openai.com'; expected"),
        (["--openai-upstream", "http://localhost:8257"], "--openai-upstream: openai_upstream is the proxy itself: "),
        (["--debug-dir", "/dev/null"], "/dev/null"),
    ],
)
def test_what_cannot_work_is_one_line(home: Home, arguments: list[str], line: str) -> None:
    told = home.run("serve", *arguments)
    assert (told.exit_code, told.stdout, told.stderr.count("\n")) == (1, "", 1)
    assert line in told.stderr


def test_variables_and_the_file_count_and_the_token_is_not_said(home: Home) -> None:
    async def scenario() -> None:
        home.write("config/faithfold/faithfold.toml", f"token = 'sesame'\nshadow = true\ndebug_dir = '{home.path}/d'\n")
        async with serving(home) as served:
            assert served.process.stdout is not None
            more = [(await served.process.stdout.readline()).decode() for _ in range(3)]
            assert more == [
                "Each request must bring the token, in the header x-faithfold-token.\n",
                "Shadow: decisions are only reported, requests go up as they came.\n",
                f"Requests and answers are written to {home.path}/d\n",
            ]
            assert Answered.of(await said(served.url, post("/v1/messages", b"{}"))).status == 403

    run(scenario())


def certified(home: Home) -> ssl.SSLContext:
    """What a server of this machine needs for TLS; its certificate is in `ca.pem`, and nobody knows it."""
    about = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2")
    files = ("-keyout", str(home.path / "key.pem"), "-out", str(home.path / "ca.pem"))
    command = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    subprocess.run([*command, *about, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(home.path / "ca.pem", home.path / "key.pem")
    return context


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
@pytest.mark.parametrize(("trusted", "status"), [(True, 200), (False, 502)])
def test_a_certificate_of_ones_own_is_trusted_where_the_variable_says_so(
    home: Home, trusted: bool, status: int
) -> None:
    async def scenario() -> None:
        async with upstream(answering(whole()), ssl=certified(home)) as provider:
            url = provider.url.replace("http://127.0.0.1", "https://localhost")
            variables = {"SSL_CERT_FILE": str(home.path / "ca.pem")} if trusted else {}
            async with serving(home, "--anthropic-upstream", url, variables=variables) as served:
                answer = Answered.of(await said(served.url, post("/v1/messages", b"{}")))
        assert (answer.status, b"SSL_CERT_FILE can name" in answer.body) == (status, not trusted)

    run(scenario())


def test_without_the_extra_it_says_what_is_missing(home: Home) -> None:
    code = "import sys; sys.modules['aiohttp'] = None; from faithfold.cli import main; sys.argv[1:] = ['serve']; main()"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=home.variables(), check=False
    )
    line = "faithfold: aiohttp is not installed; expected faithfold with its extra: faithfold[proxy]\n"
    assert (told.returncode, told.stdout, told.stderr) == (1, "", line)


def test_every_setting_has_its_option(home: Home) -> None:
    page = home.run("serve", "--help").stdout
    names = [name.replace("_", "-") for name in ProxySettings.__dataclass_fields__]
    assert [name for name in names if f"--{name}" not in page] == []
