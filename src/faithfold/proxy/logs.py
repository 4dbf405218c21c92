"""Structured logs: one line for each exchange, on standard error.

The logger belongs to the app. Nothing is configured for the process, neither at import nor later, and nothing that the
process has configured changes these lines. A line holds what an `Event` holds, and nothing else.

Source: spec 40-proxy, What a person sees and Safety; fault B122.
"""

from __future__ import annotations

import sys
from typing import Literal, TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from faithfold.proxy.events import Event

Style = Literal["json", "human"]

_BAD_REQUEST = 400
_SERVER_ERROR = 500


class Log:
    """Writes lines.

    Args:
        style: JSON, or for people.
        file: where to; standard error by default.
    """

    def __init__(self, style: Style = "json", file: TextIO | None = None) -> None:
        """Nothing is written yet."""
        self._logger: FilteringBoundLogger = structlog.wrap_logger(
            structlog.PrintLogger(file or sys.stderr),
            processors=_processors(style),
            wrapper_class=structlog.make_filtering_bound_logger(0),
            context_class=dict,
        ).bind()

    def ended(self, event: Event) -> None:
        """An exchange is over."""
        fields = event.to_json()
        del fields["kind"]
        getattr(self._logger, level(event))("exchange", **fields)

    def warn(self, line: str) -> None:
        """Something that somebody should know."""
        self._logger.warning(line)


def level(event: Event) -> Literal["info", "warning", "error"]:
    """How bad it was: an error where something failed, a warning where a request was not served as it should be."""
    if event.failed or event.status >= _SERVER_ERROR:
        return "error"
    return "warning" if event.over_budget or event.fate == "refused" or event.status >= _BAD_REQUEST else "info"


def _processors(style: Style) -> list[Processor]:
    shape = structlog.processors.JSONRenderer() if style == "json" else structlog.dev.ConsoleRenderer(colors=False)
    return [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), shape]
