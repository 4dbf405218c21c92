"""Pictures of any size in each format, and small documents, as conversations carry them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.generate.dice import Dice
from tests.pictures import base64_of, data_url, gif, jpeg, pdf, png, webp_extended, webp_lossless, webp_lossy

# Media type and builder by name; a builder takes width and height.
FORMATS: Mapping[str, tuple[str, Callable[[int, int], bytes]]] = {
    "png": ("image/png", png),
    "gif": ("image/gif", gif),
    "jpeg": ("image/jpeg", jpeg),
    "webp, lossy": ("image/webp", webp_lossy),
    "webp, lossless": ("image/webp", webp_lossless),
    "webp, extended": ("image/webp", webp_extended),
}


def any_picture(dice: Dice) -> tuple[str, bytes]:
    """A picture's media type and its bytes."""
    media_type, build = FORMATS[dice.one_of(sorted(FORMATS))]
    data = build(dice.number(1, 4_000), dice.number(1, 4_000))
    return media_type, data + bytes(dice.number(0, 30))


def inline_picture(dice: Dice) -> tuple[str, str]:
    """A picture's media type and its base64."""
    media_type, data = any_picture(dice)
    return media_type, base64_of(data)


def picture_data_url(dice: Dice) -> str:
    media_type, data = any_picture(dice)
    return data_url(data, media_type)


def picture_url(dice: Dice) -> str:
    """A picture as a data URL or a link."""
    return dice.one_of((picture_data_url(dice), f"https://example.com/{dice.number(0, 9)}.png"))


def any_pdf(dice: Dice) -> bytes:
    """A small document."""
    return pdf(dice.number(0, 3))
