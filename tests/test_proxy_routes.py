"""Routes: which paths are read, where they go, and that nothing is made of them (faults B095, B100, B103, B125)."""

from __future__ import annotations

import pytest
from yarl import URL

from faithfold.proxy.routes import route, target, upstream_of
from faithfold.proxy.settings import ANTHROPIC, OPENAI

READ = [
    (b"/v1/messages", "anthropic"),
    (b"/v1/messages?beta=true", "anthropic"),
    (b"/anthropic/v1/messages", "anthropic"),
    (b"/base/a%2Fb/v1/messages", "anthropic"),
    (b"//v1/messages", "anthropic"),
    (b"/v1/chat/completions", "openai"),
    (b"/chat/completions", "openai"),
    (b"/openai/deployments/gpt-4o/chat/completions?api-version=2025-01-01", "openai"),
    (b"/v1/responses", "openai-responses"),
    (b"/responses", "openai-responses"),
    (b"/backend-api/codex/responses", "openai-responses"),
]
PASSED = [
    *(b"", b"/", b"*", b"/v1/models", b"/v1/files/a%2Fb", b"/v1/embeddings", b"/v1/completions"),
    *(b"/v1/messages/count_tokens", b"/v1/messages/batches", b"/v1/messages/../models", b"/v1/messages/"),
    *(b"/v1/messages%2Fcount_tokens", b"/v1/messages%20", b"/v1%2Fmessages", b"/v1/message%73", b"/V1/Messages"),
    *(b"/messages", b"/xv1/messages", b"/v1/messages\n", b"/v1/messages;x=1", b"/v1/models?x=/v1/messages"),
    *(b"/v1/responses/compact", b"/v1/responses/resp_1", b"/v1/responses/resp_1/cancel", b"/v1/xresponses"),
    *(b"/v1/chat/completions/chatcmpl-1", b"/v1/chat", b"/v1/responses\xff", b"/v1/threads/t/messages"),
    *(b"http://evil.example/v1/messages", b"v1/messages", b"@evil.example/v1/messages"),
]


@pytest.mark.parametrize(("path", "dialect"), READ)
def test_a_path_that_ends_in_an_endpoint_is_read(path: bytes, dialect: str) -> None:
    assert route(path) == dialect


@pytest.mark.parametrize("path", PASSED)
def test_every_other_path_only_passes(path: bytes) -> None:
    assert route(path) is None


OURS, THEIRS = "https://anthropic.example/base", "http://127.0.0.1:9"
BY_PATH = [
    (b"/v1/messages", ANTHROPIC),
    (b"/v1/messages/count_tokens?beta=true", ANTHROPIC),
    (b"/v1/messages%2Fcount_tokens", ANTHROPIC),
    (b"/v1/messages/../models", ANTHROPIC),
    (b"/v1/complete", ANTHROPIC),
    (b"/v1/chat/completions", OPENAI),
    (b"/v1/completions", OPENAI),
    (b"/responses", OPENAI),
    (b"/v1/responses/compact", OPENAI),
    (b"/v1/responses/resp_1?include=x", OPENAI),
    (b"/v1/embeddings", OPENAI),
    (b"/v1/images/generations", OPENAI),
    (b"/v1/threads/t/messages", OPENAI),
]


@pytest.mark.parametrize(("path", "provider"), BY_PATH)
def test_the_path_decides_on_the_upstream(path: bytes, provider: str) -> None:
    assert upstream_of(path, None, None) == provider
    assert upstream_of(path, OURS, THEIRS) == (OURS if provider == ANTHROPIC else THEIRS)
    assert upstream_of(path, OURS, None) == (OURS if provider == ANTHROPIC else OPENAI)
    assert upstream_of(path, None, THEIRS) == (ANTHROPIC if provider == ANTHROPIC else THEIRS)


@pytest.mark.parametrize(
    "path", [b"/", b"", b"/v1/models", b"/v1/models/responses-1", b"/v1/messages_x", b"/x?/responses"]
)
def test_where_the_path_does_not_tell_the_one_that_was_set_is_taken(path: bytes) -> None:
    assert upstream_of(path, None, None) == ANTHROPIC
    assert upstream_of(path, OURS, None) == OURS
    assert upstream_of(path, None, THEIRS) == THEIRS
    assert upstream_of(path, OURS, THEIRS) == OURS


TARGETS = [
    (b"/v1/messages", b"beta=true", "/v1/messages?beta=true"),
    (b"/v1/messages", b"", "/v1/messages"),
    (b"/v1/messages%2Fcount_tokens", b"a=%20&b=+&c", "/v1/messages%2Fcount_tokens?a=%20&b=+&c"),
    (b"/v1/messages/../models", b"x=..%2F", "/v1/messages/../models?x=..%2F"),
    (b"//v1/./messages//", b"?", "//v1/./messages//??"),
    (b"/a%7eb%C3%A9~:@!$&'()*+,;=|[]{}\"\\^`", b"", "/a%7eb%C3%A9~:@!$&'()*+,;=|[]{}\"\\^`"),
    ("/é".encode(), "ü".encode(), "/é?ü"),
    (b"/\xff\xfe%2f", b"\x80", "/%FF%FE%2f?%80"),
    (b"/a#b", b"#", "/a%23b?%23"),
    (b"*", b"", "/*"),
    (b"", b"", "/"),
]


@pytest.mark.parametrize(("path", "query", "asked"), TARGETS)
def test_a_target_is_what_the_client_asked_for(path: bytes, query: bytes, asked: str) -> None:
    assert target(path, query) == asked


@pytest.mark.parametrize(
    "path",
    [
        *(b"http://evil.example/v1/messages", b"https://evil.example", b"//evil.example/v1/messages"),
        *(
            b"@evil.example/v1/messages",
            b":80@evil.example/",
            b".evil.example/",
            b"\\\\evil.example/",
            b"?@evil.example/",
        ),
        *(b"#@evil.example/", b"/\\evil.example", b"evil.example:80", b"\xff@evil.example/", b"/x:y@evil.example"),
    ],
)
@pytest.mark.parametrize("upstream", [ANTHROPIC, OURS, "http://127.0.0.1:8080"])
def test_no_path_chooses_its_host(upstream: str, path: bytes) -> None:
    """Fault B125."""
    meant, found = URL(upstream), URL(upstream + target(path, b"x=@evil.example"), encoded=True)
    assert (found.scheme, found.authority) == (meant.scheme, meant.authority)
    assert found.raw_path.startswith(meant.raw_path)
