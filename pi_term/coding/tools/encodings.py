"""How the text of a file is written as bytes: UTF-8, or what a byte-order mark says."""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterator

from pi_term.base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Encoding:
    """`name` is for people, `codec` Python's; `mark` is the byte-order mark that the file begins with."""

    name: str
    codec: str
    mark: bytes = b""

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are UTF-8, or are taken for it because nothing else is known."""
        return self.codec == "utf-8"


_LOOKED_AT = 8192  # bytes in which something binary shows
_UTF8 = Encoding("UTF-8", "utf-8")
_MARKED = (
    Encoding("UTF-8", "utf-8", codecs.BOM_UTF8),
    # Before UTF-16, whose little-endian mark is the beginning of this one's.
    Encoding("UTF-32 (little-endian)", "utf-32-le", codecs.BOM_UTF32_LE),
    Encoding("UTF-32 (big-endian)", "utf-32-be", codecs.BOM_UTF32_BE),
    Encoding("UTF-16 (little-endian)", "utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("UTF-16 (big-endian)", "utf-16-be", codecs.BOM_UTF16_BE),
)


def encoding_of(data: bytes, *, whole: bool) -> Encoding:
    """The encoding of a file that begins with `data` (`whole`: that is all of it).

    A mark before bytes that it cannot be the mark of is none.
    """
    for encoding in _MARKED:
        if data.startswith(encoding.mark) and (encoding.is_utf8 or _is_sound(data, encoding, whole)):
            return encoding
    return _UTF8


def _is_sound(data: bytes, encoding: Encoding, whole: bool) -> bool:
    decoder = codecs.getincrementaldecoder(encoding.codec)("surrogatepass")
    try:
        decoder.decode(data[len(encoding.mark) :], whole)
    except UnicodeDecodeError:
        return False
    return True


def has_nul(data: bytes) -> bool:
    """Whether a file begins like no text, unless a mark tells that it is UTF-16 or UTF-32."""
    return b"\0" in data[:_LOOKED_AT]


async def as_utf8(pieces: AsyncIterator[bytes], encoding: Encoding) -> AsyncIterator[bytes]:
    """The text of a file in pieces of UTF-8, without its mark; what is damaged becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder(encoding.codec)("replace")
    left = len(encoding.mark)
    async for piece in pieces:
        text = decoder.decode(piece[left:])
        left = max(0, left - len(piece))
        yield text.encode()
    yield decoder.decode(b"", True).encode()
