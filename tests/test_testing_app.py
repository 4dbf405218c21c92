"""What the fake provider makes of a path: what asks the model, and what is echoed, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence

import httpx2
import pytest
from yarl import URL

from faithfold.core.values import as_list, as_object
from faithfold.testing import FakeProvider, says
from tests.posting import body_of, raw

TARGETS = ["/v1/messages%2Fcount_tokens", "/a/../b/./c", "//v1/files?x=%20&&y=/?", "/q?", "/v1/models/..", "/%ff%00"]


@pytest.mark.parametrize("target", TARGETS)
def test_what_no_dialect_claims_is_echoed(target: str) -> None:
    told = (
        f"PUT {target} HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nX-Two: 2\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
    )
    with FakeProvider(says("hi")) as provider:
        answer = as_object(json.loads(raw(provider, told.encode()).partition(b"\r\n\r\n")[2]))
    [received] = provider.requests
    assert (answer["method"], answer["target"], answer["bytes"]) == ("PUT", target, 3)
    assert as_list(answer["headers"])[1:3] == [["x-two", "1"], ["x-two", "2"]]
    assert (received.target, received.body, received.header("X-Two")) == (target.encode(), b"abc", ["1", "2"])
    assert (received.dialect, received.asked, received.status) == ("", None, 200)


PASSED_ON: Sequence[tuple[str, str]] = [
    *(("GET", "/v1/messages"), ("HEAD", "/"), ("OPTIONS", "/v1/responses"), ("POST", "/v1/responses/compact")),
    *(("POST", "/v1/models"), ("DELETE", "/v1/files/1"), ("POST", "/v1/messages/batches"), ("POST", "/v1/messages/")),
]


@pytest.mark.parametrize(("method", "target"), PASSED_ON)
def test_only_the_paths_of_the_dialects_ask_the_model(method: str, target: str) -> None:
    with FakeProvider(says("hi")) as provider:
        answer = httpx2.request(method, provider.url + target)
    assert (answer.status_code, provider.asked) == (200, [])
    assert method == "HEAD" or as_object(answer.json())["target"] == target


def test_paths_may_have_a_prefix_and_a_query() -> None:
    with FakeProvider(says("hi")) as provider:
        url = URL(f"{provider.url}/team%2F1/v1/messages?beta=true", encoded=True)
        assert httpx2.post(str(url), json=body_of("anthropic")).status_code == 200
    assert provider.requests[0].target == b"/team%2F1/v1/messages?beta=true"
    assert (provider.requests[0].path, provider.requests[0].dialect) == (b"/team%2F1/v1/messages", "anthropic")
