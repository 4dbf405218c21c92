"""Identity: the canonical form of a message, its digest, and the chain of a history.

Two messages are the same when a provider would see the same. So the canonical form holds everything but an
explicit list of volatile fields, and never raises: lone surrogates hash as they are.

The hex values equal those of the reference implementation for every message that it reads whole. `VERSION` names
the hash and the form; it changes whenever one of them does.

Source: spec 10-cliff (substitution by prefix) and 90-decisions (canonical form and digest).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping

VERSION = "sha256-1"


def canonical_json(value: object) -> str:
    """JSON text with sorted keys and no spaces: the same for equal values, in any process.

    Raises:
        TypeError: `value` holds something that JSON has no form for.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(canonical: object) -> str:
    """The sha256 of a canonical form, as 64 hex digits."""
    return digest_text(canonical_json(canonical))


def chain(digests: Iterable[str], last: str = "") -> list[str]:
    """`chain[i]` identifies messages 0 to i as a sequence: h0 = H(d0), hi = H(hi-1 + di); 64 hex digits each.

    Args:
        digests: of the messages, in order.
        last: the link of the message before them, where there is one.
    """
    links: list[str] = []
    for one in digests:
        last = digest_text(last + one)
        links.append(last)
    return links


def residue(value: Mapping[str, object], read: Collection[str]) -> dict[str, object]:
    """The fields of `value` that are not in `read` and say something (null and empty values say nothing)."""
    return {key: rest for key, rest in value.items() if key not in read and rest not in (None, "", [], {})}


def with_residue(form: list[object], rest: object) -> list[object]:
    """`form`, followed by the canonical JSON of `rest` where there is any."""
    return [*form, canonical_json(rest)] if rest else form


def digest_text(text: str) -> str:
    """The sha256 of a text, as 64 hex digits; a lone surrogate is hashed as it is."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
