"""Identity: canonical JSON, digests, and the chain, against values that were computed elsewhere once."""

from __future__ import annotations

import hashlib

import pytest

from faithfold.core.identity import canonical_json, chain, digest, digest_text, residue, with_residue
from tests.pieces import BUILT_IN, STEPS, digest_of, session, user


def test_canonical_json_is_the_same_for_equal_values() -> None:
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
    assert canonical_json({"a": None, "b": [1, "é"]}) == canonical_json({"b": [1, "é"], "a": None})


def test_canonical_json_refuses_what_json_has_no_form_for() -> None:
    with pytest.raises(TypeError):
        canonical_json({1, 2})


def test_a_digest_is_the_sha256_of_the_canonical_json() -> None:
    assert digest(["user", [["text", "hi"]]]) == hashlib.sha256(b'["user",[["text","hi"]]]').hexdigest()
    assert digest_text("é") == hashlib.sha256("é".encode()).hexdigest()


def test_a_lone_surrogate_is_hashed_as_it_is() -> None:
    texts = ["\ud83d", "\ude00", "\ufffd", "?", ""]
    assert len({digest_text(text) for text in texts}) == len(texts)


def test_a_chain_names_every_prefix() -> None:
    first = hashlib.sha256(b"d0").hexdigest()
    second = hashlib.sha256(first.encode() + b"d1").hexdigest()
    assert chain(["d0", "d1"]) == [first, second]
    assert chain([]) == []
    assert chain(["d0"]) == chain(["d0", "x"])[:1]
    assert chain(["x", "d1"])[1] != second


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_null_and_empty_fields_say_nothing(nothing: object) -> None:
    assert residue({"read": 1, "odd": nothing}, {"read"}) == {}


@pytest.mark.parametrize("something", [False, 0, " ", [None], {"a": None}])
def test_any_other_field_says_something(something: object) -> None:
    assert residue({"read": 1, "odd": something}, {"read"}) == {"odd": something}


def test_a_residue_is_appended_only_where_there_is_one() -> None:
    assert with_residue(["user"], {}) == ["user"]
    assert with_residue(["user"], {"b": 1, "a": 2}) == ["user", '{"a":2,"b":1}']


@pytest.mark.parametrize("dialect", STEPS)
@pytest.mark.parametrize("odd", ["stray", None, 7, [], ["x"], True])
def test_what_is_no_message_has_a_digest_of_its_own(dialect: str, odd: object) -> None:
    known = {digest_of(dialect, message) for message in session(dialect, 2)}
    assert digest_of(dialect, odd) not in known | {digest_of(dialect, "another"), digest_of(dialect, user("stray"))}


@pytest.mark.parametrize("dialect", BUILT_IN)
def test_a_string_is_the_same_as_one_text_block(dialect: str) -> None:
    assert digest_of(dialect, user("hi")) == digest_of(dialect, user({"type": "text", "text": "hi"}))
    assert digest_of(dialect, user("hi")) != digest_of(dialect, user("hi", "there"))
