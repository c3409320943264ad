"""From the bytes of an image to pixels for cells. Needs Pillow; blocks: for threads."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

if TYPE_CHECKING:
    from PIL import Image

MOST_PIXELS = 80_000_000
"""Larger images are not decoded: each pixel takes up to four bytes of memory."""
_HALF = "▀"


def has_pillow() -> bool:
    """Whether images can be decoded."""
    from importlib.util import find_spec

    return find_spec("PIL") is not None


def fitted(data: bytes, width: int, height: int, ground: str) -> Image.Image:
    """The first frame in a box of so many pixels, what is transparent or beside it on the colour `ground`.

    Raises `ValueError` for what cannot be decoded.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data)) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise ValueError("the image is too large")
            opened.draft("RGB", (width * 2, height * 2))
            image = ImageOps.exif_transpose(opened).convert("RGBA")
    except (UnidentifiedImageError, OSError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise ValueError(str(error)) from error
    image.thumbnail((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    if image.width < width and image.height < height:
        scale = min(width / image.width, height / image.height)
        grown = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image = image.resize(grown, Image.Resampling.NEAREST if scale > 2 else Image.Resampling.LANCZOS)
    box = Image.new("RGBA", (width, height), ground)
    box.alpha_composite(image)
    return box.convert("RGB")


def half_cells(data: bytes, columns: int, rows: int, ground: str) -> list[list[Segment]]:
    """The image in cells of which each shows two pixels, one above the other."""
    image = fitted(data, columns, rows * 2, ground)
    pixels = image.tobytes()
    stride = columns * 3
    drawn: list[list[Segment]] = []
    for row in range(rows):
        top = pixels[2 * row * stride : (2 * row + 1) * stride]
        bottom = pixels[(2 * row + 1) * stride : (2 * row + 2) * stride]
        pairs = [(top[at : at + 3], bottom[at : at + 3]) for at in range(0, stride, 3)]
        drawn.append([Segment(_HALF * len(list(same)), _style(*pair)) for pair, same in groupby(pairs)])
    return drawn


def as_png(data: bytes, width: int, height: int, ground: str) -> bytes:
    """The image as a PNG of so many pixels."""
    out = BytesIO()
    fitted(data, width, height, ground).save(out, "PNG", compress_level=1)
    return out.getvalue()


def slices(data: bytes, width: int, height: int, count: int, ground: str) -> list[bytes]:
    """The image as `count` PNGs that lie one below the other."""
    image = fitted(data, width, height, ground)
    bounds = [height * number // count for number in range(count + 1)]
    parts: list[bytes] = []
    for top, bottom in pairwise(bounds):
        out = BytesIO()
        image.crop((0, top, width, bottom)).save(out, "PNG", compress_level=1)
        parts.append(out.getvalue())
    return parts


def _style(top: Sequence[int], bottom: Sequence[int]) -> Style:
    return Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom))
