"""Who may use the proxy, and see its own pages: judged by headers alone, before anything else is done.

The idea: a web page that a person opens can send requests to this machine, and by a trick with names (DNS rebinding)
even read the answers. It can't choose the Host that its browser sends, hide its Origin, or know a token. So the own
pages ask for a Host and an Origin that are the proxy's, and every request for the token, where there is one.

A provider's client has its own use for Authorization, so it brings the token in `x-faithfold-token`, which never goes
on to an upstream. For an own page both will do.

Invariant: a refusal is one line and quotes nothing of the request. A token is compared in constant time.

Source: spec 40-proxy, Safety; fault B124.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hmac import compare_digest

from faithfold.proxy.headers import Header, value
from faithfold.proxy.settings import is_loopback

TOKEN_HEADER = b"x-faithfold-token"

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:,\s]+)(?::\d+)?")


def refusal(headers: Sequence[Header], bound: str, token: str | None, *, own_page: bool) -> str | None:
    """Why a request is refused, or None where it isn't.

    Args:
        headers: of the request.
        bound: the address that the proxy listens at.
        token: what every request must bring; None asks for none, and is for loopback only.
        own_page: whether the request is for a page of the proxy's own, or for an upstream.
    """
    if token is not None and not _brings(headers, token, own_page=own_page):
        return f"this proxy asks for its token, in the header {TOKEN_HEADER.decode()}"
    if not own_page:
        return None
    host = value(headers, b"host").lower()
    if not _is_named(host, bound):
        return "the Host header is not one of this proxy's; ask for it as 127.0.0.1 or localhost"
    origin = value(headers, b"origin").lower()
    if origin and origin not in (f"http://{host}", f"https://{host}"):
        return "another site asks for this page; open it by itself"
    return None


def _brings(headers: Sequence[Header], token: str, *, own_page: bool) -> bool:
    brought = [value(headers, TOKEN_HEADER)]
    scheme, _, credentials = value(headers, b"authorization").partition(" ")
    if own_page and scheme.lower() == "bearer":
        brought.append(credentials.strip())
    return any(compare_digest(each.encode(), token.encode()) for each in brought)


def _is_named(host: str, bound: str) -> bool:
    """Whether a Host header names the proxy.

    By which names other machines reach it can't be known. But what listens there has a token, that no page knows.
    """
    named = _HOST.fullmatch(host)
    if named is None:
        return False
    return is_loopback(named[1]) or not is_loopback(bound) or named[1].strip("[]") == bound.strip("[]").lower()
