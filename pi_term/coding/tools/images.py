"""Which files are images that a model can be sent: judged by their bytes, never by their name.

A signature alone proves little (prose may begin with `GIF89a` or `BM`), and an image that cannot be decoded
makes a provider refuse the whole conversation. So the structure of the file is walked as well.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from pi_term.base.dataclass import dataclass

HEAD_BYTES = 32
"""How much of a file `signature` wants to see."""

_PNG = b"\x89PNG\r\n\x1a\n"
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """An image's media type and its size in pixels."""

    mime_type: str
    width: int
    height: int


class NotAnImage(Exception):
    """The bytes begin like an image but are none, or only a part of one."""


def signature(head: bytes) -> str | None:
    """The media type that the first bytes of a file promise, if any."""
    if head.startswith(_PNG):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(b"BM") and len(head) >= 18 and _u32(head, 14) in _BMP_HEADERS:
        return "image/bmp"
    return None


def examine(mime_type: str, data: bytes) -> ImageInfo:
    """Check that `data` is a whole image of that type; raises `NotAnImage`."""
    try:
        width, height = _WALKS[mime_type](data)
    except (struct.error, IndexError):
        raise NotAnImage("it ends too early") from None
    if width < 1 or height < 1:
        raise NotAnImage("it has no pixels")
    return ImageInfo(mime_type, width, height)


def _png(data: bytes) -> tuple[int, int]:
    import zlib

    if data[8:16] != b"\0\0\0\rIHDR" or zlib.crc32(data[12:29]) != struct.unpack(">I", data[29:33])[0]:
        raise NotAnImage("its header is damaged")
    position, has_pixels = 33, False
    while data[position + 4 : position + 8] != b"IEND":
        has_pixels |= data[position + 4 : position + 8] == b"IDAT"
        position += 12 + int(struct.unpack_from(">I", data, position)[0])
    if not has_pixels:
        raise NotAnImage("it holds no image data")
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _jpeg(data: bytes) -> tuple[int, int]:
    """Walk the segments up to the first scan; a frame header must come before it."""
    position, size = 2, (0, 0)
    while True:
        if data[position] != 0xFF:
            raise NotAnImage("its segments are damaged")
        marker = data[position + 1]
        if marker == 0xFF:  # any marker may be preceded by fill bytes
            position += 1
            continue
        length = struct.unpack_from(">H", data, position + 2)[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, position + 5)
            size = (width, height)
        if marker == 0xDA:
            break
        position += 2 + length
    if data.rfind(b"\xff\xd9", position) < 0:
        raise NotAnImage("it ends too early")
    return size


def _gif(data: bytes) -> tuple[int, int]:
    """Walk all blocks up to the trailer."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    position, frames = 13 + _colour_table(flags), 0
    while data[position] != 0x3B:
        if data[position] == 0x2C:
            frames += 1
            position += 11 + _colour_table(data[position + 9])
        elif data[position] == 0x21:
            position += 2
        else:
            raise NotAnImage("its blocks are damaged")
        while data[position]:
            position += 1 + data[position]
        position += 1
    if not frames:
        raise NotAnImage("it holds no image data")
    return width, height


def _colour_table(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _webp(data: bytes) -> tuple[int, int]:
    if _u32(data, 4) + 8 > len(data):
        raise NotAnImage("it ends too early")
    chunk = data[12:16]
    if chunk == b"VP8X":
        return 1 + _u24(data, 24), 1 + _u24(data, 27)
    if chunk == b"VP8L" and data[20] == 0x2F:
        bits = _u32(data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise NotAnImage("its header is damaged")


def _bmp(data: bytes) -> tuple[int, int]:
    pixels, header = _u32(data, 10), _u32(data, 14)
    if header == 12:
        width, height, planes, depth = struct.unpack_from("<HHHH", data, 18)
    else:
        width, height, planes, depth = struct.unpack_from("<iiHH", data, 18)
    if planes != 1 or depth not in (1, 4, 8, 16, 24, 32) or not 14 + header <= pixels < len(data):
        raise NotAnImage("its header is damaged")
    return abs(width), abs(height)


def _u24(data: bytes, at: int) -> int:
    return data[at] | data[at + 1] << 8 | data[at + 2] << 16


def _u32(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])


_WALKS: dict[str, Callable[[bytes], tuple[int, int]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
    "image/bmp": _bmp,
}
