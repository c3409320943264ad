"""Text measured in terminal cells: clusters that must stay whole, tabs, what fits.

Widths are those of `rich.cells`, because Rich and Textual lay out by them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size

TAB_WIDTH = 4
"""Tab stops of source code."""
TERMINAL_TAB_WIDTH = 8
"""Tab stops of what commands print, which expect a terminal's."""

JOINER = "\u200d"
# Only characters that are one cell wide and never join with their neighbours.
_NARROW = re.compile("[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u2199\u2500-\u25fc]*")
_TOO_WIDE = "…"


class Cluster(NamedTuple):
    """A piece of text that is drawn as one: `text[start:end]`, `width` cells."""

    start: int
    end: int
    width: int


def is_narrow(text: str) -> bool:
    """Whether every character certainly takes one cell (control characters count as such)."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def width_of(text: str) -> int:
    """Cells that sanitised text without tabs takes."""
    return len(text) if is_narrow(text) else cell_len(text)


def clusters(text: str) -> list[Cluster]:
    """Divide text into clusters: letters with their marks, joined emoji, flags."""
    found: list[Cluster] = []
    start = 0
    size = len(text)
    while start < size:
        end = cluster_end(text, start)
        piece = text[start:end]
        width = get_character_cell_size(piece) if end - start == 1 else cell_len(piece)
        found.append(Cluster(start, end, width))
        start = end
    return found


def cluster_end(text: str, start: int) -> int:
    """Where the cluster ends that begins at index `start`."""
    size = len(text)
    first = text[start]
    end = start + (2 if first == JOINER else 1)
    if is_flag_half(first) and end < size and is_flag_half(text[end]):
        end += 1
    while end < size:
        char = text[end]
        if char == JOINER:
            end += 2
        elif is_mark(char):
            end += 1
        else:
            break
    return min(end, size)


def is_flag_half(char: str) -> bool:
    """Whether two of these make a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


@lru_cache(maxsize=4096)
def is_mark(char: str) -> bool:
    """Whether the character takes no cell of its own, but changes the one before it."""
    return char > "\x7f" and get_character_cell_size(char) == 0


def expand_tabs(text: str, tab: int = TAB_WIDTH, column: int = 0) -> str:
    """Spaces for tabs, up to the next multiple of `tab` cells; the text starts in cell `column`."""
    if "\t" not in text:
        return text
    lead = column % tab
    if is_narrow(text):
        return ("." * lead + text).expandtabs(tab)[lead:]
    return expand_with_origins(text, tab, lead)[0]


def expand_with_origins(text: str, tab: int, column: int = 0) -> tuple[str, list[int]]:
    """The text with tabs expanded, and for each of its characters the index of the one it came from."""
    parts: list[str] = []
    origins: list[int] = []
    at = 0
    for index, part in enumerate(text.split("\t")):
        if index:
            gap = tab - column % tab
            parts.append(" " * gap)
            origins.extend([at] * gap)
            at += 1
            column += gap
        parts.append(part)
        origins.extend(range(at, at + len(part)))
        at += len(part)
        column += width_of(part)
    return "".join(parts), origins


def fit(text: str, width: int) -> str:
    """The text if it fits, else its start and an ellipsis, at most `width` cells."""
    if width <= 0:
        return ""
    if width_of(text) <= width:
        return text
    if is_narrow(text):
        return text[: width - 1] + _TOO_WIDE
    return text[: _index_at(text, width - 1)] + _TOO_WIDE


def fit_end(text: str, width: int) -> str:
    """The text if it fits, else an ellipsis and its end, at most `width` cells: for paths."""
    if width <= 0:
        return ""
    if width_of(text) <= width:
        return text
    start, used = len(text), 0
    for cluster in reversed(clusters(text)):
        used += cluster.width
        if used > width - 1:
            break
        start = cluster.start
    return _TOO_WIDE + text[start:]


def _index_at(text: str, width: int) -> int:
    """Index of the first cluster that does not fit into `width` cells."""
    used = 0
    for cluster in clusters(text):
        used += cluster.width
        if used > width:
            return cluster.start
    return len(text)


def cut_cells(text: str, start: int, end: int) -> str:
    """What stands in the cells from `start` up to `end`; a wide character counts where it begins."""
    if is_narrow(text):
        return text[max(0, start) : max(0, end)]
    column = 0
    first = last = len(text)
    for cluster in clusters(text):
        if column >= start and first == len(text):
            first = cluster.start
        if column >= end:
            last = cluster.start
            break
        column += cluster.width
    return text[first:last]


def squeeze(text: str) -> str:
    """Text for a column one cell wide: an ellipsis for each cluster that takes two."""
    if is_narrow(text):
        return text
    return "".join(_TOO_WIDE if each.width > 1 else text[each.start : each.end] for each in clusters(text))
