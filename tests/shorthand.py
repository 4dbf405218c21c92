"""Readings written in short: one word a message.

`A` speaks for the model, `U` for the user, `T` for a tool, `I` for an instruction; behind it what it calls (`+1`),
answers (`-1`) and refers to (`=1`), hosted calls with a star (`+*1`).
"""

from __future__ import annotations

import re

from faithfold.core.parts import Call, Part, Reading, Reference, Result, Speaker

SPEAKERS: dict[str, Speaker] = {"A": "model", "U": "user", "T": "tool", "I": "instruction"}


def reading(word: str) -> Reading:
    parts: list[Part] = []
    for sign, star, name in re.findall(r"([+=-])(\*?)(\w*)", word[1:]):
        hosted, family = bool(star), "hosted" if star else "tool"
        if sign == "=":
            parts.append(Reference(name))
        else:
            parts.append(Call(name, "run", "", family, hosted) if sign == "+" else Result(name, "", family, hosted))
    return Reading(SPEAKERS[word[0]], "", tuple(parts))
