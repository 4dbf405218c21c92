"""Pictures and documents inside a message, in every wire format, with what each costs.

A payload is the string that carries a medium: base64, a URL or a file id. It is priced by what it shows, so its
characters count for nothing. Where a medium can't be measured a fixed price stands in: a little too much compacts a
little early; too little sends what the provider refuses.

Source: spec 00-model, Sizes; 90-decisions, Sizes; faults B032, B038.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping

from faithfold.core.images import base64_in, image_tokens
from faithfold.core.values import as_list, as_object, as_text, is_object

PAGE_TOKENS = 3_000
"""A page of a PDF, as text and picture: the upper end of what providers state."""

_PAGE_BYTES = 100_000  # of a PDF whose pages can't be counted
_LEAST_PAGE_BYTES = 100  # a count of more pages than the file could hold is forged, or counts something else
_PAGE_MARK = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PAGE_COUNT = re.compile(rb"/Count\s+(\d{1,5})\b")
_IMAGE_KINDS = frozenset({"image", "input_image", "image_url", "computer_screenshot", "image_generation_call"})
_DOCUMENT_KINDS = frozenset({"document", "input_file", "file"})
_MARKS = tuple(f'"{kind}"' for kind in sorted(_IMAGE_KINDS | _DOCUMENT_KINDS))


def holds_media(json_text: str) -> bool:
    """False if the JSON text can hold no medium: a quick look before `media` walks the value."""
    return any(mark in json_text for mark in _MARKS)


def media(value: object) -> Iterator[tuple[str, int]]:
    """Each medium anywhere in `value`, as (its payload, its price in tokens)."""
    if is_object(value):
        found = _medium(value)
        if found is not None:
            yield found
            return
        for inner in value.values():
            yield from media(inner)
    else:
        for inner in as_list(value):
            yield from media(inner)


def _medium(fields: Mapping[str, object]) -> tuple[str, int] | None:
    kind = fields.get("type")
    if not isinstance(kind, str):
        return None
    if kind in _IMAGE_KINDS:
        return _image(fields)
    return _document(fields) if kind in _DOCUMENT_KINDS else None


def image_payload(fields: Mapping[str, object]) -> str:
    """What carries the picture of an image block: its base64, URL or file id; empty if nothing does."""
    source = as_object(fields.get("source"))
    url = fields.get("image_url")
    pi_data = _first(fields, "data") if "mimeType" in fields else ""
    inline = _first(source, "data") or _first(fields, "result") or pi_data
    linked = as_text(url) or _first(as_object(url), "url") or _first(source, "url", "file_id")
    return inline or linked or _first(fields, "file_id")


def _image(fields: Mapping[str, object]) -> tuple[str, int] | None:
    payload = image_payload(fields)
    return (payload, image_tokens(payload)) if payload else None


def _document(fields: Mapping[str, object]) -> tuple[str, int] | None:
    source = as_object(fields.get("source"))
    inline = _first(source, "data") if source.get("type") == "base64" else ""
    file = as_object(fields.get("file")) or fields
    inline = inline or _first(file, "file_data")
    if inline:
        return inline, PAGE_TOKENS * _pages(inline)
    linked = _first(source, "url", "file_id") or _first(file, "file_url", "file_id")
    return (linked, PAGE_TOKENS) if linked else None


def _first(fields: Mapping[str, object], *names: str) -> str:
    """The first of the named fields that is a text with something in it, else the empty string."""
    return next((text for name in names if (text := as_text(fields.get(name)))), "")


def _pages(payload: str) -> int:
    """Pages of a PDF, at least one: counted where they can be seen, else told from its length."""
    encoded = base64_in(payload)
    try:
        data = base64.b64decode(encoded)
    except ValueError:
        data = b""
    counts = (int(count) for count in _PAGE_COUNT.findall(data))
    credible = (count for count in counts if count * _LEAST_PAGE_BYTES <= len(data))
    seen = max(len(_PAGE_MARK.findall(data)), max(credible, default=0))
    return seen or -(-max(len(data), len(encoded) * 3 // 4, 1) // _PAGE_BYTES)
