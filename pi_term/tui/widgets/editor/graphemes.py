"""What a person takes for one character, and how many cells it fills.

Family emoji, flags and letters with combining marks are several code points that the cursor must not
enter and a row must not split. Widths are Rich's, because Textual crops and pads by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pi_term.render.cells import JOINER, cluster_end, is_flag_half, is_mark

# One code point, one character, one cell: Latin, Greek, Cyrillic, box drawing.
_SIMPLE = re.compile("[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2500-\u25fc]*")


def is_simple(text: str) -> bool:
    """Whether every code point of `text` is a character of one cell (tabs are not)."""
    return _SIMPLE.fullmatch(text) is not None


def end_of(text: str, start: int) -> int:
    """The end of the character that begins at index `start`."""
    end = start + 1
    if end >= len(text) or text[end] <= "~" or _stands_alone(text[start]):
        return end
    return cluster_end(text, start)


def start_before(text: str, index: int) -> int:
    """The start of the character that ends at or contains the code point before `index`."""
    start = index - 1
    if start <= 0 or (text[start] <= "~" and text[start - 1] <= "~"):
        return max(start, 0)
    while start > 0 and _may_continue(text, start):
        start -= 1
    while (end := end_of(text, start)) < index:
        start = end
    return start


def characters(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The spans of the characters from index `start` on."""
    size = len(text)
    while start < size:
        end = end_of(text, start)
        yield start, end
        start = end


def _may_continue(text: str, index: int) -> bool:
    """Whether the code point at `index` could belong to the one before it."""
    return JOINER in (text[index - 1], text[index]) or is_flag_half(text[index]) or is_mark(text[index])


def _stands_alone(char: str) -> bool:
    """Tabs and the stand-ins of pasted blocks measure nothing by themselves and are never a mark."""
    return char == "\t" or "\ud800" <= char <= "\udfff"
