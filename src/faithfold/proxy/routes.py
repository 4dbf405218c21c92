"""Which requests are read, as which dialect, and where each request goes.

The idea: a path is compared as the bytes that came, and goes on as these bytes. Nothing is decoded or resolved, so
what was judged is what is sent. A path that an upstream may read as one of ours, but that isn't written so, only passes
through.

Invariant: no request chooses its host. The upstream's address comes from the settings, and what follows it begins with
a slash.

Source: spec 40-proxy, Request path; 90-decisions, Proxy (paths); faults B095, B100, B103, B125.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from faithfold.proxy.settings import ANTHROPIC, OPENAI

_DIALECTS: Mapping[bytes, str] = {
    b"/v1/messages": "anthropic",
    b"/chat/completions": "openai",
    b"/responses": "openai-responses",
}

# Where only one of the two has such a thing: the endpoints themselves, what lies below them, and their neighbours.
_ANTHROPIC = re.compile(rb"/v1/(?:messages|complete)(?![\w.-])")
_OPENAI = re.compile(
    rb"/(?:chat|responses|completions|embeddings|moderations|audio|images|realtime|conversations|assistants|threads"
    rb"|vector_stores|fine_tuning|evals|uploads)(?![\w.-])"
)

_ASCII = bytes(range(0x80)).decode()


def route(raw_path: bytes) -> str | None:
    """The dialect in which a path's requests are read, or None where they only pass through.

    A path that ends in one of the endpoints is read, whatever stands before: many gateways have a prefix. Only the body
    of a POST, or a message of a WebSocket, is such a request.

    Args:
        raw_path: as it came, with its escapes; a query may follow.
    """
    path = raw_path.partition(b"?")[0]
    if not path.startswith(b"/"):
        return None
    return next((dialect for ending, dialect in _DIALECTS.items() if path.endswith(ending)), None)


def upstream_of(raw_path: bytes, anthropic: str | None, openai: str | None) -> str:
    """The address of the upstream that a path belongs to.

    By the path; where both providers have such a path, the one upstream that was set; else Anthropic's.

    Args:
        raw_path: as for `route`.
        anthropic: the upstream that was set for Anthropic's paths; None is the provider itself.
        openai: the same for OpenAI's.
    """
    path = raw_path.partition(b"?")[0]
    if _ANTHROPIC.search(path):
        return anthropic or ANTHROPIC
    if _OPENAI.search(path) or (openai and not anthropic):
        return openai or OPENAI
    return anthropic or ANTHROPIC


def target(raw_path: bytes, query: bytes) -> str:
    """What a request asks its upstream for, to be put behind the upstream's address: path and query, as they came.

    It always begins with a slash, or "@" or ":" could make a host of it. Escaped is only what can't be written there:
    "#", and all of it that isn't ASCII where it isn't UTF-8.

    Args:
        raw_path: as it came, with its escapes.
        query: as it came, without the question mark.
    """
    asked = raw_path + b"?" + query if query else raw_path
    try:
        text = asked.decode()
    except UnicodeDecodeError:
        text = quote(asked, safe=_ASCII)
    slash = "" if text.startswith("/") else "/"
    return slash + text.replace("#", "%23")
