"""`faithfold serve`: the proxy, until it is stopped.

Source: spec 40-proxy, What a person sees; spec 90-decisions, Proxy.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from faithfold.cli.proxy_options import takes_proxy_settings
from faithfold.cli.terminal import show
from faithfold.proxy.settings import ANTHROPIC, OPENAI, ProxySettings


@click.command(epilog="Example: faithfold serve --threshold 150000")
@takes_proxy_settings
def serve(settings: ProxySettings) -> None:
    """Run the proxy, until it is stopped with Ctrl-C or SIGTERM.

    Point the base URL of an agent at it, as it says when it starts. What it does to each request is said on standard
    error, one line a request. When it is stopped, streams that go on have ten seconds to end.

    Exit code: 1 it could not be served, for example because the port is in use.
    """
    from faithfold.proxy.app import create_app
    from faithfold.proxy.logs import Log
    from faithfold.proxy.serving import Server, address, listener
    from faithfold.proxy.watching import Watching
    from faithfold.resending import Engine

    with listener(settings.host, settings.port) as listening:
        engine = Engine(settings.engine())
        log = Log("human" if sys.stderr and sys.stderr.isatty() else "json")
        app = create_app(settings, engine, watching=Watching(engine, settings, log=log))
        show("\n".join(_lines(settings, address(listening))))
        Server(app).run(sockets=[listening])


def _lines(settings: ProxySettings, url: str) -> Iterator[str]:
    """What somebody needs to know who starts it."""
    yield f"faithfold listens at {url}; its state is at {url}/__faithfold__/status"
    yield f"Anthropic's requests go to {settings.anthropic_upstream or ANTHROPIC}"
    yield f"OpenAI's requests go to {settings.openai_upstream or OPENAI}"
    yield f"Claude Code:  ANTHROPIC_BASE_URL={url} claude"
    yield f"Codex:        codex -c openai_base_url='\"{url}/v1\"'"
    yield f"others:       ANTHROPIC_BASE_URL={url} or OPENAI_BASE_URL={url}/v1"
    yield "Switch off the agent's own compaction. Without these settings an agent goes past the proxy."
    if settings.token is not None:
        yield "Each request must bring the token, in the header x-faithfold-token."
    if settings.shadow:
        yield "Shadow: decisions are only reported, requests go up as they came."
    if settings.debug_dir is not None:
        yield f"Requests and answers are written to {click.format_filename(settings.debug_dir)}"
