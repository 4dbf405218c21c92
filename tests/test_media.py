"""Media: where each wire format puts pictures and documents, and what each costs."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from faithfold.core.images import DEFAULT_IMAGE_TOKENS
from faithfold.core.media import PAGE_TOKENS, holds_media, media
from faithfold.core.sizes import json_text
from tests.pictures import base64_of, data_url, pdf, png
from tests.pieces import Wire, fo, res, user

PICTURE = base64_of(png(560, 280))
URL = data_url(png(560, 280))
LINK = "https://example.com/picture.png"
PDF = base64_of(pdf(3))
PDF_URL = data_url(pdf(3), "application/pdf")
SIZED, LINKED, PAGES, PAGE = 200, DEFAULT_IMAGE_TOKENS, 3 * PAGE_TOKENS, PAGE_TOKENS


def image(**source: object) -> Wire:
    return {"type": "image", "source": source}


def document(**source: object) -> Wire:
    return {"type": "document", "source": source}


PICTURES = [
    ("Anthropic, inline", image(type="base64", media_type="image/png", data=PICTURE), PICTURE, SIZED),
    ("Anthropic, inline with a prefix", image(type="base64", data=URL), URL, SIZED),
    ("Anthropic, by URL", image(type="url", url=LINK), LINK, LINKED),
    ("Anthropic, by file id", image(type="file", file_id="file_1"), "file_1", LINKED),
    ("Chat, inline", {"type": "image_url", "image_url": {"url": URL, "detail": "high"}}, URL, SIZED),
    ("Chat, by URL", {"type": "image_url", "image_url": {"url": LINK}}, LINK, LINKED),
    ("Chat, URL as a string", {"type": "image_url", "image_url": URL}, URL, SIZED),
    ("Responses, inline", {"type": "input_image", "image_url": URL, "detail": "auto"}, URL, SIZED),
    ("Responses, by URL", {"type": "input_image", "image_url": LINK}, LINK, LINKED),
    ("Responses, by file id", {"type": "input_image", "file_id": "file-1"}, "file-1", LINKED),
    ("Responses, screenshot", {"type": "computer_screenshot", "image_url": URL}, URL, SIZED),
    ("Responses, made by the model", {"type": "image_generation_call", "result": PICTURE}, PICTURE, SIZED),
    ("Pi", {"type": "image", "data": PICTURE, "mimeType": "image/png"}, PICTURE, SIZED),
]
DOCUMENTS = [
    ("Anthropic, inline", document(type="base64", media_type="application/pdf", data=PDF), PDF, PAGES),
    ("Anthropic, by URL", document(type="url", url=LINK), LINK, PAGE),
    ("Anthropic, by file id", document(type="file", file_id="file_1"), "file_1", PAGE),
    ("Chat, inline", {"type": "file", "file": {"filename": "a.pdf", "file_data": PDF_URL}}, PDF_URL, PAGES),
    ("Chat, by file id", {"type": "file", "file": {"file_id": "file-1"}}, "file-1", PAGE),
    ("Responses, inline", {"type": "input_file", "filename": "a.pdf", "file_data": PDF_URL}, PDF_URL, PAGES),
    ("Responses, by URL", {"type": "input_file", "file_url": LINK}, LINK, PAGE),
    ("Responses, by file id", {"type": "input_file", "file_id": "file-1"}, "file-1", PAGE),
]
NONE = [
    ("a picture without a source", {"type": "image"}),
    ("a picture whose source is null", {"type": "image", "source": None}),
    ("a picture whose source is a text", {"type": "image", "source": "inline"}),
    ("a picture whose data is a number", image(type="base64", data=7)),
    ("data that is no picture's", {"type": "image", "data": PICTURE}),
    ("a picture that is still being made", {"type": "image_generation_call", "result": None}),
    ("an empty URL", {"type": "image_url", "image_url": {"url": ""}}),
    ("a document of plain text", document(type="text", media_type="text/plain", data="words")),
    ("an empty document", {"type": "input_file"}),
    ("a document that is no object", {"type": "file", "file": "name"}),
    ("a type that is a list", {"type": ["image"], "source": {"data": PICTURE}}),
    ("another block", {"type": "text", "text": "image"}),
]


@pytest.mark.parametrize(("block", "payload", "price"), [row[1:] for row in PICTURES], ids=[row[0] for row in PICTURES])
def test_pictures(block: object, payload: str, price: int) -> None:
    assert list(media(block)) == [(payload, price)]
    assert holds_media(json_text(block))


@pytest.mark.parametrize(
    ("block", "payload", "price"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_documents(block: object, payload: str, price: int) -> None:
    assert list(media(block)) == [(payload, price)]
    assert holds_media(json_text(block))


@pytest.mark.parametrize("block", [row[1] for row in NONE], ids=[row[0] for row in NONE])
def test_what_is_no_medium_is_priced_as_text(block: object) -> None:
    assert list(media(block)) == []


PLACES: dict[str, Callable[[object], object]] = {
    "a message": user,
    "a tool result": lambda block: user(res(1, [{"type": "text", "text": "see"}, block])),
    "an output": lambda block: fo(1, [block]),
    "a body": lambda block: {"messages": [user("x"), user(block)]},
    "a document of blocks": lambda block: user(document(type="content", content=[block])),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_media_are_found_wherever_they_stand(place: Callable[[object], object]) -> None:
    assert list(media(place(PICTURES[0][1]))) == [(PICTURE, SIZED)]


def test_a_quick_look_rules_out_plain_text() -> None:
    assert not holds_media(json_text(user("an image, a document and a file")))


# Pages


@pytest.mark.parametrize("count", [1, 2, 40])
def test_pages_are_counted(count: int) -> None:
    assert pages_of(pdf(count)) == count


def test_pages_are_told_by_their_marks_where_the_count_is_hidden() -> None:
    assert pages_of(b"%PDF-1.7\n" + b"<</Type/Page>>" * 3 + b"<</Type/Pages>>") == 3


def test_pages_are_told_by_the_count_where_their_marks_are_hidden() -> None:
    assert pages_of(b"%PDF-1.7\n<< /Type /Pages /Count 12 >>" + b"\0" * 2_000) == 12


@pytest.mark.parametrize(("size", "pages"), [(0, 1), (1, 1), (99_990, 1), (100_010, 2), (950_000, 10)])
def test_pages_that_cannot_be_counted_are_told_from_the_length(size: int, pages: int) -> None:
    assert pages_of(b"\0" * size) == pages


def test_a_megabyte_of_document_is_far_from_a_quarter_million_tokens() -> None:
    encoded = base64_of(random.Random(0).randbytes(1_000_000))
    [(_, price)] = media(document(type="base64", data=encoded))
    assert PAGE_TOKENS < price < 50_000


@pytest.mark.parametrize("payload", ["a", "über", "\ud83d", "data:application/pdf;base64"])
def test_a_document_that_is_no_base64_is_one_page(payload: str) -> None:
    assert list(media(document(type="base64", data=payload))) == [(payload, PAGE)]


def pages_of(data: bytes) -> int:
    [(_, price)] = media({"type": "input_file", "file_data": data_url(data, "application/pdf")})
    return price // PAGE_TOKENS


def test_a_count_of_more_pages_than_the_file_could_hold_is_none() -> None:
    assert pages_of(b"%PDF-1.7 /Count 99999") == 1
