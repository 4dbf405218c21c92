"""Faults that others met with pictures, documents and estimates (spec 70-faults, B032 to B038, B040 and B047)."""

from __future__ import annotations

import json
import random

import pytest

from faithfold.core.sizes import estimate_tokens
from tests.faults.checks import check_cuts, compacted, note
from tests.pictures import base64_of, data_url, pdf, png
from tests.pieces import Wire, call, digest_of, fo, folded, res, says, session, text, use, user

NOISE = random.Random(0).randbytes(2_250_000)
LARGE = base64_of(png(1_000, 1_000) + NOISE)  # three million characters
LARGE_URL = data_url(png(1_000, 1_000) + NOISE)
PICTURE: Wire = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": LARGE}}
LINKED: Wire = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
DOCUMENT: Wire = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}}


@pytest.mark.parametrize(
    "message",
    [
        user(PICTURE),
        user(res(1, [text("see"), PICTURE])),
        user({"type": "image_url", "image_url": {"url": LARGE_URL}}),
        user({"type": "input_image", "image_url": LARGE_URL}),
        fo(1, [{"type": "input_image", "image_url": LARGE_URL}]),
        user({"type": "image", "data": LARGE, "mimeType": "image/png"}),
    ],
    ids=["Anthropic", "in a result", "Chat", "Responses", "in an output", "Pi"],
)
def test_a_picture_is_priced_by_its_pixels_everywhere(message: object) -> None:
    """B032: three megabytes of base64 counted as text are 750,000 tokens; the picture costs 1,296."""
    assert estimate_tokens(message) == pytest.approx(1_296, abs=60)


def test_a_picture_that_is_only_named_costs_something() -> None:
    """B032: by URL or file id nothing can be measured, and nearly nothing is counted."""
    assert estimate_tokens(user(LINKED)) > 1_500


@pytest.mark.parametrize("place", ["head", "tail"])
def test_the_picture_that_the_user_just_sent_stays(place: str) -> None:
    """B035: the first and the newest message hold what the request is about."""
    asked = user(PICTURE, text("what is this?"))
    steps = session("anthropic", 5)
    messages = [asked, *steps[1:]] if place == "head" else [*steps, asked]
    made = compacted("anthropic", messages)
    assert any(message is asked for message in made.messages)


def test_no_payload_enters_the_note() -> None:
    """B036: a history that is rendered with its pictures inlined is larger than what it stands for."""
    messages: list[object] = [
        user("t"),
        says(use(1)),
        user(res(1, [PICTURE]), PICTURE, DOCUMENT),
        says("a"),
        user("b"),
        says("c"),
    ]
    made = compacted("anthropic", messages)
    assert len(note(made)) < 500
    assert [omission.what for omission in made.projection.omissions] == ["image", "image", "document"]


def test_text_beside_a_picture_or_a_result_is_told() -> None:
    """B037: the text next to a picture, and the human's word next to a result, are lost with it."""
    seen = user(res(4, [text("chart_id=c9"), PICTURE]))
    steered = user(res(4), text("STEER: use the v2 API"))
    assert folded("anthropic", seen).parts == ["result: chart_id=c9"]
    assert folded("anthropic", steered).parts == ["result: done", "user: STEER: use the v2 API"]
    check_cuts("anthropic", [user("t"), says(use(4)), seen, says("a"), user("b"), says(use(4)), steered])


def test_a_document_is_priced_by_its_pages_and_told_apart() -> None:
    """B038: a megabyte of PDF is no 250,000 tokens; documents by id or of blocks are no two alike."""
    for data, most in ((NOISE[:1_000_000], 40_000), (pdf(4) + NOISE[:1_000_000], 12_100)):
        inline = {"type": "document", "source": {"type": "base64", "data": base64_of(data)}}
        assert 3_000 < estimate_tokens(user(inline)) < most
    sources: list[Wire] = [
        {"type": "file", "file_id": "a"},
        {"type": "file", "file_id": "b"},
        {"type": "content", "content": [text("a")]},
        {"type": "content", "content": [text("b")]},
    ]
    digests = {digest_of("anthropic", user({"type": "document", "source": source})) for source in sources}
    assert len(digests) == len(sources)


def test_a_document_that_is_folded_is_named() -> None:
    """B038: it leaves without a trace. Ours is named among the omissions, and stays in head and tail."""
    messages: list[object] = [user(DOCUMENT, text("t")), says("a"), user(DOCUMENT), says("b"), user(DOCUMENT)]
    made = compacted("anthropic", messages)
    assert made.projection.dropped == {2: "document"}
    assert made.messages[0] is messages[0]
    assert made.messages[-1] is messages[-1]


@pytest.mark.parametrize(
    ("words", "least"), [("\u4e2d\u6587" * 2_200, 3_000), ("\ud55c" * 100, 60), ("\U0001f600" * 50, 50)]
)
def test_wide_characters_count_whole(words: str, least: int) -> None:
    """B040: four Chinese characters are no single token. 4,400 of them are at least 3,000."""
    assert least <= estimate_tokens(user(words)) <= len(words) + 20


def test_arguments_and_reasoning_are_counted() -> None:
    """B047: forty kilobytes of arguments and reasoning in a message without content."""
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [call(1, "x" * 40_000)],
        "reasoning_content": "y" * 40_000,
    }
    assert estimate_tokens(message) > 20_000
    assert estimate_tokens([message]) == len(json.dumps([message])) // 4
