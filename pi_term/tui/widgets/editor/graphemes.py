"""What a person takes for one character, and how many cells it fills.

Family emoji, flags and letters with combining marks are several code points that the cursor must not
enter and a row must not split. Widths are Rich's, because Textual crops and pads by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len

_JOINER = "\u200d"
# One code point, one character, one cell: Latin, Greek, Cyrillic, box drawing.
_SIMPLE = re.compile("[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2500-\u25fc]*")


def is_simple(text: str) -> bool:
    """Whether every code point of `text` is a character of one cell (tabs are not)."""
    return _SIMPLE.fullmatch(text) is not None


def end_of(text: str, start: int) -> int:
    """The end of the character that begins at index `start`."""
    size = len(text)
    end = start + 1
    if end >= size or text[end] <= "~" or _stands_alone(text[start]):
        return end
    if _is_flag_half(text[start]) and _is_flag_half(text[end]):
        end += 1
    while end < size:
        if text[end] == _JOINER:
            # The joiner at the very end of the text joins nothing.
            end = min(end + 2, size)
        elif cell_len(text[end]) == 0 and not _stands_alone(text[end]):
            end += 1
        else:
            break
    return end


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
    return (
        text[index - 1] == _JOINER
        or text[index] == _JOINER
        or _is_flag_half(text[index])
        or (cell_len(text[index]) == 0 and not _stands_alone(text[index]))
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _stands_alone(char: str) -> bool:
    """Tabs and the stand-ins of pasted blocks measure nothing by themselves and are never a mark."""
    return char == "\t" or "\ud800" <= char <= "\udfff"
