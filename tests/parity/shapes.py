"""Conversations of the shapes that the oracle reads, in its three dialects, for the parity tests.

Every call has its result right behind it and every step somebody's answer, so that both implementations may cut
between any two steps. What the texts say is chosen to meet every limit and every special case of the fold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hypothesis import strategies as st

from faithfold.core.voices import SUMMARY_HEADER
from faithfold.strategies.options import CompactSettings
from tests.pictures import base64_of, data_url, gif, jpeg, pdf, png, webp_lossy
from tests.pieces import Wire, call, fc, fo, image, item, res, rs, says, think, tool, use, user

Draw = st.DrawFn
REPORT = "<task-notification>agent 7\nis done</task-notification>"
WORDS = ["ok", " ", "\n", "x" * 30, "naïve → …", "中文 😀", SUMMARY_HEADER, REPORT, '{"a": 1}', "y" * 400, "<b>", "---"]
PIECES = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
TEXTS = st.lists(PIECES, max_size=4).map("".join)
ARGUMENTS = st.dictionaries(st.sampled_from(["command", "path", "é"]), TEXTS | st.integers() | st.none(), max_size=2)
SIDES = st.integers(1, 3_000)
FORMS = st.sampled_from([png, gif, jpeg, webp_lossy])


def picture(form: Callable[[int, int], bytes], width: int, height: int) -> bytes:
    return form(width, height)


PICTURES = st.builds(picture, FORMS, SIDES, SIDES)


class Case(NamedTuple):
    """A conversation, and how it is to be compacted."""

    dialect: str
    messages: list[object]
    settings: CompactSettings


def limits(*most: int) -> st.SearchStrategy[int]:
    return st.sampled_from([0, *most])


SETTINGS = st.builds(
    CompactSettings,
    keep_recent=st.integers(0, 4),
    thought_max_chars=limits(5, 300),
    thinking_max_chars=limits(5, 300),
    keep_thinking=st.booleans(),
    cmd_max_chars=limits(7, 150),
    result_max_chars=limits(20, 500),
    human_max_chars=limits(7, 20_000),
)


def texts(kind: str = "text") -> st.SearchStrategy[Wire]:
    return TEXTS.map(lambda words: item(kind, text=words))


def content(*blocks: st.SearchStrategy[Wire]) -> st.SearchStrategy[object]:
    """A string, or blocks."""
    return TEXTS | st.lists(st.one_of(*blocks), min_size=1, max_size=3)


def numbered(draw: Draw, number: int) -> list[str]:
    """Names of the calls of a step."""
    return [f"{number}_{index}" for index in range(draw(st.integers(0, 3)))]


# ---------------------------------------------------------------- Anthropic

IMAGES = PICTURES.map(lambda data: image(base64_of(data)))
PDFS = st.integers(1, 3).map(lambda pages: item("document", source=item("base64", data=base64_of(pdf(pages)))))
SEALED = st.just(item("redacted_thinking", data="zzz"))


def anthropic_head(draw: Draw) -> list[Wire]:
    people = draw(st.lists(content(texts(), IMAGES), min_size=1, max_size=2))
    told = draw(st.lists(content(texts()), max_size=1))
    return [*map(say_as("user"), people), *map(say_as("system"), told)]


def anthropic_step(draw: Draw, number: int) -> list[Wire]:
    names = numbered(draw, number)
    said = draw(st.lists(st.one_of(texts(), TEXTS.map(think), SEALED), max_size=2))
    uses = [use(name, draw(st.sampled_from(["Bash", "Read"])), **draw(ARGUMENTS)) for name in names]
    results = [res(name, draw(content(texts()))) for name in names]
    more = draw(st.lists(texts() | IMAGES | PDFS, min_size=0 if names else 1, max_size=2))
    return [says(*said, *uses), user(*results, *more)]


def say_as(role: str) -> Callable[[object], Wire]:
    return lambda inner: {"role": role, "content": inner}


# ---------------------------------------------------------------- Chat

URLS = PICTURES.map(lambda data: item("image_url", image_url={"url": data_url(data)}))
INSTRUCTING = st.sampled_from(["system", "developer"])


def chat_head(draw: Draw) -> list[Wire]:
    told = [say_as(draw(INSTRUCTING))(inner) for inner in draw(st.lists(content(texts()), max_size=2))]
    return [*told, *map(say_as("user"), draw(st.lists(content(texts(), URLS), min_size=1, max_size=2)))]


def chat_step(draw: Draw, number: int) -> list[Wire]:
    names = numbered(draw, number)
    model: Wire = {"role": "assistant", "content": draw(st.none() | content(texts()))}
    if names:
        model["tool_calls"] = [call(name, draw(TEXTS)) for name in names]
    answers = [tool(name, draw(content(texts()))) for name in names]
    roles = draw(st.lists(st.sampled_from(["user", "user", "system"]), min_size=0 if names else 1, max_size=2))
    return [model, *answers, *(say_as(role)(draw(content(texts()))) for role in roles)]


# ---------------------------------------------------------------- Responses

INPUT_IMAGES = PICTURES.map(lambda data: item("input_image", image_url=data_url(data)))


def responses_head(draw: Draw) -> list[Wire]:
    told = [typed(draw(INSTRUCTING), inner) for inner in draw(st.lists(content(texts("input_text")), max_size=2))]
    asked = draw(st.lists(content(texts("input_text"), INPUT_IMAGES), min_size=1, max_size=2))
    return [*told, *(typed("user", inner) for inner in asked)]


def responses_step(draw: Draw, number: int) -> list[Wire]:
    names = numbered(draw, number)
    thought = [rs(number, *draw(st.lists(TEXTS, max_size=2)))] if draw(st.booleans()) else []
    said = [typed("assistant", inner) for inner in draw(st.lists(content(texts("output_text")), max_size=2))]
    calls = [fc(name, draw(TEXTS | ARGUMENTS)) for name in names]
    answers = [fo(name, draw(content(texts("input_text")) | ARGUMENTS)) for name in names]
    more = [typed("user", draw(content(texts("input_text"))))] if draw(st.booleans()) or not names else []
    ran = [*said, *calls] or [typed("assistant", "done")]
    return [*thought, *ran, *answers, *more]


def typed(role: str, inner: object) -> Wire:
    return item("message", role=role, content=inner)


# ---------------------------------------------------------------- all

SHAPES: Mapping[str, tuple[Callable[[Draw], list[Wire]], Callable[[Draw, int], list[Wire]]]] = {
    "anthropic": (anthropic_head, anthropic_step),
    "openai": (chat_head, chat_step),
    "openai-responses": (responses_head, responses_step),
}


@st.composite
def cases(draw: Draw, dialect: str) -> Case:
    """A head, some steps, and settings."""
    head, step = SHAPES[dialect]
    numbers = range(draw(st.integers(0, 7)))
    messages: list[object] = [*head(draw), *(message for number in numbers for message in step(draw, number))]
    return Case(dialect, messages, draw(SETTINGS))
