"""One size function: sizes add up, plain text costs a quarter token a character, and a target is kept to.

Source: spec 00-model, Sizes; spec 05-api (`target_tokens`).
"""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

import faithfold as ff
from faithfold import dialects
from faithfold.core.images import MAX_IMAGE_TOKENS, image_tokens
from faithfold.core.media import holds_media
from faithfold.core.sizes import QUARTERS, Sizer, listed
from tests.generate.conversations import Case, any_json, conversations, settings
from tests.generate.dice import Dice
from tests.generate.pictures import FORMATS, inline_picture
from tests.laws.running import project, text_of
from tests.pictures import base64_of, data_url


@given(conversations())
def test_sizes_add_up(case: Case) -> None:
    sizer = Sizer()
    sizes = [sizer.quarters(message) for message in case.messages]
    assert sizer.tokens(case.messages) == listed(sizes) // QUARTERS
    assert listed(sizes) == sizer.quarters(case.messages)


@given(any_json())
def test_plain_text_costs_a_quarter_token_a_character(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assume(text.isascii() and not holds_media(text))
    assert ff.estimate_tokens(value) == len(text) // 4


@given(any_json())
def test_no_text_costs_less_than_its_characters(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assume(not holds_media(text))
    assert len(text) // 4 <= ff.estimate_tokens(value) <= len(text)


@given(st.sampled_from(sorted(FORMATS)), st.integers(1, 8_000), st.integers(1, 8_000), st.integers(0, 2**16))
def test_a_picture_costs_by_its_pixels(form: str, width: int, height: int, number: int) -> None:
    media_type, build = FORMATS[form]
    data = build(width, height) + bytes(number % 50)
    patches = -(-width // 28) * -(-height // 28)
    assert image_tokens(base64_of(data)) == image_tokens(data_url(data, media_type)) == min(patches, MAX_IMAGE_TOKENS)


@given(st.integers(0, 2**16), st.integers(0, 5_000))
def test_the_bytes_of_a_picture_cost_nothing(number: int, padding: int) -> None:
    media_type, data = inline_picture(Dice(0, number))
    source = {"type": "base64", "media_type": media_type, "data": data}
    longer = {**source, "data": data.rstrip("=") + "AAAA" * padding}
    small, large = ({"type": "image", "source": one} for one in (source, longer))
    assert ff.estimate_tokens(large) == ff.estimate_tokens(small)


@given(conversations(), settings(), st.integers(0, 1_500))
def test_a_target_is_kept_to_where_it_can_be(case: Case, settings: ff.CompactSettings, target: int) -> None:
    made = project(case.messages, case.dialect, replace(settings, target_tokens=target))
    if made is None:
        return
    shortest = dialects.dialect(case.dialect).note(ff.SUMMARY_HEADER)
    note = made.projection.notes[0].message
    least = [shortest if message is note else message for message in made.messages]
    size = Sizer().tokens(made.messages)
    assert size <= target or text_of(made.messages) == text_of(least)


@given(conversations(), settings(), st.integers(0, 1_500))
def test_no_more_is_left_out_than_a_target_asks(case: Case, settings: ff.CompactSettings, target: int) -> None:
    roomy = project(case.messages, case.dialect, replace(settings, target_tokens=None))
    if roomy is None:
        return
    fitting = replace(settings, target_tokens=Sizer().tokens(roomy.messages) + target)
    made = project(case.messages, case.dialect, fitting)
    assert made is not None
    assert text_of(made.messages) == text_of(roomy.messages)
