"""Images: every format's size is read, and what can't be read has a fixed price."""

from __future__ import annotations

import pytest

from faithfold.core.images import DEFAULT_IMAGE_TOKENS, MAX_IMAGE_TOKENS, image_tokens, pixel_size
from tests.pictures import base64_of, data_url, gif, jpeg, png, riff, segment, webp_extended, webp_lossless, webp_lossy

EXIF = segment(0xE1, b"Exif\0\0" + b"\0" * 200)
PREVIEW = segment(0xE1, b"Exif\0\0" + b"\xff\xc0\0" * 20_000)
ICC = segment(0xE2, b"ICC_PROFILE\0" + b"\0" * 65_000)
TABLE = segment(0xC4, b"\0" * 30)
WHOLE = [
    ("PNG", png(560, 280)),
    ("GIF 89a", gif(560, 280)),
    ("GIF 87a", gif(560, 280, b"GIF87a")),
    ("JPEG", jpeg(560, 280)),
    ("JPEG with EXIF", jpeg(560, 280, EXIF)),
    ("JPEG, progressive", jpeg(560, 280, EXIF, TABLE, frame=0xC2)),
    ("JPEG with fill bytes", jpeg(560, 280, EXIF, b"\xff\xff\xff")),
    ("JPEG with stray bytes", jpeg(560, 280, EXIF, b"\0\0")),
    ("JPEG with a marker that has no length", jpeg(560, 280, b"\xff\x01", b"\xff\xd0")),
    ("JPEG with a large preview", jpeg(560, 280, PREVIEW)),
    ("JPEG with a large profile and a preview", jpeg(560, 280, ICC, PREVIEW)),
    ("WebP, lossy", webp_lossy(560, 280)),
    ("WebP, lossless", webp_lossless(560, 280)),
    ("WebP, extended", webp_extended(560, 280)),
]
BROKEN = [
    ("nothing", b""),
    ("no picture", b"hello, world, this is text"),
    ("PNG without a size", png(560, 280)[:20]),
    ("PNG of no width", png(0, 280)),
    ("GIF without a size", gif(560, 280)[:8]),
    ("GIF of no height", gif(560, 0)),
    ("JPEG cut in its EXIF", jpeg(560, 280, EXIF)[:60]),
    ("JPEG cut in its frame header", jpeg(560, 280)[:8]),
    ("JPEG cut in a marker", b"\xff\xd8\xff"),
    ("JPEG that ends in fill bytes", b"\xff\xd8" + b"\xff" * 40),
    ("WebP of an unknown kind", riff(b"VP9 ", b"\0" * 20)),
    ("WebP, lossy, cut", webp_lossy(560, 280)[:28]),
    ("WebP, lossless, cut", webp_lossless(560, 280)[:23]),
    ("WebP, extended, cut in its height", webp_extended(560, 280)[:28]),
    ("WebP, extended, cut in its width", webp_extended(560, 280)[:25]),
    ("RIFF that is no WebP", webp_extended(560, 280).replace(b"WEBP", b"WAVE")),
]


@pytest.mark.parametrize("data", [data for _, data in WHOLE], ids=[name for name, _ in WHOLE])
def test_a_picture_costs_its_patches(data: bytes) -> None:
    assert image_tokens(base64_of(data)) == 20 * 10
    assert image_tokens(data_url(data)) == 20 * 10


@pytest.mark.parametrize("data", [data for _, data in BROKEN], ids=[name for name, _ in BROKEN])
def test_a_picture_that_cannot_be_read_costs_what_a_screenshot_costs(data: bytes) -> None:
    assert image_tokens(base64_of(data)) == DEFAULT_IMAGE_TOKENS
    assert image_tokens(data_url(data)) == DEFAULT_IMAGE_TOKENS


@pytest.mark.parametrize("payload", ["", "data:", "data:image/png;base64,", "über", "=", "a", "\ud83d", "data:,%89PNG"])
def test_a_payload_that_is_no_base64_costs_what_a_screenshot_costs(payload: str) -> None:
    assert image_tokens(payload) == DEFAULT_IMAGE_TOKENS


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1, 1, 1),
        (28, 28, 1),
        (29, 28, 2),
        (28, 29, 2),
        (200, 200, 64),
        (1000, 1000, 1296),
        (1092, 1092, 1521),
        (1536, 1024, 2035),
        (2576, 1456, 4784),
        (8000, 8000, MAX_IMAGE_TOKENS),
    ],
)
def test_begun_patches_count_up_to_a_ceiling(width: int, height: int, tokens: int) -> None:
    assert image_tokens(base64_of(png(width, height))) == tokens


def test_a_cut_base64_is_read_as_far_as_it_goes() -> None:
    assert image_tokens(base64_of(png(560, 280))[:39]) == 20 * 10


def test_the_size_itself() -> None:
    assert pixel_size(data_url(png(560, 280))) == (560, 280)
    assert pixel_size(base64_of(webp_extended(16_000_000, 70_000))) == (16_000_000, 70_000)
    assert pixel_size("https://example.com/a.png") is None
