"""The picture: what is left, what is folded away, and that it says the truth about both ends."""

from __future__ import annotations

import pytest

from faithfold.cli.forecast import Point
from faithfold.cli.picture import ASCII, BLOCKS, COLUMNS, HEIGHT, Marks, picture


def drawn(points: list[Point], marks: Marks = BLOCKS, width: int = 80) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in picture(points, len(points) - 1, marks, width)]


def growing(steps: int, first: int, last: int) -> list[Point]:
    """A conversation that grows by 1,000 tokens a step; the steps from `first` to before `last` shrink to 100."""
    points: list[Point] = []
    after = 0
    for step in range(steps + 1):
        kept = not first <= step < last
        after += 1_000 if kept else 100
        points.append(Point(1_000 * (step + 1), after, kept))
    return points


def test_a_compaction_over_many_steps() -> None:
    assert (
        "\n".join(drawn(growing(198, 1, 180)))
        == """\
200k ┤                                                           ░░░░░
     │                                                   ░░░░░░░░░░░░░
     │                                           ░░░░░░░░░░░░░░░░░░░░░
     │                                   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
100k ┤                            ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
     │                    ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
     │            ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▁▂▃▄
     │▁▁▁▁▁▁▁▁▁▁▁▁▂▂▂▂▂▂▂▂▂▂▃▃▃▃▃▃▃▃▃▃▄▄▄▄▄▄▄▄▄▄▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▇█████
   0 └────────────────────────────────────────────────────────────────
       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      start                        steps                           198
      █ left, note included   ░ folded away   ━ steps that are folded"""
    )


def test_a_narrow_one_has_its_legend_on_lines_of_its_own() -> None:
    assert (
        "\n".join(drawn(growing(198, 1, 180), width=30))
        == """\
200k ┤                      ░░
     │                   ░░░░░
     │                ░░░░░░░░
     │             ░░░░░░░░░░░
100k ┤          ░░░░░░░░░░░░░░
     │       ░░░░░░░░░░░░░░░░░
     │     ░░░░░░░░░░░░░░░░░▁▄
     │▁▁▁▁▁▂▂▂▂▃▃▃▄▄▄▄▅▅▅▆▆▆██
   0 └────────────────────────
       ━━━━━━━━━━━━━━━━━━━━
      start    steps       198
█ left, note included
░ folded away
━ steps that are folded"""
    )


def test_the_same_in_ascii_uses_nothing_else() -> None:
    text = "\n".join(drawn(growing(198, 1, 180), ASCII))
    assert text.isascii()
    assert {"#", ".", "=", "|", "+", "-"} <= set(text)


def test_nothing_folded_is_solid_and_exact_to_an_eighth() -> None:
    lines = drawn([Point(200, 200, True), Point(1_000, 1_000, True)])
    assert lines[0] == " 1k ┤" + " " * (COLUMNS // 2) + "█" * (COLUMNS // 2)
    assert "░" not in "".join(lines)
    assert "━" not in "".join(lines)
    assert lines[HEIGHT - 2].endswith("▅" * (COLUMNS // 2) + "█" * (COLUMNS // 2))


def test_the_first_and_the_last_step_are_always_there() -> None:
    points = [Point(8, 8, True), *(Point(8, 8, False) for _ in range(500)), Point(8, 8, True)]
    marked = next(line for line in drawn(points) if "━" in line)
    assert marked.strip() == "━" * (COLUMNS - 2)
    assert len(drawn(points)[HEIGHT]) == len(marked) + 1


@pytest.mark.parametrize("steps", [1, 2, 3, 30, 63, 64, 65, 1_000, 100_000])
@pytest.mark.parametrize("width", [28, 29, 50, 68, 69, 70, 71, 72, 200])
def test_every_line_fits(steps: int, width: int) -> None:
    lines = drawn(growing(steps, 1, steps), width=width)
    assert max(map(len, lines)) <= min(COLUMNS + 7, width)
    assert [line for line in lines if "start" in line and line.endswith(f" {steps}")]


def test_a_little_that_is_left_is_never_invisible() -> None:
    assert drawn([Point(1_000_000, 1, True)])[HEIGHT - 1].endswith("▁" * COLUMNS)


@pytest.mark.parametrize(
    ("tokens", "label"), [(1, "1"), (950, "1k"), (1_001, "1.2k"), (84_212, "100k"), (1_150_000, "1.2M")]
)
def test_the_axis_ends_at_a_round_number(tokens: int, label: str) -> None:
    assert drawn([Point(tokens, tokens, True)])[0].split(" ┤")[0].strip() == label


def test_without_steps_there_is_no_picture() -> None:
    assert picture([], 0) == []
