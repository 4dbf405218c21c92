"""Errors: the proxy's own refusals, as the SDKs of the providers read them off a socket."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import NamedTuple

import anthropic
import openai
import pytest

from faithfold.core.values import as_object, as_text
from faithfold.dialects.overflow import is_overflow, overflow_event, window_in
from faithfold.proxy.errors import http_only, over_budget, refused, too_large, unreachable


class Row(NamedTuple):
    """An answer of the proxy's, and what an SDK makes of it."""

    status: int
    body: bytes
    raised: str
    kind: str
    code: str


DIALECTS = ["anthropic", "openai", "openai-responses", ""]


def rows(dialect: str) -> list[Row]:
    budget, away = over_budget(dialect, 250_000, 200_000), unreachable(dialect, "it closed the connection")
    return [
        Row(400, budget, "BadRequestError", "invalid_request_error", "context_length_exceeded"),
        Row(413, too_large(dialect, 512), "APIStatusError", "request_too_large", "request_too_large"),
        Row(502, away, "InternalServerError", "api_error", "upstream_unreachable"),
        Row(403, refused(dialect, "no token"), "PermissionDeniedError", "permission_error", "forbidden"),
        Row(426, http_only(dialect), "APIStatusError", "invalid_request_error", "http_only"),
    ]


@contextmanager
def answering(row: Row) -> Generator[str]:
    """The address of a server that gives one answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(row.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(row.body)))
            self.end_headers()
            self.wfile.write(row.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is http.server's
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("row", rows("anthropic"), ids=[str(row.status) for row in rows("anthropic")])
def test_the_sdk_of_anthropic_raises_what_fits(row: Row) -> None:
    with answering(row) as url, anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
        expected: type[anthropic.APIStatusError] = getattr(anthropic, row.raised)
        with pytest.raises(expected) as raised:
            client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert raised.value.status_code == row.status
    assert as_object(as_object(raised.value.body)["error"])["type"] == row.kind
    assert "faithfold" in raised.value.message


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("row", rows("openai"), ids=[str(row.status) for row in rows("openai")])
def test_the_sdk_of_openai_raises_what_fits(row: Row, *, stream: bool) -> None:
    with answering(row) as url, openai.OpenAI(base_url=url, api_key="k", max_retries=0) as client:
        expected: type[openai.APIStatusError] = getattr(openai, row.raised)
        for ask in (
            lambda: client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "hi"}], stream=stream
            ),
            lambda: client.responses.create(model="m", input="hi", stream=stream),
        ):
            with pytest.raises(expected) as raised:
                ask()
            assert raised.value.status_code == row.status
            assert (raised.value.type, raised.value.code) == (row.kind, row.code)
            assert "faithfold" in raised.value.message


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_refusal_is_one_line_that_says_who_speaks(dialect: str) -> None:
    for row in rows(dialect):
        error = as_object(json.loads(row.body)["error"])
        said = as_text(error["message"])
        assert said.endswith(".")
        assert not said.endswith("..")
        assert "\n" not in said
        assert ("type" in json.loads(row.body)) == (dialect == "anthropic")
        assert set(error) == ({"type", "message"} if dialect == "anthropic" else {"type", "message", "param", "code"})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_over_budget_is_taken_for_an_overflow_and_the_rest_is_not(dialect: str) -> None:
    budget, large, *others = rows(dialect)
    assert is_overflow(budget.status, budget.body)
    assert window_in(budget.body) == 200_000
    assert overflow_event(budget.body)
    assert is_overflow(large.status, large.body)
    assert window_in(large.body) is None
    assert not any(is_overflow(400, row.body) for row in others)


@pytest.mark.parametrize("why", ['a "quoted" reason', "a\\b", "é"])
def test_a_reason_is_told_as_it_is(why: str) -> None:
    assert json.loads(unreachable("openai", why))["error"]["message"] == f"faithfold could not ask the provider: {why}."
