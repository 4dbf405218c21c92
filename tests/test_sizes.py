"""Sizes: the reference estimate, what deviates from a quarter token a character, and that sizes add up."""

from __future__ import annotations

import json

import pytest

from faithfold.core.errors import InputError
from faithfold.core.images import DEFAULT_IMAGE_TOKENS
from faithfold.core.media import PAGE_TOKENS
from faithfold.core.sizes import QUARTERS, Characters, Sizer, estimate_tokens, json_text, listed
from tests.pictures import base64_of, data_url, pdf, png
from tests.pieces import STEPS, Wire, session, user

WIDE = ["中", "。", "あ", "ア", "ﾊ", "한", "ᄀ", "ㄅ", "㐀", "豈", "，", "𠀀", "😀", "✅", "⚡", "🀄"]
NARROW = ["a", "é", "я", "ع", "न", "→", "“", "…", "€", "─", "█", "\u200d", "\ufe0f", "\ud83d", "\ufffd"]


@pytest.mark.parametrize("character", WIDE)
def test_a_wide_character_is_a_token(character: str) -> None:
    assert Characters().quarters(f"{character}ab{character}{character}") == 3 * QUARTERS + 2


@pytest.mark.parametrize("character", NARROW)
def test_any_other_character_is_a_quarter_token(character: str) -> None:
    assert Characters().quarters(character * 5) == 5


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1.5,
        "",
        'quoted " and \\ and \n',
        [],
        {},
        user("words"),
        {"b": [1, {"a": "é"}], "a": None},
        {"model": "m", "messages": [user("x"), user("y")]},
    ],
)
def test_without_media_and_wide_characters_the_estimate_is_a_quarter_of_the_json_text(value: object) -> None:
    assert estimate_tokens(value) == len(json.dumps(value, ensure_ascii=False)) // 4
    assert json_text(value) == json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("dialect", STEPS)
def test_sizes_add_up(dialect: str) -> None:
    messages: list[object] = [*session(dialect, 5, "中文 " * 20), user(PICTURE), user(PICTURE, PICTURE)]
    sizer = Sizer()
    sizes = [sizer.quarters(message) for message in messages]
    assert listed(sizes) == sizer.quarters(messages)
    assert sizer.tokens(messages) == estimate_tokens(messages)


def test_the_empty_list_is_two_brackets() -> None:
    assert listed([]) == 2
    assert Sizer().tokens([]) == 0


PICTURE: Wire = {"type": "image", "source": {"type": "base64", "data": base64_of(png(560, 280))}}


def test_a_picture_counts_by_its_pixels_and_its_frame_by_its_characters() -> None:
    frame = {"type": "image", "source": {"type": "base64", "data": ""}}
    assert Sizer().quarters(PICTURE) == len(json_text(frame)) + 200 * QUARTERS


def test_a_picture_counts_alike_however_large_its_file_is() -> None:
    large = {"type": "image", "source": {"type": "base64", "data": base64_of(png(560, 280) + b"\0" * 3_000_000)}}
    assert estimate_tokens(large) == estimate_tokens(PICTURE)


@pytest.mark.parametrize("url", ['https://example.com/"quoted"\\path', "https://example.com/é.png"])
def test_a_url_counts_once_however_json_writes_it(url: str) -> None:
    quarters = Sizer().quarters({"type": "input_image", "image_url": url})
    assert quarters == len('{"type": "input_image", "image_url": ""}') + DEFAULT_IMAGE_TOKENS * QUARTERS


def test_a_document_counts_by_its_pages() -> None:
    block = {"type": "file", "file": {"file_data": data_url(pdf(7), "application/pdf")}}
    assert estimate_tokens(block) == pytest.approx(7 * PAGE_TOKENS, abs=20)


def test_an_exact_counter_takes_the_place_of_the_estimate_and_media_keep_their_price() -> None:
    class Words:
        name = "words"
        exact = True

        def quarters(self, text: str) -> int:
            return QUARTERS * len(text.split())

    sizer = Sizer(Words())
    assert sizer.counter.name == "words"
    assert sizer.quarters("one two three") == 3 * QUARTERS
    assert sizer.quarters(PICTURE) == (200 + len(json_text(PICTURE).split())) * QUARTERS


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", [object()]])
def test_what_json_has_no_form_for_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="not JSON: ") as caught:
        estimate_tokens(value)
    assert "\n" not in str(caught.value)


def test_a_circle_is_refused() -> None:
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(InputError, match="not JSON: Circular"):
        json_text(circle)


def test_what_is_nested_too_deeply_is_refused() -> None:
    nested: list[object] = []
    for _ in range(50_000):
        nested = [nested]
    with pytest.raises(InputError, match="nested too deeply"):
        estimate_tokens(nested)
