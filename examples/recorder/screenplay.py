"""Reads the scenario: plain text files cut into sections by lines that begin with ``@@``.

A section is ``@@ KIND [ARGUMENT]`` and the lines below it. Kinds: ``human``, ``think``, ``say``, the tools
(``bash``, ``read``, ``write``, ``edit``, ``grep``, ``glob``, ``todo``), and the notes ``sidechain``, ``api_error``
and ``interrupt``. ``+`` before a tool puts it in the same message as the tool before it (a parallel call);
``lost:`` before a tool means that it was interrupted and never answered, ``denied:`` that the human refused it.

Invariant: every line of a file belongs to exactly one section, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "@@ "
DIVIDER = "\n=======\n"
TOOLS = frozenset({"bash", "read", "write", "edit", "grep", "glob", "todo"})


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the scenario; ``fate`` is ``run``, ``lost`` or ``denied``."""

    kind: str
    argument: str
    body: str
    parallel: bool = False
    fate: str = "run"

    @property
    def is_tool(self) -> bool:
        """Whether the section calls a tool."""
        return self.kind in TOOLS


def read_screenplay(folder: Path) -> Iterator[Section]:
    """Yield the sections of all ``*.txt`` files of ``folder``, in the order of their names."""
    for path in sorted(folder.glob("*.txt")):
        yield from parse_sections(path.read_text(encoding="utf-8"))


def parse_sections(text: str) -> Iterator[Section]:
    """Yield the sections of one scenario text; what stands before the first mark is dropped."""
    for chunk in ("\n" + text).split("\n" + MARK)[1:]:
        head, _, body = chunk.partition("\n")
        kind, _, argument = head.partition(" ")
        yield _section(kind, argument.strip(), body.strip("\n"))


def _section(word: str, argument: str, body: str) -> Section:
    parallel = word.startswith("+")
    fate, colon, kind = word.lstrip("+").rpartition(":")
    return Section(kind, argument, body, parallel, fate if colon else "run")


def assistant_messages(sections: list[Section]) -> Iterator[list[Section]]:
    """Group one turn's assistant sections into API messages: a message ends with its last parallel tool call."""
    message: list[Section] = []
    for section in sections:
        if message and message[-1].is_tool and not section.parallel:
            yield message
            message = []
        message.append(section)
    if message:
        yield message
