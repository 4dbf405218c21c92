"""Every row of the table of session formats keeps the contract, and reading raises nothing but InputError."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faithfold as ff
from faithfold.core.values import as_object
from faithfold.dialects import DIALECTS
from faithfold.sessions.lines import FileEntry
from faithfold.sessions.sniff import FORMATS, Format
from tests.generate.conversations import Case, any_json, conversations
from tests.generate.spoken import lines, words_near

every_format = pytest.mark.parametrize("row", FORMATS, ids=[row.agent for row in FORMATS])


@every_format
def test_a_format_is_of_a_known_dialect_and_its_own_agent(row: Format) -> None:
    assert row.dialect in DIALECTS
    assert [other.agent for other in FORMATS].count(row.agent) == 1
    assert row.name


@every_format
@given(value=any_json())
def test_a_format_looks_at_anything(row: Format, value: object) -> None:
    assert row.recognises(as_object(value)) in (True, False)


@every_format
@given(data=st.data(), everything=st.booleans())
def test_a_format_reads_whatever_its_lines_hold(row: Format, data: st.DataObject, everything: bool) -> None:
    entries = [FileEntry(number, value) for number, value in enumerate(data.draw(lines(words_near(row.read))), 1)]
    parsed = row.read(entries, everything)
    assert parsed == row.read(entries, everything)
    assert {problem.line for problem in parsed.problems} <= {entry.line for entry in entries}
    assert parsed.injected <= set(range(len(parsed.messages)))


@given(st.lists(any_json(), min_size=1, max_size=5))
def test_any_lines_are_read_or_refused(values: Sequence[object]) -> None:
    parsed_or_refused("\n".join(map(json.dumps, values)).encode())


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    parsed_or_refused(data)


@given(conversations())
def test_a_body_of_any_dialect_is_read(case: Case) -> None:
    key = DIALECTS[case.dialect].messages_key
    parsed_or_refused(json.dumps({"model": "m", key: case.messages}).encode())


def parsed_or_refused(data: bytes) -> None:
    try:
        transcript = ff.sessions.parse(data)
    except ff.InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  either outcome is right, so there is no pytest.raises
    else:
        assert transcript.dialect in DIALECTS
