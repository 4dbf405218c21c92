"""The settings of the proxy as options of a command."""

from __future__ import annotations

import click

from faithfold.cli.options import COUNT, takes
from faithfold.proxy.settings import ANTHROPIC, OPENAI, ProxySettings

_PLACE = (
    click.option("--host", metavar="ADDRESS", help="Where to listen; other than loopback needs a token."),
    click.option("--port", type=COUNT, metavar="N", help="Where to listen; 0 takes a free port."),
    click.option("--token", metavar="TEXT", help="What each request must bring; better set as FAITHFOLD_TOKEN."),
)

_BEHAVIOUR = (
    click.option(
        *("--threshold", "--threshold-tokens", "threshold_tokens"),
        type=COUNT,
        metavar="N",
        help="A request over N tokens is compacted; by default the window of its model says.",
    ),
    click.option("--strict/--no-strict", default=None, help="Refuse what can't be brought under the threshold."),
    click.option("--shadow/--no-shadow", default=None, help="Decide and report, and change nothing."),
    click.option("--anthropic-upstream", metavar="URL", help=f"Where Anthropic's requests go; else {ANTHROPIC}."),
    click.option("--openai-upstream", metavar="URL", help=f"Where OpenAI's requests go; else {OPENAI}."),
    click.option("--tenant", metavar="NAME", help="Whose requests these are; by default the token's."),
    click.option("--debug-dir", metavar="FOLDER", help="Write requests and answers to files in this folder."),
    click.option("--answer-headers/--no-answer-headers", default=None, help="Tell clients in x-faithfold headers."),
    click.option("--max-body-bytes", type=COUNT, metavar="N", help="Refuse a larger request."),
    click.option("--hold-ms", type=COUNT, metavar="N", help="How long a stream may be held to see if it is refused."),
    click.option("--connect-timeout-s", type=COUNT, metavar="N", help="How long connecting upstream may take."),
    click.option("--store-max-entries", type=COUNT, metavar="N", help="How many compactions are remembered."),
    click.option("--store-max-bytes", type=COUNT, metavar="N", help="How much memory they may take."),
    click.option("--recognition-max-bytes", type=COUNT, metavar="N", help="The same for messages seen before."),
)

takes_proxy_settings = takes(ProxySettings, *_PLACE, *_BEHAVIOUR)
"""Gives a command the options, and hands it the effective settings as a `ProxySettings` named `settings`."""

takes_proxy_behaviour = takes(ProxySettings, *_BEHAVIOUR)
"""The same for a command that chooses itself where the proxy listens."""
