"""The same originals and settings give the same bytes: in any run, in any process, in whatever order fields stand.

Source: spec 00-model, invariant 4; faults B079, B081.
"""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

import faithfold as ff
from faithfold import dialects
from faithfold.core.identity import digest
from faithfold.core.values import is_list, is_object
from tests.generate.conversations import Case, conversations, legal, settings
from tests.laws.fingerprint import fingerprint
from tests.laws.running import project, text_of
from tests.places import ROOT


@given(conversations(), settings())
def test_a_second_run_gives_the_same_bytes(case: Case, settings: ff.CompactSettings) -> None:
    first = ff.compact(case.messages, case.dialect, settings)
    second = ff.compact(copy.deepcopy(case.messages), case.dialect, copy.deepcopy(settings))
    if first is None or second is None:
        assert first is second
        return
    assert text_of(first.messages) == text_of(second.messages)
    assert (first.projection, first.notice) == (second.projection, second.notice)


@given(legal(), settings())
def test_the_order_of_fields_means_nothing(case: Case, settings: ff.CompactSettings) -> None:
    first = project(case.messages, case.dialect, settings)
    second = project([turned(message) for message in case.messages], case.dialect, settings)
    if first is None or second is None:
        assert first is second
        return
    assert first.projection == second.projection
    assert text_of(first.projection.notes[0].message) == text_of(second.projection.notes[0].message)


@given(legal())
def test_the_order_of_fields_changes_no_digest(case: Case) -> None:
    canonical = dialects.dialect(case.dialect).canonical
    for message in case.messages:
        assert digest(canonical(message)) == digest(canonical(turned(message)))


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_another_process_gives_the_same_bytes(hash_seed: str) -> None:
    script = Path(__file__).with_name("fingerprint.py")
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True, env=environment)
    assert run.stdout.split() == fingerprint()


def turned(value: object) -> object:
    """The value with the fields of each object in reverse order."""
    if is_object(value):
        return {name: turned(inner) for name, inner in reversed(list(value.items()))}
    return [turned(inner) for inner in value] if is_list(value) else value
