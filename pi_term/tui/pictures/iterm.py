"""iTerm2's inline images, a row of cells at a time.

The protocol draws where the cursor is and knows no placeholders. So each row of an image is cells of which
the last is a character that stands for a slice of the image; the driver puts the slice over the cells when
such a character goes to the terminal. Whatever scrolls or covers the row handles it like text.
"""

from __future__ import annotations

import re
from base64 import standard_b64encode
from collections import OrderedDict
from collections.abc import Sequence

from rich.segment import Segment

MOST = 4_000
"""Slices that are kept: about a hundred images."""
_FIRST = 0x100000
_LAST = 0x10FFF0
_STAND_IN = re.compile("[\U00100000-\U0010fff0]")


class _Slices:
    """The slices by the characters that stand for them."""

    def __init__(self) -> None:
        self._next = _FIRST
        self._kept: OrderedDict[str, str] = OrderedDict()

    def add(self, png: bytes, columns: int) -> str:
        """A character for a slice that covers so many cells, the last of which it is in."""
        character = chr(self._next)
        self._next = _FIRST if self._next == _LAST else self._next + 1
        payload = standard_b64encode(png).decode("ascii")
        image = f"inline=1;size={len(png)};width={columns};height=1;preserveAspectRatio=0:{payload}"
        self._kept[character] = f" \x1b7\x1b[{columns}D\x1b]1337;File={image}\x07\x1b8"
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return character

    def drawn(self, match: re.Match[str]) -> str:
        return self._kept.get(match[0], " ")

    def __bool__(self) -> bool:
        return bool(self._kept)


_slices = _Slices()


def strips(pngs: Sequence[bytes], columns: int) -> list[list[Segment]]:
    """The cells of an image that was cut into rows."""
    return [[Segment(" " * (columns - 1) + _slices.add(png, columns))] for png in pngs]


def with_images(frame: str) -> str:
    """A frame on its way to the terminal, with the slices in the place of what stands for them."""
    if not _slices or _STAND_IN.search(frame) is None:
        return frame
    return _STAND_IN.sub(_slices.drawn, frame)
