"""Images made to fit: what is sent can be decoded and is small enough, and the model knows what changed."""

from __future__ import annotations

import struct
import sys
from io import BytesIO
from typing import Any

import pytest

from pi_term.agent.tools import ToolError
from pi_term.coding.tools import ImageLimits
from pi_term.coding.tools.images import ImageInfo, examine
from pi_term.coding.tools.pictures import MOST_BYTES, MOST_PIXELS, Picture, fit_picture

Image: Any = pytest.importorskip("PIL.Image")

LIMITS = ImageLimits()
BMP = b"BM" + struct.pack("<IHHI", 66, 0, 0, 54) + struct.pack("<IiiHH", 40, 1, 3, 1, 24) + bytes(24 + 12)


def encoded(image: Any, kind: str, **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def noise(width: int, height: int, mode: str = "RGB") -> Any:
    """An image that no compression makes small."""
    return Image.effect_noise((width, height), 100).convert(mode)


def fitted(data: bytes, mime_type: str, limits: ImageLimits = LIMITS) -> Picture:
    return fit_picture(examine(mime_type, data), data, limits, "pic")


def opened(picture: Picture) -> Any:
    image = Image.open(BytesIO(picture.data))
    image.load()
    assert f"image/{image.format.lower()}" == picture.mime_type
    return image


def test_an_image_within_the_limits_is_sent_byte_for_byte() -> None:
    data = encoded(noise(2000, 100), "PNG")
    assert fitted(data, "image/png") == Picture("image/png", data)


@pytest.mark.parametrize(
    ("kind", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("PNG", "P"), ("JPEG", "RGB"), ("WEBP", "RGB")]
)
def test_a_large_image_becomes_smaller_in_the_same_shape(kind: str, mode: str) -> None:
    mime_type = f"image/{kind.lower()}"
    picture = fitted(encoded(Image.new(mode, (4000, 3000)), kind), mime_type)
    assert opened(picture).size == (2000, 1500)
    assert picture.note == "[The image is 4000x3000 and shown at 2000x1500: multiply coordinates by 2.00.]"


def test_an_image_of_too_many_bytes_comes_to_fit_them() -> None:
    limits = ImageLimits(max_bytes=40_000)
    picture = fitted(encoded(noise(700, 700), "PNG"), "image/png", limits)
    assert len(picture.data) * 4 / 3 <= 40_000
    image = opened(picture)
    assert image.width == image.height
    assert f"shown at {image.width}x{image.height}" in picture.note


def test_transparency_becomes_white_where_it_cannot_be_kept() -> None:
    image = noise(600, 600, "RGBA")
    image.putalpha(Image.linear_gradient("L").resize(image.size))
    image.paste((0, 0, 0, 0), (0, 0, 200, 200))
    picture = fitted(encoded(image, "PNG"), "image/png", ImageLimits(max_bytes=200_000))
    assert picture.mime_type == "image/jpeg"
    assert all(channel > 240 for channel in opened(picture).getpixel((50, 50)))


def test_a_photo_stands_upright() -> None:
    image = Image.new("RGB", (3000, 1000), "red")
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = fitted(encoded(image, "JPEG", exif=exif), "image/jpeg")
    assert opened(picture).size == (667, 2000)
    assert "The image is 1000x3000" in picture.note


def test_of_a_film_the_first_frame_is_sent() -> None:
    frames = [Image.new("RGB", (2500, 10), colour) for colour in ("red", "blue")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    picture = fitted(data, "image/gif")
    assert "first of its 2 frames" in picture.note
    red, _, blue = opened(picture).convert("RGB").getpixel((5, 5))
    assert red > blue


def test_a_bmp_becomes_a_png() -> None:
    data = encoded(Image.new("RGB", (30, 20), "green"), "BMP")
    picture = fitted(data, "image/bmp")
    assert picture.mime_type == "image/png"
    assert opened(picture).getpixel((3, 3)) == (0, 128, 0)
    assert picture.note == ""


def test_an_image_of_far_too_many_pixels_is_not_decoded() -> None:
    info = ImageInfo("image/png", MOST_PIXELS // 1000 + 1, 1000)
    with pytest.raises(ToolError, match="too large to send"):
        fit_picture(info, b"never looked at", ImageLimits(), "pic")


def test_an_image_that_cannot_be_decoded_is_an_error() -> None:
    data = encoded(noise(3000, 10), "PNG")
    broken = data[:60] + bytes(200) + data[260:]
    with pytest.raises(ToolError, match="pic is an image/png image that cannot be decoded"):
        fit_picture(ImageInfo("image/png", 3000, 10), broken, ImageLimits(), "pic")


@pytest.fixture
def without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "PIL"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "PIL", None)


@pytest.mark.usefixtures("without_pillow")
def test_without_pillow_what_providers_take_is_sent_as_it_is() -> None:
    info = ImageInfo("image/png", 4000, 3000)
    assert fit_picture(info, b"data", ImageLimits(), "pic") == Picture("image/png", b"data")


@pytest.mark.usefixtures("without_pillow")
@pytest.mark.parametrize(
    ("info", "size"),
    [
        (ImageInfo("image/png", 9000, 10), 10),
        (ImageInfo("image/png", 10, 10), MOST_BYTES + 1),
        (examine("image/bmp", BMP), 10),
    ],
)
def test_without_pillow_the_rest_is_refused_and_the_way_out_named(info: ImageInfo, size: int) -> None:
    with pytest.raises(ToolError, match=r"pip install 'pi-term\[images\]'"):
        fit_picture(info, bytes(size), ImageLimits(), "pic")


def test_with_resizing_off_an_image_is_never_changed() -> None:
    off = ImageLimits(resize=False)
    data = encoded(Image.new("RGB", (3000, 10)), "PNG")
    assert fitted(data, "image/png", off) == Picture("image/png", data)
    with pytest.raises(ToolError, match=r"images\.autoResize"):
        fit_picture(ImageInfo("image/png", 9000, 10), data, off, "pic")
