"""What goes up in place of a request, and what the client is told: untouched, compacted, refused, bypassed, failed."""

from __future__ import annotations

import gzip
import json

import pytest

from faithfold import PrefixStore, faults
from faithfold.core.values import as_object
from faithfold.engine.options import EngineSettings
from faithfold.resending import Body, Decision, Engine
from tests.proxies import PATHS, REFUSAL, THRESHOLD, body, messages_in, proxied
from tests.resending import small
from tests.wires import answering, run, whole

OK = answering(whole(b'{"usage": {"input_tokens": 3}}', "200 OK", "content-type: application/json"))
SHORT, LONG = 3, 12
"""Steps: below the threshold, and over it."""

ODD = b'{ "big": 12345678901234567890123, "n": 1E5,\r\n "messages" :[ {"role":"user","content":"\\ud83d \\u00e9"} ]\t}'


@pytest.mark.parametrize("dialect", PATHS)
def test_a_short_request_goes_up_as_it_came(dialect: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            sent = body(dialect, SHORT)
            answer = await proxy.ask(sent, path=PATHS[dialect])
            assert proxy.bodies == [sent]
            assert (answer.status, answer.body) == (200, b'{"usage": {"input_tokens": 3}}')
            assert answer.own["policy"] == "cliff"
            assert answer.own["tokens-in"] == answer.own["tokens-out"]
            assert (answer.own["cut"], answer.own["rung"], "notice" in answer.own) == ("0", "0", False)

    run(scenario())


@pytest.mark.parametrize(
    "sent", [ODD, b"", b"no json", b"\xff\x00", b'{"messages": 3}', b"[" * 10_000, b'{"input":"x"}']
)
def test_what_cannot_be_read_goes_up_as_it_came(sent: bytes) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            for path in PATHS.values():
                assert (await proxy.ask(sent, path=path)).status == 200
            assert proxy.bodies == [sent] * 3
            assert [(told["fate"], told["problem"]) for told in proxy.ended] == [("untouched", "")] * 3

    run(scenario())


@pytest.mark.parametrize("dialect", PATHS)
def test_a_long_request_is_compacted_and_the_next_one_begins_alike(dialect: str) -> None:
    async def scenario() -> None:
        async with proxied(OK) as proxy:
            first = await proxy.ask(body(dialect, LONG), path=PATHS[dialect])
            second = await proxy.ask(body(dialect, LONG + 1), path=PATHS[dialect])
            sent = [messages_in(each) for each in proxy.bodies]
            assert len(sent[0]) < len(messages_in(body(dialect, LONG)))
            assert [faults(each, dialect) for each in sent] == [[], []]
            assert sent[1][: len(sent[0])] == sent[0]
            assert int(first.own["tokens-out"]) < THRESHOLD < int(first.own["tokens-in"])
            assert first.own["notice"] == f"compacted, {first.own['tokens-in']} to {first.own['tokens-out']} tokens"
            assert ("notice" in second.own, first.own["session"] == second.own["session"]) == (False, True)
            assert [told["fate"] for told in proxy.ended] == ["compacted", "substituted"]

    run(scenario())


PASSED = [
    "/v1/messages/count_tokens",
    "/v1/messages/batches",
    "/v1/responses/compact",
    "/v1/responses/resp_1/cancel",
    "/v1/messages/",
    "/v1/messages%2F",
    "/v1/Messages",
    "/v1/files",
    "/",
]


@pytest.mark.parametrize("path", PASSED)
def test_b100_every_other_path_passes_byte_for_byte(path: str) -> None:
    async def scenario() -> None:
        async with proxied(OK, strict=True) as proxy:
            sent = body("anthropic", LONG)
            answer = await proxy.ask(sent, path=path)
            assert (proxy.bodies, answer.own) == ([sent], {})
            assert proxy.provider.requests[0].line == f"POST {path} HTTP/1.1"

    run(scenario())


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH"])
def test_other_methods_pass(method: str) -> None:
    async def scenario() -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nallow: *\r\n\r\n"
        async with proxied(answering(head)) as proxy:
            answer = await proxy.get("/v1/messages?x=%2F", method=method)
            assert (answer.status, answer.value("allow"), answer.own) == (200, "*", {})
            assert proxy.provider.requests[0].line == f"{method} /v1/messages?x=%2F HTTP/1.1"

    run(scenario())


def test_shadow_decides_and_changes_nothing() -> None:
    async def scenario() -> None:
        async with proxied(answering(REFUSAL), shadow=True, strict=True) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (proxy.bodies, answer.status) == ([body("anthropic", LONG)], 400)
            assert int(answer.own["tokens-out"]) < int(answer.own["tokens-in"])
            assert answer.own["notice"].startswith("shadow: nothing was changed; compacted, ")
            assert [(told["fate"], told["shadow"]) for told in proxy.ended] == [("compacted", True)]

    run(scenario())


@pytest.mark.parametrize("dialect", PATHS)
def test_strict_refuses_what_is_too_large_in_the_dialects_own_shape(dialect: str) -> None:
    async def scenario() -> None:
        async with proxied(OK, strict=True, threshold_tokens=100) as proxy:
            answer = await proxy.ask(body(dialect, LONG), path=PATHS[dialect])
            error = as_object(as_object(json.loads(answer.body))["error"])
            assert (answer.status, proxy.bodies) == (400, [])
            assert str(error["message"]).startswith("prompt is too long: ")
            assert (("type" in as_object(json.loads(answer.body))), "code" in error) == (
                dialect == "anthropic",
                dialect != "anthropic",
            )
            assert [told["fate"] for told in proxy.ended] == ["refused"]

    run(scenario())


def test_without_strict_what_is_too_large_goes_up_and_says_so() -> None:
    async def scenario() -> None:
        async with proxied(OK, threshold_tokens=100) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.status, len(proxy.bodies)) == (200, 1)
            assert answer.own["notice"].endswith("; over the threshold of 100 tokens")

    run(scenario())


