"""`faithfold run -- COMMAND`: one command, that goes by way of a proxy of its own for as long as it lasts.

Invariant: nothing of the agent's or the user's is written, so there is nothing to be put back, whatever happens. The
terminal is the command's: we say something before it starts and after it has ended.

Source: spec 40-proxy; spec 90-decisions, Proxy (`run`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from faithfold.cli import child
from faithfold.cli.proxy_options import takes_proxy_behaviour
from faithfold.cli.terminal import say
from faithfold.proxy.settings import ProxySettings
from faithfold.settings import variables

if TYPE_CHECKING:
    from faithfold.hosts.launch import Launch, Side

_LOOPBACK = "127.0.0.1"


@click.command(
    context_settings={"allow_interspersed_args": False}, epilog="Example: faithfold run -- claude --continue"
)
@takes_proxy_behaviour
@click.option("--log/--no-log", default=True, help="Write the proxy's log to a file; it says where.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(settings: ProxySettings, *, log: bool, command: tuple[str, ...]) -> None:
    """Run COMMAND by way of a proxy of its own, for as long as it lasts.

    Claude Code, Codex, Pi and OpenCode are told where to go, and not to compact by themselves. Any other command is
    given the usual variables, such as ANTHROPIC_BASE_URL and OPENAI_BASE_URL. A base URL that is set already becomes
    the upstream. No file is changed. To run an agent without the proxy, run it without this command.

    Exit code: that of COMMAND; 128 and the number of the signal that ended it; 127 where it isn't found, 126 where it
    can't be run.
    """
    child.check(command[0], variables())
    with ExitStack() as opened:
        code = _through_a_proxy(settings, command, opened, log=log)
    click.get_current_context().exit(code)


def _through_a_proxy(settings: ProxySettings, command: Sequence[str], opened: ExitStack, *, log: bool) -> int:
    """Runs a command; its exit code."""
    from faithfold.cli.beside import served_beside
    from faithfold.cli.ledger import Ledger
    from faithfold.hosts.agents import prepare
    from faithfold.proxy.app import create_app
    from faithfold.proxy.logs import Log
    from faithfold.proxy.serving import address, listener
    from faithfold.resending import Engine

    file, where = _log(opened, wanted=log)
    listening = opened.enter_context(listener(_LOOPBACK, 0))
    launch = prepare(command, variables(), address(listening), _upstreams(settings))
    settings = _of_this_run(settings, listening.getsockname()[1], launch.upstreams)
    engine = Engine(settings.engine())
    ledger = Ledger(engine, settings, Log(file=file))
    app = create_app(settings, engine, watching=ledger)
    _say_what_happens(launch, where)
    with served_beside(app, listening):
        code = child.run(launch.command, launch.variables)
    say(f"faithfold: {ledger.line()}")
    return code


def _log(opened: ExitStack, *, wanted: bool) -> tuple[TextIO, str]:
    """A file for the log, and what to say about it."""
    from faithfold.cli.run_log import run_log

    if wanted:
        try:
            file, path = opened.enter_context(run_log())
            return file, f"log: {click.format_filename(path)}"
        except OSError as error:
            say(f"faithfold: no log is written: {error.strerror or error}")
    return opened.enter_context(Path(os.devnull).open("w", encoding="utf-8")), "no log"


def _upstreams(settings: ProxySettings) -> dict[Side, str]:
    """Those that the user set."""
    found: dict[Side, str | None] = {"anthropic": settings.anthropic_upstream, "openai": settings.openai_upstream}
    return {side: url for side, url in found.items() if url}


def _of_this_run(settings: ProxySettings, port: int, upstreams: Mapping[Side, str]) -> ProxySettings:
    """The settings of a proxy that is there for one command: on loopback, so that no token is needed.

    Raises:
        SettingsError: a base URL that the user set can't be an upstream.
    """
    return replace(
        settings,
        host=_LOOPBACK,
        port=port,
        token=None,
        anthropic_upstream=upstreams.get("anthropic"),
        openai_upstream=upstreams.get("openai"),
    )


def _say_what_happens(launch: Launch, log: str) -> None:
    from faithfold.proxy.status import without_credentials

    targets = " and ".join(without_credentials(url) for url in launch.targets)
    way = f"goes by way of {launch.proxy} to {targets}" if targets else "does not go by way of faithfold"
    say(f"faithfold: {launch.name} {way}; {log}")
    for note in launch.notes:
        say(f"faithfold: {note}")
