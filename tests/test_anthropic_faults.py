"""Anthropic Messages, continued: what the provider refuses."""

from __future__ import annotations

import pytest

from tests.pictures import base64_of, png
from tests.pieces import Wire, codes, hosted, hosted_res, image, res, says, text, use, user

NAME = "anthropic"

SYSTEM: Wire = {"role": "system", "content": "be kind"}
Case = tuple[str, list[object], list[object], str]
CASES: list[Case] = [
    # name, legal, faulty, code
    ("empty user", [user("x")], [user(), says("y"), user("z")], "empty-content"),
    ("empty model message", [user("x"), says()], [user("x"), says(), user("y")], "empty-content"),
    ("null content", [user("x")], [{"role": "user", "content": None}], "empty-content"),
    ("blank text", [user("x")], [user(" \n")], "blank-text"),
    ("blank text block", [user(text("x"))], [user(text("x"), text(""))], "blank-text"),
    (
        "result first",
        [user("x"), says(use(1)), user(res(1), text("y"))],
        [user("x"), says(use(1)), user(text("y"), res(1))],
        "result-after-content",
    ),
    (
        "results together",
        [user("x"), says(use(1), use(2)), user(res(1), res(2), text("y"))],
        [user("x"), says(use(1), use(2)), user(res(1), text("y"), res(2))],
        "result-after-content",
    ),
    (
        "results over two messages",
        [user("x"), says(use(1), use(2)), user(res(1)), user(res(2))],
        [user("x"), says(use(1), use(2)), user(res(1), "y"), user(res(2))],
        "result-after-content",
    ),
    ("instruction last", [user("x"), SYSTEM], [user("x"), SYSTEM, user("y")], "instruction-before-user"),
    (
        "instruction before the model",
        [user("x"), SYSTEM, says("y")],
        [SYSTEM, user("x"), says("y")],
        "instruction-before-user",
    ),
    (
        "hosted result",
        [user("x"), says(hosted("server_tool_use", "web_search"), hosted_res("web_search_tool_result", []))],
        [user("x"), says(hosted_res("web_search_tool_result", []))],
        "orphan-result",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_fault_and_its_legal_twin(case: Case) -> None:
    _, legal, faulty, code = case
    assert codes(NAME, legal) == []
    assert codes(NAME, faulty) == [code]


def pictures(count: int, side: int) -> list[Wire]:
    """So many pictures, the last of which has such a long side."""
    small, large = image(base64_of(png(10, 10))), image(base64_of(png(10, side)))
    return [*[small] * (count - 1), large]


@pytest.mark.parametrize(("count", "side"), [(1, 8000), (20, 8000), (21, 2000)])
def test_the_more_pictures_the_smaller_they_must_be(count: int, side: int) -> None:
    assert codes(NAME, [user(*pictures(count, side))]) == []
    assert codes(NAME, [user(*pictures(count, side + 1))]) == ["image-too-large"]
    seen = [user("x"), says(use(1)), user(res(1, pictures(count, side + 1)))]
    assert codes(NAME, [*seen]) == ["image-too-large"]


def test_a_picture_of_unknown_size_is_let_pass() -> None:
    assert codes(NAME, [user(image()), says("y"), user({"type": "image", "source": {"type": "url", "url": "u"}})]) == []


def test_a_compaction_may_come_first() -> None:
    assert codes(NAME, [says({"type": "compaction", "content": "so far"}), user("go on")]) == []


def test_an_instruction_may_say_nothing() -> None:
    assert codes(NAME, [user("x"), {"role": "system", "content": []}, says("y")]) == []