def test_no_headers_are_added_where_they_are_turned_off() -> None:
    async def scenario() -> None:
        async with proxied(OK, answer_headers=False) as proxy:
            assert (await proxy.ask(body("anthropic", LONG))).own == {}

    run(scenario())


class Failing(Engine):
    """An engine of a caller's own, which fails."""

    def prepare(self, body: Body, dialect: str, betas: object = ()) -> Decision:
        del dialect, betas
        raise KeyError(body)

    def overflow(self, decision: Decision) -> Decision | None:
        raise KeyError(decision.messages)


class FailingLater(Failing):
    """One that fails once a request was refused."""

    def prepare(self, body: Body, dialect: str, betas: object = ()) -> Decision:
        del betas
        return Engine(self.settings).prepare(body, dialect)


def test_a_failure_of_ours_sends_the_clients_own_bytes() -> None:
    async def scenario() -> None:
        async with proxied(OK, Failing(small(THRESHOLD)), strict=True) as proxy:
            sent = gzip.compress(body("anthropic", LONG))
            answer = await proxy.ask(sent, "content-encoding: gzip")
            assert (answer.status, proxy.bodies) == (200, [sent])
            assert proxy.provider.requests[0].values("content-encoding") == ["gzip"]
            assert answer.own["notice"] == "sent as it came, because something failed"
            (told,) = proxy.ended
            assert (told["fate"], told["level"]) == ("failed", "error")
            assert str(told["problem"]).startswith("sent as it came, for KeyError at test_proxy_handler.py:")
            assert "the task" not in proxy.log.getvalue()

    run(scenario())


def test_a_failure_after_an_overflow_sends_the_clients_own_bytes() -> None:
    async def scenario() -> None:
        script = answering(REFUSAL, whole(b"fine"))
        async with proxied(script, FailingLater(small(THRESHOLD))) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.status, answer.body) == (200, b"fine")
            assert proxy.bodies[1] == body("anthropic", LONG)
            assert [told["tries"] for told in proxy.ended] == [2]

    run(scenario())


def test_a_policy_that_fails_sends_the_clients_own_bytes() -> None:
    def failing(*_: object) -> object:
        raise RuntimeError("no such luck")

    async def scenario() -> None:
        engine = Engine(EngineSettings(policy=failing, threshold_tokens=THRESHOLD))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        async with proxied(OK, engine) as proxy:
            answer = await proxy.ask(body("anthropic", LONG))
            assert (answer.own["policy"], proxy.bodies) == ("failing", [body("anthropic", LONG)])
            assert [(told["fate"], told["problem"]) for told in proxy.ended] == [
                ("failed", "the policy failed: RuntimeError")
            ]

    run(scenario())


def test_an_engine_that_is_passed_in_decides_by_its_own_settings() -> None:
    async def scenario() -> None:
        store = PrefixStore(10, 1_000_000)
        async with proxied(OK, Engine(small(THRESHOLD), store), threshold_tokens=1_000_000) as proxy:
            await proxy.ask(body("anthropic", LONG))
            assert len(proxy.bodies[0]) < len(body("anthropic", LONG))

    run(scenario())
