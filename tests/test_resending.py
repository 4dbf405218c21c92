"""One engine, as a library user or the proxy has it: requests in, requests out, whatever comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from faithfold import SUMMARY_HEADER, EngineSettings, InputError, PrefixStore, estimate_tokens, faults
from faithfold.core.values import as_object
from faithfold.resending import Decision, Engine
from tests.pieces import STEPS, Wire, fc, fo, message, says, session, user
from tests.resending import body_of, grow, sent_messages, small, wire

LONG = session("anthropic", 9, "some result " * 20)


@pytest.mark.parametrize("dialect", STEPS)
def test_a_request_that_is_too_large_is_compacted_once_and_stays_so(dialect: str) -> None:
    engine = Engine(small(900))
    told = session(dialect, 30, "some result " * 20)
    ends = range(1, len(told) + 1, len(session(dialect, 1)) - 1)
    made = [*grow(engine, dialect, [told[:end] for end in ends])]
    drops = [each for each in made if each.compacted]
    assert 1 < len(drops) < len(made) // 3
    assert all(each.tokens_out <= 900 and not each.over_budget and each.rung == 0 for each in made)
    assert all(faults([*each.messages], dialect) == [] for each in made)
    last = made[-1]
    assert last.messages == sent_messages(last) == [told[0], last.summary, *told[last.cut :]]
    assert (last.head_len, last.tokens_in) == (1, estimate_tokens(body_of(dialect, told)))
    assert SUMMARY_HEADER in json.dumps(last.summary)


NOBODYS: list[bytes | Wire] = [
    *(b"", b"{", b"[]", b'"hi"', b"null", b'{"messages":"x"}', b'{"input":"hello"}', b"\xef\xbb\xbf{}"),
    *('{"messages":[]}'.encode("utf-16"), b'{"messages":[1],"a":"\xff"}', b'{"messages":["\xff"],"input":["\xff"]}'),
    b'{"messages":[{"a":01}],"input":[{"a":01}]}',
    b'{"messages":[' + b"[" * 90_000,
    {},
    {"messages": "x"},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": object()}]}]},
    {"messages": ["x"], "system": object(), "input": ["x"]},
    {"messages": [{1: "one", "role": "user", "two": 2}]},
]


@pytest.mark.parametrize("dialect", STEPS)
@pytest.mark.parametrize("body", NOBODYS, ids=range(len(NOBODYS)))
def test_what_cannot_be_read_is_sent_as_it_came(dialect: str, body: bytes | Wire) -> None:
    engine = Engine(small(0))
    made = engine.prepare(body, dialect)
    assert (made.modified, made.compacted, made.rung) == (False, False, 0)
    assert (made.head_len, made.cut, made.summary, made.tokens_out) == (0, 0, None, made.tokens_in)
    assert made.outcome.source is body
    assert engine.overflow(made) is None
    assert "\n" not in made.problem
    if isinstance(body, bytes):
        assert made.body is body
        assert made.problem.startswith("the body ")


def test_a_history_that_holds_itself_does_not_make_it_raise() -> None:
    message: dict[str, object] = {"role": "user"}
    message["content"] = [message]
    assert not Engine(small(0)).prepare({"messages": [message]}, "anthropic").modified


def test_nothing_is_known_of_what_cannot_be_read() -> None:
    made = Engine().prepare(b"{", "anthropic")
    assert ([*made.messages], [*made.chain], made.tokens_in, made.over_budget) == ([], [], 0, False)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(InputError, match="unknown dialect 'gemini'"):
        Engine().prepare(b"{}", "gemini")


def test_every_spelling_of_what_is_kept_comes_through() -> None:
    """Numbers, escapes, halves of pairs, white space, fields twice, in the messages and beside them (B104 to B106)."""
    odd = rb'{"role" :"user","content":"\ud83d \u003c","content":"x","n":[1.10,1E5,1e400,9007199254740993,NaN]}'
    plain = json.dumps(LONG)[1:-1].encode()
    body = (
        b'{"stream":true,"n":1.10,"n":NaN, "messages" :['
        + odd
        + b" ,\n"
        + plain
        + b"  , "
        + odd
        + b' ] ,"z":"\\u0061"}\n'
    )
    made = Engine(small(900)).prepare(body, "anthropic")
    assert made.compacted
    assert made.body.startswith(b'{"stream":true,"n":1.10,"n":NaN, "messages" :[' + odd + b" ,\n")
    assert made.body.endswith(b"  , " + odd + b'] ,"z":"\\u0061"}\n')


def test_a_lone_surrogate_in_what_is_folded_does_no_harm() -> None:
    body = body_of("anthropic", [user("task"), says("cut \ud83d here " * 100), *LONG[1:]])
    made = Engine(small(estimate_tokens(body) - 1)).prepare(wire(body), "anthropic")
    assert made.compacted
    assert "\ufffd" in json.dumps(made.summary, ensure_ascii=False)
    made.body.decode("utf-8")


def test_objects_that_are_kept_are_the_clients_own() -> None:
    engine = Engine(small(900))
    body = body_of("anthropic", LONG)
    made = engine.prepare(body, "anthropic")
    assert made.messages[0] is LONG[0]
    assert all(one is other for one, other in zip(made.messages[2:], LONG[made.cut :], strict=True))
    assert json.loads(made.body) == {**body, "messages": made.messages}
    small_one = engine.prepare(body_of("anthropic", LONG[:3]), "anthropic")
    assert json.loads(small_one.body) == body_of("anthropic", LONG[:3])


# ---------------------------------------------------------------- whose history it is


def test_rewinds_forks_and_the_clients_own_summary_see_their_own_past_alone() -> None:
    """Content decides: each history is sent as if it were the only one (fault B120)."""
    told = session("anthropic", 20, "some result " * 20)
    own_summary = [user("This session is being continued: " + "so far " * 40), *told[-6:]]
    fork = [*told[:21], says("otherwise"), *session("anthropic", 9, "other result " * 20)[1:]]
    engine = Engine(small(900))
    first = [*grow(engine, "anthropic", [told[:end] for end in range(1, 42, 2)])]
    assert not engine.prepare(wire(body_of("anthropic", own_summary)), "anthropic").modified
    forked = engine.prepare(wire(body_of("anthropic", fork)), "anthropic")
    assert "other result" in forked.body.decode()
    again = [*grow(engine, "anthropic", [told[:end] for end in range(1, 42, 2)])]
    for one, other in zip(first, again, strict=True):
        assert (one.body, other.compacted) == (other.body, False) or other.cut > one.cut


def test_histories_that_begin_alike_are_told_apart() -> None:
    """Not by their first characters, but by all that they say (fault B110)."""
    engine = Engine(small(900))
    preamble = "the same long preamble " * 20
    for name in ("one", "other"):
        told = session("openai", 9, f"{name} result " * 20, task=f"{preamble}{name}")
        made = engine.prepare(wire(body_of("openai", told)), "openai")
        assert made.compacted
        assert name in json.dumps(made.summary)
    assert len(engine.store) == 2


def test_what_is_beside_the_messages_does_not_matter() -> None:
    """Another model, a system prompt that is new each time (faults B080, B112)."""
    engine = Engine(small(900))
    engine.prepare(wire(body_of("anthropic", LONG, system="nonce 1")), "anthropic")
    made = engine.prepare(wire(body_of("anthropic", LONG, system="nonce 2") | {"model": "n"}), "anthropic")
    assert (made.modified, made.compacted) == (True, False)
    assert as_object(json.loads(made.body))["system"] == "nonce 2"


@pytest.mark.parametrize("other", [small(900, tenant="b"), small(900, tenant="a", result_max_chars=10)])
def test_tenants_and_settings_that_share_a_store_share_no_entry(other: EngineSettings) -> None:
    store = PrefixStore(10, 1_000_000)
    body = wire(body_of("anthropic", LONG))
    for engine in (Engine(small(900, tenant="a"), store), Engine(other, store)):
        assert engine.prepare(body, "anthropic").compacted
        assert engine.store is store
    assert len(store) == 2
    assert not Engine(small(900, tenant="a", strict=True), store).prepare(body, "anthropic").compacted


Histories = Sequence[Sequence[object]]


def bodies(engine: Engine, histories: Histories) -> list[bytes]:
    return [made.body for made in grow(engine, "anthropic", histories)]


def test_many_sessions_at_once_give_what_they_give_alone() -> None:
    told = [session("anthropic", 20, f"result {number} " * 20, task=f"task {number}") for number in range(16)]
    clients = [[one[:end] for end in range(1, len(one) + 1, 2)] for one in told]
    assert at_once(Engine(small(900)), clients) == [bodies(Engine(small(900)), histories) for histories in clients]


def test_requests_that_go_on_from_one_beginning_share_what_stands_for_it() -> None:
    """Sub-agents, all at once (fault B113)."""
    clients = [[[*LONG, says(f"agent {number}")]] for number in range(16)]
    engine = Engine(small(900))
    assert at_once(engine, clients) == [bodies(Engine(small(900)), histories) for histories in clients]
    assert len(engine.store) == 1


def at_once(engine: Engine, clients: Sequence[Histories]) -> list[list[bytes]]:
    """What each client is sent, all of them being served at the same time."""
    with ThreadPoolExecutor(8) as pool:
        return [*pool.map(partial(bodies, engine), clients)]


def test_a_lost_entry_is_made_again_alike() -> None:
    """A store of one entry forgets each session for the next one."""
    forgetful, other = Engine(small(900, store_max_entries=1)), Engine(small(900))
    for end in range(1, len(LONG) + 1, 2):
        for task in ("a", "b"):
            body = wire(body_of("anthropic", [user(task), *LONG[1:end]]))
            assert forgetful.prepare(body, "anthropic").body == other.prepare(body, "anthropic").body
    assert (len(forgetful.store), len(other.store)) == (1, 2)


def test_what_a_caller_does_to_a_decision_changes_no_other() -> None:
    engine, body = Engine(small(700)), body_of("anthropic", LONG)
    first = engine.prepare(body, "anthropic")
    body_first = first.body
    for note in (first.messages[1], first.summary):
        assert isinstance(note, dict)
        note["content"] = "POISON"
    assert engine.prepare(body, "anthropic").body == body_first


def test_a_decision_is_of_the_history_as_it_was() -> None:
    history = [*LONG]
    for threshold in (700, 10_000):
        made = Engine(small(threshold)).prepare(body_of("anthropic", history), "anthropic")
        size = made.tokens_out
        history += [says("more " * 500)]
        assert estimate_tokens(json.loads(made.body)) == size


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_kinds_of_bytes_are_bytes(kind: Callable[[bytes], bytes]) -> None:
    body = wire(body_of("anthropic", LONG))
    assert (
        Engine(small(700)).prepare(kind(body), "anthropic").body == Engine(small(700)).prepare(body, "anthropic").body
    )


@pytest.mark.parametrize("body", [None, [], "text", 3])
def test_what_is_no_body_is_refused(body: object) -> None:
    with pytest.raises(InputError, match="a body must be bytes or a dict, not "):
        Engine().prepare(body, "anthropic")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_what_would_be_larger_is_not_put_in() -> None:
    """The client sends the same history with shorter ids, which a provider doesn't read."""
    told = [message("user", "task"), *({**fc(number), "id": "x" * 90} for number in range(2)), fo(0), fo(1)]
    engine = Engine(small(60, keep_recent=0))
    assert engine.prepare(body_of("openai-responses", told), "openai-responses").compacted
    bare = [{name: value for name, value in one.items() if name != "id"} for one in told]
    made = engine.prepare(body_of("openai-responses", bare), "openai-responses")
    assert made.tokens_out <= made.tokens_in


def test_a_target_bounds_what_is_sent() -> None:
    settings = {"keep_recent": 1, "target_tokens": 400}
    told = session("anthropic", 40, "a result " * 20)
    histories = [told[:end] for end in range(1, len(told), 2)]
    free, bound = (
        grow(Engine(small(2_000, **each)), "anthropic", histories) for each in ({"keep_recent": 1}, settings)
    )
    drops = [(one, other) for one, other in zip(free, bound, strict=True) if one.compacted and other.compacted]
    assert all(estimate_tokens(other.messages) <= 400 < estimate_tokens(one.messages) for one, other in drops)
    assert drops


def test_a_refused_request_is_made_smaller_and_the_next_one_keeps_it() -> None:
    engine = Engine(EngineSettings())
    refused = engine.prepare(wire(body_of("anthropic", LONG)), "anthropic")
    assert not refused.modified
    tried = engine.overflow(refused)
    assert isinstance(tried, Decision)
    assert (tried.compacted, tried.modified, tried.dialect) == (True, True, "anthropic")
    following = engine.prepare(wire(body_of("anthropic", [*LONG, says("next")])), "anthropic")
    assert (following.compacted, following.cut) == (False, tried.cut)
