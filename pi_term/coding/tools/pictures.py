"""Images as providers take them: of a kind they know, and not too large."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from pi_term.agent.tools import ToolError
from pi_term.base.dataclass import dataclass
from pi_term.coding.tools.definition import ImageLimits
from pi_term.coding.tools.images import ImageInfo
from pi_term.coding.tools.truncate import format_size

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES = 3_900_000
"""What providers take as one image at all: 5 MB of base64."""
MOST_PIXELS_A_SIDE = 8000
"""A larger image is refused by providers, and with it the whole conversation."""
MOST_PIXELS = 80_000_000
"""Larger images are not decoded: each pixel takes up to four bytes of memory."""

_FOREIGN = {"image/bmp": "BMP"}
"""Kinds that no provider takes."""
_LOWER_QUALITIES = (60, 40)
_SMALLEST_SIDE = 32
_ORIENTATION = 0x0112
"""The EXIF tag that tells how a camera was held; from 5 on it lay on its side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image ready to send. `note` tells the model how it differs from the file ("" if it does not)."""

    mime_type: str
    data: bytes
    note: str = ""


def fit_picture(info: ImageInfo, data: bytes, limits: ImageLimits, shown: str) -> Picture:
    """The image within the limits, made smaller or of another kind where it must be. Blocks.

    Raises `ToolError` about `shown` for an image that cannot be sent.
    """
    if _fits(info, data, limits.max_width, limits.max_height, limits.max_bytes * 3 // 4):
        return Picture(info.mime_type, data)
    if limits.resize and _has_pillow():
        return _converted(info, data, limits, shown)
    if _fits(info, data, MOST_PIXELS_A_SIDE, MOST_PIXELS_A_SIDE, MOST_BYTES):
        return Picture(info.mime_type, data)
    raise ToolError(_refusal(info, data, shown, _remedy(limits)))


def _fits(info: ImageInfo, data: bytes, width: int, height: int, size: int) -> bool:
    is_known = info.mime_type not in _FOREIGN
    return is_known and info.width <= width and info.height <= height and len(data) <= size


def _refusal(info: ImageInfo, data: bytes, shown: str, remedy: str) -> str:
    if info.mime_type in _FOREIGN:
        return f"{shown} is a {_FOREIGN[info.mime_type]} image, which no model takes. {remedy}"
    return (
        f"{shown} is an {info.mime_type} image of {info.width}x{info.height} pixels and "
        f"{format_size(len(data))}, too large to send (limits {MOST_PIXELS_A_SIDE} pixels a side, "
        f"{format_size(MOST_BYTES)}). {remedy}"
    )


def _remedy(limits: ImageLimits) -> str:
    if not limits.resize:
        return "Convert it with other means, or turn on the setting images.autoResize."
    return "Convert it with other means, or have Pillow installed for it: pip install 'pi-term[images]'."


def _has_pillow() -> bool:
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        return False
    return True


def _converted(info: ImageInfo, data: bytes, limits: ImageLimits, shown: str) -> Picture:
    from PIL import Image, ImageOps

    if info.width * info.height > MOST_PIXELS:
        raise ToolError(_refusal(info, data, shown, "It is too large to be made smaller here."))
    most = (limits.max_width, limits.max_height)
    try:
        with Image.open(BytesIO(data)) as opened:
            frames = getattr(opened, "n_frames", 1)
            is_turned = opened.getexif().get(_ORIENTATION, 1) >= 5
            opened.draft("RGB", most)
            upright = ImageOps.exif_transpose(opened)
            image = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
            image.thumbnail(most, Image.Resampling.LANCZOS)
    # Decoders raise nearly anything when a file is damaged.
    except Exception as error:  # noqa: BLE001
        raise ToolError(f"{shown} is an {info.mime_type} image that cannot be decoded: {error}.") from None
    mime_type, encoded, size = _encoded(image, info.mime_type, limits)
    before = (info.height, info.width) if is_turned else (info.width, info.height)
    return Picture(mime_type, encoded, _note(before, size, frames))


def _encoded(image: Image.Image, mime_type: str, limits: ImageLimits) -> tuple[str, bytes, tuple[int, int]]:
    """The image in bytes that fit: as PNG unless it was a photo, else as JPEG, in the end ever smaller."""
    most = min(limits.max_bytes * 3 // 4, MOST_BYTES)
    while True:
        if mime_type != "image/jpeg":
            data = _saved(image, "PNG")
            if len(data) <= most:
                return "image/png", data, image.size
        for quality in (limits.jpeg_quality, *_LOWER_QUALITIES):
            data = _saved(_opaque(image), "JPEG", quality=quality)
            if len(data) <= most or max(image.size) <= _SMALLEST_SIDE:
                return "image/jpeg", data, image.size
        width, height = image.size
        image = image.resize((max(1, width * 3 // 4), max(1, height * 3 // 4)))


def _opaque(image: Image.Image) -> Image.Image:
    """On white where it is transparent: JPEG has no transparency."""
    from PIL import Image

    if image.mode != "RGBA":
        return image
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("RGB")


def _saved(image: Image.Image, kind: str, **options: int) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def _note(before: tuple[int, int], after: tuple[int, int], frames: int) -> str:
    parts: list[str] = []
    if before != after:
        factor = before[0] / after[0]
        parts.append(
            f"The image is {before[0]}x{before[1]} and shown at {after[0]}x{after[1]}: "
            f"multiply coordinates by {factor:.2f}."
        )
    if frames > 1:
        parts.append(f"This is the first of its {frames} frames.")
    return f"[{' '.join(parts)}]" if parts else ""
