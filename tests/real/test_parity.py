"""Parity over real conversations: each is compacted, named and sized as the oracle does, or the reason is shown.

A reason is tried on the input: written anew in a way that the oracle reads, or less what it doesn't know, the input
must give the same with both. A difference that none of the named reasons explains fails the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from faithfold.compaction import compact, faults
from faithfold.core.sizes import Sizer
from faithfold.core.values import as_list, as_object, as_text, is_list, is_object
from faithfold.strategies.options import CompactSettings
from tests.parity import oracle
from tests.pieces import Wire, digest_of
from tests.real.conversations import Spoken, conversations, messages, sources

SOURCES = sources() or pytest.skip("no real conversations beside the project", allow_module_level=True)
KEEP_RECENT = range(5)


# ---------------------------------------------------------------- compaction


@pytest.mark.parametrize("source", SOURCES)
def test_both_compact_alike(source: str) -> None:
    for spoken in conversations(source):
        if spoken.dialect in oracle.DIALECTS:
            for keep_recent in KEEP_RECENT:
                reason = explanation(spoken, CompactSettings(keep_recent=keep_recent))
                assert reason, f"{spoken.name} differs, keep_recent={keep_recent}"


def explanation(spoken: Spoken, settings: CompactSettings) -> str:
    """Why ours is what it is; empty if nothing explains it."""
    told, dialect = spoken.messages, spoken.dialect
    made = oracle.ours(told, dialect, settings)
    if made == oracle.theirs(told, dialect, settings):
        return "the same"
    as_functions = [as_function(message) for message in told]
    if as_functions != told and made == same_with(told, as_functions, dialect, settings):
        return "a custom tool is a function whose arguments are its input"
    less = [message for message in map(without_unknown, told) if message is not None]
    as_functions = [as_function(message) for message in less]
    same = less != told and oracle.ours(less, dialect, settings) == same_with(less, as_functions, dialect, settings)
    return "kinds that the oracle doesn't know" if same and is_sound(spoken, settings) else ""


def same_with(
    told: Sequence[object], rewritten: Sequence[object], dialect: str, settings: CompactSettings
) -> oracle.Outcome | None:
    """What the oracle makes of the rewritten messages, told of the originals."""
    made = oracle.theirs(rewritten, dialect, settings)
    if made is None:
        return None
    original = {id(new): old for new, old in zip(rewritten, told, strict=True)}
    return replace(made, messages=[original.get(id(message), message) for message in made.messages])


def as_function(message: object) -> object:
    """A custom tool's call or result as a function's, which the oracle reads; anything else as it is."""
    fields = as_object(message)
    if fields.get("type") == "custom_tool_call":
        return {"type": "function_call", "name": fields.get("name"), "arguments": fields.get("input")}
    if fields.get("type") == "custom_tool_call_output":
        return {"type": "function_call_output", "output": fields.get("output")}
    return message


KNOWN_ITEMS = ("message", "reasoning", "function_call", "function_call_output")
CUSTOM_ITEMS = ("custom_tool_call", "custom_tool_call_output")
UNKNOWN_BLOCKS = ("server_tool_use", "mcp_tool_use", "compaction")


def without_unknown(message: object) -> object:
    """A message less the blocks of hosted tools and of compaction; None for an item of a kind the oracle hasn't."""
    fields = as_object(message)
    kind = as_text(fields.get("type"))
    if kind and kind not in KNOWN_ITEMS + CUSTOM_ITEMS:
        return None
    blocks = as_list(fields.get("content"))
    known = [block for block in blocks if not _unknown(as_text(as_object(block).get("type")))]
    return message if len(known) == len(blocks) else {**fields, "content": known}


def _unknown(kind: str) -> bool:
    return kind in UNKNOWN_BLOCKS or (kind.endswith("_tool_result") and kind != "tool_result")


