"""Hypothesis strategies for JSON text as clients write it: every spelling that JSON's own reader takes.

A body is put together from the texts of its messages, so where each of them stands is known without reading it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from hypothesis import strategies as st

SPACES = st.text(" \t\r\n", max_size=2)
_ODD_STRINGS = (
    '"\\ud83d"',  # half of a pair
    '"\\udc00\\ud83d"',
    '"\\u0061\\/\\u003c"',
    '"\\\\"',
    '"\\""',
    '"\\\\\\""',
    '"[{,:}]"',
    '"}]}"',
    '"\\"messages\\": ["',
    '"\x7f\u2028圧縮😀"',
    '"\\u0000"',
)
_NUMBERS = ("0", "-0", "1.10", "1E5", "1e400", "-1e-400", "9007199254740993", "0.30000000000000004123")
_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
STRINGS = st.sampled_from(_ODD_STRINGS) | st.builds(json.dumps, _PLAIN, ensure_ascii=st.booleans())
SCALARS = st.one_of(st.sampled_from(_NUMBERS), st.sampled_from(_WORDS), STRINGS)
NAMES = st.one_of(st.sampled_from(['"role"', '"content"', '"messages"', '"cont\\u0065nt"', '""']), STRINGS)


@st.composite
def lists(draw: st.DrawFn, items: st.SearchStrategy[str], opener: str = "[", closer: str = "]") -> str:
    """Texts side by side, as JSON divides them."""
    told = [draw(SPACES) + one + draw(SPACES) for one in draw(st.lists(items, max_size=4))]
    return opener + (",".join(told) or draw(SPACES)) + closer


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Objects; a name may stand in them twice."""
    members = st.tuples(NAMES, SPACES, SPACES, values).map(lambda each: f"{each[0]}{each[1]}:{each[2]}{each[3]}")
    return lists(members, "{", "}")


VALUES = st.recursive(SCALARS, lambda inner: lists(inner) | objects(inner), max_leaves=6)


@dataclass(frozen=True)
class Body:
    """A request body: the texts of its messages, and what stands around them.

    Attributes:
        before: up to the bracket that opens the messages.
        pieces: a message and the white space before and after it, each.
        after: from the bracket that closes them on.
    """

    before: str
    pieces: list[tuple[str, str, str]]
    after: str

    @property
    def text(self) -> str:
        return self.before + "[" + ",".join(map("".join, self.pieces)) + "]" + self.after

    @property
    def wire(self) -> bytes:
        return self.text.encode()

    @property
    def messages(self) -> list[bytes]:
        return [message.encode() for _, message, _ in self.pieces]


_KEYS = st.sampled_from(['"messages"', '"m\\u0065ssages"', '"\\u006dessages"'])
_OTHERS = NAMES.filter(lambda name: json.loads(name) != "messages")


@st.composite
def bodies(draw: st.DrawFn, messages: st.SearchStrategy[str] = VALUES) -> Body:
    """A body; its messages may stand in it twice, and the last ones count."""

    def members(names: st.SearchStrategy[str]) -> list[str]:
        pairs = draw(st.lists(st.tuples(names, SPACES, VALUES, SPACES), max_size=2))
        return [f"{name}{one}:{two}{value}{one}" for name, one, value, two in pairs]

    one, two = draw(SPACES), draw(SPACES)
    before = [*members(NAMES), f"{one}{draw(_KEYS)}{two}:{one}"]
    after = ["", *members(_OTHERS)]
    pieces = draw(st.lists(st.tuples(SPACES, messages, SPACES), max_size=5))
    return Body(one + "{" + ",".join(before), pieces, two + ",".join(after) + two + "}" + one)
