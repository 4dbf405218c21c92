"""The proxy's own refusals, each in the shape of the provider whose client asked, so that its SDK raises what fits.

Invariant: one line that says what to do, and that it is faithfold which speaks; nothing of the request is quoted.

Source: spec 40-proxy, strict mode and Safety; faults B098, B099.
"""

from __future__ import annotations

import json


def over_budget(dialect: str, tokens: int, threshold: int) -> bytes:
    """The body of the 400 of strict mode: what is left of a request is still too large.

    It is worded as an overflow on purpose, and has the code of one: the request is too large, and whoever can still
    make it smaller is the client. Agents answer an overflow with a compaction of their own; any other 400 ends their
    session, or is sent again. Another faithfold on the way takes it for an overflow too, and tries its own ladder.

    Args:
        dialect: of the request.
        tokens: the size of what would have been sent.
        threshold: what it must not be over.
    """
    message = (
        f"prompt is too long: {tokens} tokens > {threshold} maximum. This is faithfold's threshold in strict mode, and "
        "nothing more can be left out; make the conversation shorter, or raise threshold_tokens."
    )
    return _error(dialect, message, "invalid_request_error", "context_length_exceeded")


def too_large(dialect: str, limit: int) -> bytes:
    """The body of a 413: a request's body has more bytes than is allowed.

    Args:
        dialect: of the request.
        limit: how many it may have.
    """
    message = f"faithfold takes no body larger than {limit} bytes; send less, or raise max_body_bytes."
    return _error(dialect, message, "request_too_large", "request_too_large")


def unreachable(dialect: str, why: str) -> bytes:
    """The body of a 502: no answer came from the upstream.

    Args:
        dialect: of the request.
        why: one line.
    """
    message = f"faithfold could not ask the provider: {why}."
    return _error(dialect, message, "api_error", "upstream_unreachable")


def refused(dialect: str, why: str) -> bytes:
    """The body of a 403: the request may not use the proxy.

    Args:
        dialect: of the request.
        why: one line, see `guard.refusal`.
    """
    return _error(dialect, f"faithfold: {why}.", "permission_error", "forbidden")


def unusable(dialect: str, why: str) -> bytes:
    """The body of a 400: a header of faithfold's own says something that can't be meant.

    Args:
        dialect: of the request.
        why: one line.
    """
    return _error(dialect, f"faithfold: {why}.", "invalid_request_error", "invalid_header")


def http_only(dialect: str) -> bytes:
    """The body of a 426: a WebSocket can't be had here, and the client is to ask by HTTP.

    Args:
        dialect: of the request.
    """
    return _error(dialect, "faithfold opens no WebSocket here; ask by HTTP.", "invalid_request_error", "http_only")


def _error(dialect: str, message: str, kind: str, code: str) -> bytes:
    """An error as Anthropic writes it, or as OpenAI and all others do."""
    if dialect == "anthropic":
        body: dict[str, object] = {"type": "error", "error": {"type": kind, "message": message}}
    else:
        body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return json.dumps(body).encode()