def is_sound(spoken: Spoken, settings: CompactSettings) -> bool:
    """Whether ours is legal where the oracle can't be asked, and holds what must not be folded."""
    made = compact(spoken.messages, spoken.dialect, settings)
    sent = spoken.messages if made is None else made.messages
    pinned = [message for message in spoken.messages if "compaction" in as_text(as_object(message).get("type"))]
    old = {(fault.code, fault.id) for fault in faults(spoken.messages, spoken.dialect)}
    new = {(fault.code, fault.id) for fault in faults(sent, spoken.dialect)}
    return new <= old and all(any(message is other for other in sent) for message in pinned)


# ---------------------------------------------------------------- digests

MOST_LEAVES = 40
# What doesn't make a message another: fields of blocks and items, and constants.
VOLATILE = {
    "anthropic": ("cache_control", "signature", "media_type"),
    "openai": ("cache_control",),
    "openai-responses": ("cache_control",),
    "pi": ("thinkingSignature", "textSignature", "thoughtSignature", "partialJson"),
}
VOLATILE_AT_THE_TOP = {
    "openai-responses": ("id", "status", "internal_chat_message_metadata_passthrough"),
    "pi": ("timestamp", "usage", "details", "responseId", "api", "provider", "model"),
}
CONSTANTS = (("tool_calls", "type", "function"),)
ARGUMENTS = ("input", "arguments")
Path = tuple[str | int, ...]


@pytest.mark.parametrize("source", SOURCES)
def test_both_name_alike_what_the_oracle_reads_whole_and_ours_reads_all_whole(source: str) -> None:
    for dialect, message in messages(source):
        ours = digest_of(dialect, message)
        others = [changed(message, path) for path in sample(list(leaves(message, dialect)))]
        assert ours not in {digest_of(dialect, other) for other in others}
        theirs = oracle_digest(without_client_s_note(message), dialect)
        reads_whole = theirs and theirs not in {oracle_digest(other, dialect) for other in others}
        assert (ours == theirs) == bool(reads_whole), message


def oracle_digest(message: object, dialect: str) -> str:
    """The oracle's digest; empty where it has none: it raises, or doesn't know the dialect."""
    try:
        return oracle.digest(message, dialect) if dialect in oracle.DIALECTS else ""
    except (AttributeError, TypeError, UnicodeEncodeError):
        return ""


def without_client_s_note(message: object) -> object:
    """A message less what Codex notes on items for itself, which the oracle takes for a part of those it can't read."""
    noted = ("internal_chat_message_metadata_passthrough",)
    return {name: value for name, value in message.items() if name not in noted} if is_object(message) else message


def leaves(value: object, dialect: str, path: Path = ()) -> Iterator[Path]:
    """The places of all values in a message that say something and aren't volatile."""
    if is_object(value):
        for name, inner in value.items():
            if not is_volatile(name, inner, dialect, path):
                yield from leaves(inner, dialect, (*path, name))
    elif is_list(value):
        for place, inner in enumerate(value):
            yield from leaves(inner, dialect, (*path, place))
    elif value not in (None, ""):
        yield path


def is_volatile(name: str, value: object, dialect: str, path: Path) -> bool:
    if any(step in ARGUMENTS for step in path):
        return False
    constant = any((*path[:1], name, value) == each for each in CONSTANTS)
    at_the_top = not path and name in VOLATILE_AT_THE_TOP.get(dialect, ())
    return constant or at_the_top or name in VOLATILE[dialect]


def sample(paths: list[Path]) -> list[Path]:
    """The paths, or so many of them, evenly spread."""
    return paths[:: len(paths) // MOST_LEAVES + 1]


def changed(value: object, path: Path) -> object:
    """A copy of `value` with another value in one place."""
    if not path:
        return not value if isinstance(value, bool) else f"{value}~"
    first, *rest = path
    if isinstance(first, int):
        items = list(as_list(value))
        items[first] = changed(items[first], tuple(rest))
        return items
    fields: Wire = {**as_object(value)}
    fields[first] = changed(fields[first], tuple(rest))
    return fields


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize("source", SOURCES)
def test_both_size_alike_but_for_wide_characters_and_prices(source: str) -> None:
    sizer = Sizer()
    for _, message in messages(source):
        plain = oracle.plain(message)
        assert sizer.quarters(plain) == oracle.quarters(plain) + oracle.price_difference(plain)
