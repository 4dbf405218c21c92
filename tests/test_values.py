"""Values: every reader is total."""

from __future__ import annotations

import pytest

from faithfold.core.values import as_list, as_object, as_text, is_list, is_object

OBJECT, LIST, TEXT = {"a": 1}, [1, 2], "text"
OTHERS = (None, True, 0, 1.5, b"bytes", {1, 2})


@pytest.mark.parametrize("value", [LIST, TEXT, *OTHERS])
def test_what_is_no_object_reads_as_an_empty_one(value: object) -> None:
    assert as_object(value) == {}
    assert not is_object(value)


@pytest.mark.parametrize("value", [OBJECT, TEXT, *OTHERS])
def test_what_is_no_list_reads_as_an_empty_one(value: object) -> None:
    assert not as_list(value)
    assert not is_list(value)


@pytest.mark.parametrize("value", [OBJECT, LIST, *OTHERS])
def test_what_is_no_text_reads_as_an_empty_one(value: object) -> None:
    assert as_text(value) == ""


def test_what_is_of_the_type_is_given_as_it_is() -> None:
    assert as_object(OBJECT) is OBJECT
    assert as_list(LIST) is LIST
    assert as_list((1, 2)) == (1, 2)
    assert as_text(TEXT) is TEXT
    assert is_object(OBJECT)
    assert is_list(LIST)
