"""The table of dialects, and what holds for each row: reading and identity never raise, whatever a message is."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithfold.core.errors import InputError
from faithfold.core.parts import Reading
from faithfold.dialects import DIALECTS, dialect
from tests.pieces import digest_of, folded

KEYS = """
role type content text thinking name id input arguments call_id tool_calls function custom function_call source
data url image_url action output results summary reasoning_content refusal tool_use_id is_error queries"""
WORDS = """
user assistant system tool function text thinking tool_use tool_result image document message reasoning custom
function_call function_call_output web_search_call custom_tool_call input_text toolResult bashExecution"""
TEXTS = st.sampled_from(WORDS.split()) | st.text(max_size=5)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
NAMES = st.sampled_from(KEYS.split())
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5))


@pytest.mark.parametrize("name", DIALECTS)
@given(message=JSON)
def test_reading_folding_and_identity_never_raise(name: str, message: object) -> None:
    before = deepcopy(message)
    assert isinstance(DIALECTS[name].read(message), Reading)
    assert all(isinstance(part, str) for part in folded(name, message).parts)
    assert digest_of(name, message) == digest_of(name, json.loads(json.dumps(message)))
    assert message == before


def test_each_row_goes_by_its_name() -> None:
    assert {name: row.name for name, row in DIALECTS.items()} == {name: name for name in DIALECTS}
    assert all(dialect(name) is row for name, row in DIALECTS.items())


@pytest.mark.parametrize("name", ["", "Anthropic", "gemini"])
def test_an_unknown_dialect_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"^unknown dialect '.*'; known: .*$") as refused:
        dialect(name)
    assert str(refused.value).endswith(f"known: {', '.join(DIALECTS)}")
