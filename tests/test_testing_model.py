"""The fake provider's own rules: the size of its window, legal messages, bodies that can be read."""

from __future__ import annotations

import json

import httpx2
import pytest

from faithfold import SettingsError, estimate_tokens
from faithfold.core.values import as_object
from faithfold.testing import FakeProvider, says
from faithfold.testing.codings import packed
from faithfold.testing.model import Overflow
from tests.posting import PATHS, body_of, post


@pytest.mark.parametrize(
    ("stream", "mode", "status"), [(False, "400", 400), (True, "413", 413), (False, "stream", 400)]
)
@pytest.mark.parametrize("dialect", PATHS)
def test_a_request_over_the_window_is_refused(dialect: str, stream: bool, mode: Overflow, status: int) -> None:
    tokens = estimate_tokens(body_of(dialect, stream=stream))
    with FakeProvider(says("hi"), window=tokens, overflow=mode) as provider:
        assert post(provider, dialect, stream=stream).status_code == 200
    with FakeProvider(says("hi"), window=tokens - 1, overflow=mode) as provider:
        answer = post(provider, dialect, stream=stream)
    assert answer.status_code == provider.requests[0].status == status
    assert status == 413 or is_told(dialect, answer.text, tokens)


def is_told(dialect: str, answer: str, tokens: int) -> bool:
    sizes = {"anthropic": f"prompt is too long: {tokens} tokens > {tokens - 1} maximum"}
    sizes["openai"] = f"maximum context length is {tokens - 1} tokens. However, your messages resulted in {tokens}"
    return sizes.get(dialect, "Your input exceeds the context window") in answer


STREAMED = {
    "anthropic": ["message_start", "ping", "error"],
    "openai": ["chat.completion.chunk", "context_length_exceeded"],
    "openai-responses": ["response.created", "response.in_progress", "error", "response.failed"],
}


@pytest.mark.parametrize("dialect", PATHS)
def test_an_overflow_inside_a_stream_comes_before_any_content(dialect: str) -> None:
    with FakeProvider(says("hi"), window=1, overflow="stream") as provider:
        answer = post(provider, dialect)
    told = [as_object(json.loads(line[6:])) for line in answer.text.splitlines() if line.startswith("data: ")]
    names = [each.get("type") or each.get("object") or as_object(each.get("error"))["code"] for each in told]
    assert (answer.status_code, names) == (200, STREAMED[dialect])
    assert dialect == "anthropic" or "context_length_exceeded" in answer.text


@pytest.mark.parametrize("dialect", PATHS)
def test_illegal_messages_are_refused_where_that_is_wanted(dialect: str) -> None:
    key = "input" if dialect == "openai-responses" else "messages"
    illegal = [{"role": "system", "content": "nobody speaks"}]
    for strict, status in ((True, 400), (False, 200)):
        with FakeProvider(says("hi"), strict_faults=strict) as provider:
            answer = httpx2.post(provider.url + PATHS[dialect], json={"model": "m", key: illegal})
        assert answer.status_code == status
        assert [fault.code for fault in provider.asked[0].faults] == ["only-instructions"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"messages":{},"input":3}', b"[" * 90_000])
@pytest.mark.parametrize("dialect", PATHS)
def test_a_body_that_holds_no_messages_is_refused(dialect: str, content: bytes) -> None:
    with FakeProvider(says("hi")) as provider:
        answer = httpx2.post(provider.url + PATHS[dialect], content=content)
    assert (answer.status_code, provider.requests[0].body) == (400, content)
    assert "Missing required parameter" in answer.text


@pytest.mark.parametrize("codings", ["gzip", "deflate", "br", "zstd", "gzip, br", "identity", "GZIP"])
def test_bodies_are_read_through_their_codings(codings: str) -> None:
    content = json.dumps(body_of("anthropic", stream=False)).encode()
    for coding in codings.lower().replace(" ", "").replace("identity", "").split(","):
        content = b"".join(packed([content], coding))
    with FakeProvider(says("hi")) as provider:
        headers = {"content-encoding": codings}
        good = httpx2.post(provider.url + PATHS["anthropic"], content=content, headers=headers)
        bad = httpx2.post(provider.url + PATHS["anthropic"], content=b"lies", headers=headers)
    assert (good.status_code, bad.status_code) == (200, 400)
    assert (provider.requests[0].body, provider.requests[0].json()) == (content, body_of("anthropic", stream=False))


@pytest.mark.parametrize(("window", "mode"), [(-1, "400"), (1, "422")])
def test_rules_that_cannot_be_meant_are_refused(window: int, mode: Overflow) -> None:
    with pytest.raises(SettingsError, match=r"must not be negative, not -1|must be one of 400, 413, stream, not '422'"):
        FakeProvider(says("hi"), window=window, overflow=mode)
