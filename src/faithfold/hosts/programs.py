"""Which word of a command is the agent's program: the first, or one behind programs that start others.

A shell's `-c` is not looked into: what runs in there is told only what variables can tell.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePath

_ENDINGS = frozenset({".exe", ".cmd", ".bat", ".js"})


@dataclass(frozen=True, slots=True)
class Starter:
    """A program that starts the one which its arguments name.

    Attributes:
        valued: its options that take the next word as their value.
        words: how many words of its own come before the program.
    """

    valued: frozenset[str] = frozenset()
    words: int = 0


def _starter(*valued: str, words: int = 0) -> Starter:
    return Starter(frozenset(valued), words)


STARTERS = {
    "env": _starter("-u", "--unset", "-C", "--chdir"),
    "npx": _starter("-p", "--package", "-w", "--workspace"),
    "bunx": _starter("-p", "--package"),
    "uvx": _starter("--from", "--with", "-w", "-p", "--python", "-c", "--constraints", "--index", "--index-url"),
    "nice": _starter("-n", "--adjustment"),
    "nohup": _starter(),
    "time": _starter("-f", "--format", "-o", "--output"),
    "timeout": _starter("-k", "--kill-after", "-s", "--signal", words=1),
    "caffeinate": _starter("-t", "-w"),
}


def program(command: Sequence[str], names: Collection[str]) -> tuple[int, str]:
    """Where the program stands that does the work, and its name.

    Args:
        command: the words.
        names: of the programs that are looked for.

    Returns:
        The place of one of them and its name; or 0 and an empty name where there is none.
    """
    place = 0
    while place < len(command):
        name = _name(command[place])
        if name in names:
            return place, name
        if name not in STARTERS:
            break
        place = _behind(command, place + 1, STARTERS[name])
    return 0, ""


def _behind(command: Sequence[str], place: int, starter: Starter) -> int:
    """The place of the first word that is none of the starter's own."""
    words = starter.words
    while place < len(command):
        word = command[place]
        if word.startswith("-"):
            place += 2 if word in starter.valued else 1
        elif _assigns(word):
            place += 1
        elif words:
            words, place = words - 1, place + 1
        else:
            break
    return place


def _assigns(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _name(word: str) -> str:
    """A program or package without its folder, its ending and its version."""
    if word.startswith("@"):
        scope, _, package = word.partition("/")
        return f"{scope}/{package.partition('@')[0]}"
    path = PurePath(word)
    name = path.stem if path.suffix.lower() in _ENDINGS else path.name
    return name.partition("@")[0]
