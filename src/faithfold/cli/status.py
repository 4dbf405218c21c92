"""`faithfold status`: what a running proxy does.

Source: spec 40-proxy, What a person sees; spec 90-decisions, Proxy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from faithfold.cli.options import COUNT
from faithfold.cli.terminal import Failed, json_bytes, put, show
from faithfold.core.values import as_object, as_text
from faithfold.proxy.settings import ProxySettings
from faithfold.settings import Given, load

if TYPE_CHECKING:
    from http.client import HTTPConnection

_PAGE = "/__faithfold__/status"
_PATIENCE = 5.0  # seconds
_OK = 200
_HOST = "127.0.0.1"


@click.command(epilog="Example: faithfold status --port 8257")
@click.option("--port", type=COUNT, metavar="N", help="Of a proxy on this machine; else as the settings say.")
@click.option("--url", metavar="URL", help="Of a proxy elsewhere, for example http://10.0.0.5:8257.")
@click.option("--token", metavar="TEXT", help="Of the proxy; better set as FAITHFOLD_TOKEN.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(*, port: int | None, url: str | None, token: str | None, as_json: bool) -> None:
    """Show what a running proxy does: its sessions, and what it has saved.

    For each session the sizes of its newest requests are drawn against their threshold, and where it was compacted is
    marked. The proxy of `faithfold run` says its port when it starts.

    Exit code: 1 no proxy answers there.
    """
    from faithfold.cli.status_page import status_page

    if port is not None and url is not None:
        raise click.UsageError("give --port or --url, not both", click.get_current_context())
    flags = {"port": port, "token": token}
    given = {name: Given(value, f"--{name}") for name, value in flags.items() if value is not None}
    settings = load(ProxySettings, given).settings
    place = (url or f"http://{_HOST}:{settings.port}").rstrip("/")
    found = _asked(place, settings.token)
    if as_json:
        put(json_bytes(found, indent=2))
    else:
        show(status_page(found, place))


def _asked(url: str, token: str | None) -> Mapping[str, object]:
    """What the proxy at an address says.

    Raises:
        Failed: there is none, or it doesn't say it.
    """
    code, body = _got(url, token)
    said = _object(body)
    if code == _OK and "version" in said and "sessions" in said:
        return said
    why = as_text(said.get("error"))
    raise Failed(f"{url}: {why}" if why else f"what answers at {url} is no proxy of faithfold (HTTP {code})")


def _object(body: bytes) -> Mapping[str, object]:
    try:
        return as_object(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _got(url: str, token: str | None) -> tuple[int, bytes]:
    """Status and body of the answer. No redirect is followed, so that no token goes elsewhere."""
    from http.client import HTTPException

    headers = {"x-faithfold-token": token} if token else {}
    connection = _connection(url)
    try:
        connection.request("GET", _PAGE, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, HTTPException) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise Failed(f"no proxy answers at {url} ({why}); `faithfold serve` starts one") from None
    finally:
        connection.close()


def _connection(url: str) -> HTTPConnection:
    """What the proxy is asked by; not connected yet.

    Raises:
        Failed: the address is none.
    """
    from http.client import HTTPConnection, HTTPSConnection
    from urllib.parse import urlsplit

    kinds: Mapping[str, type[HTTPConnection]] = {"http": HTTPConnection, "https": HTTPSConnection}
    try:
        parts = urlsplit(url)
        host, port, kind = parts.hostname, parts.port, kinds.get(parts.scheme)
    except ValueError:
        host, port, kind = None, None, None
    if kind is None or not host:
        raise Failed(f"{url} is no address of a proxy; expected one such as http://127.0.0.1:8257")
    return kind(host, port, timeout=_PATIENCE)
