"""Pictures of any size in each format, and small documents, as conversations carry them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping

from tests.generate.dice import Dice
from tests.pictures import gif, jpeg, png, webp_extended, webp_lossless, webp_lossy

# Media type and builder by name; a builder takes width and height.
FORMATS: Mapping[str, tuple[str, Callable[[int, int], bytes]]] = {
    "png": ("image/png", png),
    "gif": ("image/gif", gif),
    "jpeg": ("image/jpeg", jpeg),
    "webp, lossy": ("image/webp", webp_lossy),
    "webp, lossless": ("image/webp", webp_lossless),
    "webp, extended": ("image/webp", webp_extended),
}


def inline_picture(dice: Dice) -> tuple[str, str]:
    """A picture's media type and its base64."""
    media_type, build = FORMATS[dice.one_of(sorted(FORMATS))]
    data = build(dice.number(1, 4_000), dice.number(1, 4_000))
    return media_type, base64.b64encode(data + bytes(dice.number(0, 30))).decode()


def picture_url(dice: Dice) -> str:
    """A picture as a data URL or a link."""
    media_type, data = inline_picture(dice)
    return dice.one_of((f"data:{media_type};base64,{data}", f"https://example.com/{dice.number(0, 9)}.png"))


def pdf(dice: Dice) -> str:
    """A small document, as base64."""
    pages = b"".join(b"<< /Type /Page >>" for _ in range(dice.number(0, 3)))
    return base64.b64encode(b"%PDF-1.7\n" + pages + b"\n%%EOF").decode()
