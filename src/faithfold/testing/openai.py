"""What both APIs of OpenAI have in common: errors, and the headers of an answer."""

from __future__ import annotations

from collections.abc import Mapping

from faithfold.testing.answers import Headers, Refusal, Trouble
from faithfold.testing.asked import Asked
from faithfold.testing.wire import Fields, Refused, Words, worded

HEADERS: Headers = (("x-request-id", "req_fake"), ("openai-version", "2020-10-01"), ("openai-processing-ms", "7"))
PING = b": keep-alive\n\n"

_LIMITS = (
    ("x-ratelimit-limit-requests", "500"),
    ("x-ratelimit-remaining-requests", "0"),
    ("x-ratelimit-reset-requests", "1s"),
)
_INVALID = "invalid_request_error"

WORDS: Mapping[Trouble, Words] = {
    "too large": Words(413, _INVALID, "Request body is too large.", "request_too_large"),
    "invalid": Words(400, _INVALID, "We could not parse the JSON body of your request."),
    "unknown response": Words(
        400, _INVALID, "Previous response was not found.", "previous_response_not_found", "previous_response_id"
    ),
    "rate limit": Words(
        429,
        "requests",
        "Rate limit reached on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 1s.",
        "rate_limit_exceeded",
        headers=(("retry-after", "1"), *_LIMITS),
    ),
    "quota": Words(
        429,
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
    ),
    "server error": Words(500, "server_error", "The server had an error while processing your request. Sorry!"),
    "overloaded": Words(503, "server_error", "The engine is currently overloaded, please try again later."),
}
"""All but the overflow, which each API words its own way."""


def refused(asked: Asked, refusal: Refusal, overflow: Words) -> Refused:
    """A refusal, written; `overflow` are the words of one for the length of the context."""
    words = worded({**WORDS, "overflow": overflow}, asked, refusal)
    error: Fields = {"message": words.message, "type": words.kind, "param": words.param, "code": words.code}
    return Refused(words.status, words.headers, {"error": error}, error)
