"""Telling whole images from everything else by their bytes."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_term.coding.tools.images import ImageInfo, NotAnImage, examine, signature


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 5, 4, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(bytes(64)))
    + _chunk(b"IEND", b"")
)
JPEG = (
    b"\xff\xd8"
    + b"\xff\xe0\x00\x10JFIF\0\1\1\0\0\1\0\1\0\0"
    + b"\xff\xff\xc0\x00\x11\x08\x00\x04\x00\x05\x03\1\x22\0\2\x11\1\3\x11\1"
    + b"\xff\xda\x00\x0c\x03\1\0\2\x11\3\x11\0\x3f\0"
    + b"\x12\x34\x56\xff\xd9"
)
GIF = (
    b"GIF89a\x05\0\x04\0\x80\0\0"
    + bytes(6)
    + b"!\xf9\x04\0\0\0\0\0"
    + b",\0\0\0\0\5\0\4\0\0\2\2\x4c\1\0"
    + b";"
)


def _riff(chunk: bytes) -> bytes:
    body = b"WEBP" + chunk
    return b"RIFF" + struct.pack("<I", len(body)) + body


WEBP_LOSSY = _riff(b"VP8 " + struct.pack("<I", 12) + b"\0\0\0\x9d\x01\x2a\x05\x00\x04\x00" + bytes(2))
WEBP_LOSSLESS = _riff(b"VP8L" + struct.pack("<I", 6) + b"\x2f" + struct.pack("<I", 4 | 3 << 14) + b"\0")
WEBP_EXTENDED = _riff(b"VP8X" + struct.pack("<I", 10) + bytes(4) + b"\4\0\0\3\0\0")
BMP = b"BM" + struct.pack("<IHHI", 134, 0, 0, 54) + struct.pack("<IiiHH", 40, 5, -4, 1, 24) + bytes(24 + 80)
OLD_BMP = b"BM" + struct.pack("<IHHI", 106, 0, 0, 26) + struct.pack("<IHHHH", 12, 5, 4, 1, 24) + bytes(80)

WHOLE = [
    ("image/png", PNG),
    ("image/jpeg", JPEG),
    ("image/gif", GIF),
    ("image/webp", WEBP_LOSSY),
    ("image/webp", WEBP_LOSSLESS),
    ("image/webp", WEBP_EXTENDED),
    ("image/bmp", BMP),
    ("image/bmp", OLD_BMP),
]
KINDS = ["png", "jpeg", "gif", "webp lossy", "webp lossless", "webp extended", "bmp", "old bmp"]


@pytest.mark.parametrize(("mime_type", "data"), WHOLE, ids=KINDS)
def test_a_whole_image_is_known_with_its_size(mime_type: str, data: bytes) -> None:
    assert signature(data[:32]) == mime_type
    assert examine(mime_type, data) == ImageInfo(mime_type, 5, 4)


@pytest.mark.parametrize(("mime_type", "data"), WHOLE[:6], ids=KINDS[:6])
def test_the_first_half_of_an_image_is_none(mime_type: str, data: bytes) -> None:
    with pytest.raises(NotAnImage):
        examine(mime_type, data[: len(data) // 2])


def test_a_png_with_a_damaged_header_is_none() -> None:
    with pytest.raises(NotAnImage, match="header"):
        examine("image/png", PNG.replace(b"\0\0\0\5\0\0\0\4", b"\0\0\0\6\0\0\0\4"))


@given(st.sampled_from(WHOLE), st.binary(max_size=200))
def test_any_bytes_after_a_signature_are_judged_without_a_crash(
    whole: tuple[str, bytes], rest: bytes
) -> None:
    mime_type, data = whole
    try:
        info = examine(mime_type, data[:12] + rest)
    except NotAnImage:
        return
    assert info.width > 0
    assert info.height > 0
