"""Parity over generated conversations: what the oracle reads, both make the same of, in every field."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.identity import chain
from faithfold.core.images import image_tokens
from faithfold.core.sizes import Sizer, estimate_tokens
from tests.parity import oracle
from tests.parity.shapes import Case, cases
from tests.pictures import data_url, gif, jpeg, png, webp_extended, webp_lossless, webp_lossy
from tests.pieces import digest_of

CASES = st.one_of(*map(cases, oracle.DIALECTS))


@given(case=CASES)
def test_both_compact_alike(case: Case) -> None:
    one = oracle.theirs(case.messages, case.dialect, case.settings)
    other = oracle.ours(case.messages, case.dialect, case.settings)
    assert other == one
    if one is not None and other is not None:
        assert [id(message) for message in kept(other)] == [id(message) for message in kept(one)]


def kept(outcome: oracle.Outcome) -> list[object]:
    return [message for message in outcome.messages if message is not outcome.summary]


@given(case=CASES)
def test_both_name_messages_and_prefixes_alike(case: Case) -> None:
    digests = [oracle.digest(message, case.dialect) for message in case.messages]
    assert [digest_of(case.dialect, message) for message in case.messages] == digests
    assert chain(digests) == oracle.chain(digests)


@given(case=CASES)
def test_both_estimate_alike_but_for_wide_characters_and_prices(case: Case) -> None:
    messages = oracle.plain(case.messages)
    assert Sizer().quarters(messages) == oracle.quarters(messages) + oracle.price_difference(messages)
    body: object = {"model": "m", "messages": messages}
    if not oracle.price_difference(messages):
        assert estimate_tokens(body) == oracle.tokens(body)


FORMS = [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended]


@pytest.mark.parametrize("form", FORMS)
@given(width=st.integers(1, 16_383), height=st.integers(1, 16_383))
def test_both_price_pictures_alike(form: Callable[[int, int], bytes], width: int, height: int) -> None:
    payload = data_url(form(width, height))
    assert image_tokens(payload) == oracle.image(payload)


@pytest.mark.parametrize("form", FORMS)
@given(length=st.integers(0, 8))
def test_neither_can_price_a_picture_that_is_cut(form: Callable[[int, int], bytes], length: int) -> None:
    payload = data_url(form(560, 280)[:length])
    assert image_tokens(payload) == oracle.image(payload) == 1_568
