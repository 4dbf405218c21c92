"""Links inside the documents lead somewhere: to a file of the project, and to a heading where they name one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places import DOCUMENTS, ROOT

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    assert [link for link in links(document) if not leads_somewhere(document, link)] == []


@pytest.mark.parametrize(
    ("link", "good"),
    [
        ("other.md", True),
        ("other.md#the-two-commands", True),
        ("#here-it-is", True),
        ("missing.md", False),
        ("other.md#missing", False),
    ],
)
def test_a_broken_link_is_seen(tmp_path: Path, link: str, good: bool) -> None:
    (tmp_path / "other.md").write_text("# The two commands\n")
    document = tmp_path / "document.md"
    document.write_text(f"## Here it is\n\n[there]({link})\n")
    assert [leads_somewhere(document, found) for found in links(document)] == [good]


def links(document: Path) -> Iterator[str]:
    """The links of a document that stay inside the project."""
    for link in LINK.findall(FENCE.sub("", document.read_text("utf-8"))):
        if not link.startswith(("http://", "https://", "mailto:")):
            yield link


def leads_somewhere(document: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = document.parent / path if path else document
    return target.exists() and (not anchor or anchor in anchors(target))


def anchors(document: Path) -> set[str]:
    """The names of the headings, as renderers make them: lower case, words joined by hyphens."""
    headings = HEADING.findall(FENCE.sub("", document.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
