"""Where policy `cliff` differs from its oracle on purpose: the closed list, part two, prices and digests.

See test_differences.py.
"""

from __future__ import annotations

import json

import pytest

from faithfold.core.images import image_tokens
from faithfold.core.sizes import estimate_tokens
from tests.parity import oracle
from tests.pictures import base64_of, data_url, jpeg, pdf, png, segment
from tests.pieces import (
    calls,
    custom,
    digest_of,
    fc,
    image,
    item,
    model,
    patch,
    patched,
    res,
    says,
    text,
    tool,
    use,
    user,
)

# ---------------------------------------------------------------- the oracle raises

UNNAMED = [
    ("anthropic", "a picture whose source is a text", user({"type": "image", "source": "a"})),
    ("openai", "a picture whose URL is a text", user({"type": "image_url", "image_url": "a"})),
    ("openai-responses", "a type that is a list", {"type": ["message"], "role": "user"}),
    *((dialect, "no object", 7) for dialect in oracle.DIALECTS),
    *((dialect, "a lone surrogate", user("a \ud83d b")) for dialect in oracle.DIALECTS),
]


@pytest.mark.parametrize(
    ("dialect", "message"),
    [(dialect, message) for dialect, _, message in UNNAMED],
    ids=[f"{dialect}: {name}" for dialect, name, _ in UNNAMED],
)
def test_every_value_has_a_digest(dialect: str, message: object) -> None:
    with pytest.raises((AttributeError, TypeError, UnicodeEncodeError)):
        oracle.digest(message, dialect)
    assert len(digest_of(dialect, message)) == 64


def test_every_value_has_a_size() -> None:
    odd = user({"type": "image", "source": "a"})
    with pytest.raises(AttributeError):
        oracle.tokens(odd)
    assert estimate_tokens(odd) == len(json.dumps(odd)) // 4


# ---------------------------------------------------------------- prices

LINK = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
INLINE = image(base64_of(png(560, 280)))
PAGES = base64_of(pdf(3) + b"\0" * 1_000_000)
PRICES = [
    ("an inline picture of Anthropic's, by its pixels", user(INLINE), 1_568, 200),
    ("a picture by URL", user(LINK), 9, 1_568),
    ("a picture by its file", user({"type": "image", "source": {"type": "file", "file_id": "file_1"}}), 2, 1_568),
    ("a picture of Responses' by its file", item("input_image", file_id="file_1"), 2, 1_568),
    (
        "a document, by its pages",
        user({"type": "document", "source": {"type": "base64", "data": PAGES}}),
        333_000,
        9_000,
    ),
    ("a document by its file", user({"type": "document", "source": {"type": "file", "file_id": "file_1"}}), 2, 3_000),
    ("4,400 Chinese characters", user("中" * 4_400), 1_100, 4_400),
    ("emoji", user("😀" * 400), 100, 400),
]


@pytest.mark.parametrize(("value", "theirs", "ours"), [row[1:] for row in PRICES], ids=[row[0] for row in PRICES])
def test_what_is_sent_costs_what_it_costs(value: object, theirs: int, ours: int) -> None:
    assert oracle.tokens(value) == pytest.approx(theirs, abs=700 if theirs > 10_000 else 40)
    assert estimate_tokens(value) == pytest.approx(ours, abs=40)


@pytest.mark.parametrize(
    "before",
    [segment(0xE1, b"\xff\xc0\0" * 20_000), b"\xff\xff\xff"],
    ids=["a large preview", "fill bytes"],
)
def test_a_jpeg_is_measured_whatever_precedes_its_size(before: bytes) -> None:
    payload = data_url(jpeg(560, 280, before), "image/jpeg")
    assert oracle.image(payload) == 1_568
    assert image_tokens(payload) == 200


# ---------------------------------------------------------------- digests

COLLIDE = [
    ("anthropic", "citations", says(text("a")), says(text("a") | {"citations": [{"cited_text": "b"}]})),
    ("anthropic", "a call's caller", says(use(1)), says(use(1) | {"caller": {"type": "direct"}})),
    ("anthropic", "a picture in a result", user(res(1, [INLINE])), user(res(1, [LINK]))),
    (
        "anthropic",
        "a document's file",
        user({"type": "document", "source": {"file_id": "a"}}),
        user({"type": "document", "source": {"file_id": "b"}}),
    ),
    (
        "anthropic",
        "a document's blocks",
        user({"type": "document", "source": {"content": ["a"]}}),
        user({"type": "document", "source": {"content": ["b"]}}),
    ),
    ("anthropic", "bare strings", user("a", "b"), user("a", "c")),
    ("anthropic", "fields of the message", user("a"), user("a") | {"output_config": {"effort": "low"}}),
    (
        "openai",
        "a custom tool's input",
        model(tool_calls=[custom(1)]),
        model(tool_calls=[custom(1, "")]),
    ),
    ("openai", "a legacy call", {"function_call": {"name": "a"}}, {"function_call": {"name": "b"}}),
    ("openai", "reasoning", says("a"), says("a") | {"reasoning_content": "hm"}),
    (
        "openai",
        "what stands beside a call",
        calls(1),
        calls(1) | {"extra_content": {"google": {"thought_signature": "A"}}},
    ),
    ("openai", "a picture in a result", tool(1, [1]), tool(1, [2])),
    ("openai-responses", "a custom tool's input", patch(1), patch(1, "")),
    (
        "openai-responses",
        "a shell's action",
        item("local_shell_call", action={"command": "ls"}),
        item("local_shell_call", action={}),
    ),
    (
        "openai-responses",
        "a hosted call's action",
        item("web_search_call", action={"q": 1}),
        item("web_search_call", action={"q": 2}),
    ),
    ("openai-responses", "open reasoning", item("reasoning", content=["a"]), item("reasoning", content=["b"])),
    ("openai-responses", "a phase", says("a"), says("a") | {"phase": "commentary"}),
    ("openai-responses", "a namespace", fc(1), fc(1) | {"namespace": "mcp"}),
    ("openai-responses", "a reference", item("item_reference", id="a"), item("item_reference", id="b")),
]


@pytest.mark.parametrize(
    ("dialect", "one", "other"),
    [(dialect, one, other) for dialect, _, one, other in COLLIDE],
    ids=[f"{dialect}: {name}" for dialect, name, _, _ in COLLIDE],
)
def test_two_messages_that_differ_have_two_digests(dialect: str, one: object, other: object) -> None:
    assert oracle.digest(one, dialect) == oracle.digest(other, dialect)
    assert digest_of(dialect, one) != digest_of(dialect, other)


def test_what_a_client_notes_for_itself_is_no_part_of_an_item() -> None:
    one = patched(1, "ok")
    other = one | {"internal_chat_message_metadata_passthrough": {"turn_id": "1"}}
    assert oracle.digest(one, "openai-responses") != oracle.digest(other, "openai-responses")
    assert digest_of("openai-responses", one) == digest_of("openai-responses", other)
