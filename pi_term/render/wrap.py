"""Breaking styled text into rows of a width, by words or by cells.

Rows are spans of the text, so that each row knows exactly which part of the source it shows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style

from pi_term.render.cells import (
    TAB_WIDTH,
    Cluster,
    clusters,
    expand_with_origins,
    is_narrow,
    squeeze,
)

Run: TypeAlias = tuple[str, Style]
"""Text of one style. A newline in it ends the row."""

Span: TypeAlias = tuple[int, int, int]
"""A row of a text: drawn from the first index to the second; the next row starts at the third."""

_NO_ROW_START = frozenset("、。，．,.!?:;！？：；）)]】」』〉》〕’”…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々")


class Row(NamedTuple):
    """One row: what is drawn, the source it stands for, and whether it continues on the next row."""

    segments: list[Segment]
    source: str
    soft: bool


def wrap_runs(runs: Sequence[Run], width: int, *, words: bool = True, tab: int = TAB_WIDTH) -> list[Row]:
    """Rows of at most `width` cells. `words`: break at blanks where possible; else anywhere.

    Text must be sanitised. At least one row, even for no text.
    """
    width = max(1, width)
    text = _joined(runs)
    if "\n" not in text:
        return _wrap_line(runs, text, width, words, tab)
    rows: list[Row] = []
    for line in split_runs(runs):
        rows.extend(_wrap_line(line, _joined(line), width, words, tab))
    return rows


def split_runs(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs of each line, newlines dropped."""
    lines: list[list[Run]] = [[]]
    for text, style in runs:
        first, *more = text.split("\n")
        lines[-1].append((first, style))
        lines.extend([(part, style)] for part in more)
    return lines


def _joined(runs: Sequence[Run]) -> str:
    return runs[0][0] if len(runs) == 1 else "".join([run[0] for run in runs])


def _wrap_line(runs: Sequence[Run], source: str, width: int, words: bool, tab: int) -> list[Row]:
    tabbed = "\t" in source
    if tabbed:
        runs = _expanded(runs, tab)
        text = _joined(runs)
    else:
        text = source
    narrow = is_narrow(text)
    if narrow and len(text) <= width:
        return [Row([Segment(part, style) for part, style in runs if part], source, False)]
    if not narrow:
        runs = _undivided(runs, text)
    spans = word_spans(text, width) if words else fold_spans(text, width)
    drawn = _slice(runs, spans)
    if width < 2 and not narrow:
        drawn = [[Segment(squeeze(each.text), each.style) for each in row] for row in drawn]
    sources = _tabbed_sources(source, spans, tab) if tabbed else [text[each[0] : each[2]] for each in spans]
    last = len(spans) - 1
    return [
        Row(segments, part, index < last)
        for index, (segments, part) in enumerate(zip(drawn, sources, strict=True))
    ]


def _undivided(runs: Sequence[Run], text: str) -> Sequence[Run]:
    """The runs of a text, each ending where a cluster ends: in pieces, it would be drawn wider."""
    if len(runs) == 1:
        return runs
    ends = [cluster.end for cluster in clusters(text)]
    whole: list[Run] = []
    start = stop = 0
    for part, style in runs:
        stop += len(part)
        end = start if stop <= start else ends[bisect_left(ends, stop)]
        whole.append((text[start:end], style))
        start = end
    return whole


def _expanded(runs: Sequence[Run], tab: int) -> list[Run]:
    """The runs with tabs expanded; the line counts as a whole, for a cluster may go on in the next run."""
    spaced, origins = expand_with_origins(_joined(runs), tab)
    expanded: list[Run] = []
    start = begin = 0
    for part, style in runs:
        begin += len(part)
        end = bisect_left(origins, begin)
        expanded.append((spaced[start:end], style))
        start = end
    return expanded


def _tabbed_sources(source: str, spans: Sequence[Span], tab: int) -> list[str]:
    """The source of each row; a tab that a row's end cuts belongs to the row in which it begins."""
    _, origins = expand_with_origins(source, tab)
    bounds = [0]
    for _, _, following in spans:
        if following >= len(origins):
            bounds.append(len(source))
        else:
            inside_tab = following > 0 and origins[following - 1] == origins[following]
            bounds.append(origins[following] + inside_tab)
    return [source[begin:end] for begin, end in pairwise(bounds)]


def _slice(runs: Sequence[Run], spans: Sequence[Span]) -> list[list[Segment]]:
    """The segments that are drawn for each span."""
    if len(runs) == 1:
        text, style = runs[0]
        return [[Segment(text[start:end], style)] if end > start else [] for start, end, _ in spans]
    rows: list[list[Segment]] = []
    index = 0
    begin = 0
    for start, end, _ in spans:
        row: list[Segment] = []
        while index < len(runs):
            text, style = runs[index]
            stop = begin + len(text)
            piece = text[max(start - begin, 0) : end - begin] if end > begin else ""
            if piece:
                row.append(Segment(piece, style))
            if stop > end:
                break
            begin = stop
            index += 1
        rows.append(row)
    return rows


def word_spans(text: str, width: int) -> list[Span]:
    """Rows broken at blanks; words longer than a row are cut. Blanks at a break are not drawn."""
    if not is_narrow(text):
        return _wide_word_spans(text, width)
    spans: list[Span] = []
    start, size = 0, len(text)
    while size - start > width:
        cut = text.rfind(" ", start, start + width + 1)
        end = cut
        while end > start and text[end - 1] == " ":
            end -= 1
        if end > start:
            following = cut + 1
            while following < size and text[following] == " ":
                following += 1
        else:
            end = following = start + width
        spans.append((start, end, following))
        start = following
    if start < size or not spans:
        spans.append((start, size, size))
    return spans


def _wide_word_spans(text: str, width: int) -> list[Span]:
    spans: list[Span] = []
    pieces = clusters(text)
    start = index = 0
    while index < len(pieces):
        stop, brk = _fill_row(text, pieces, index, width)
        if stop == len(pieces):
            break
        cut = stop if brk <= index else brk
        following = cut
        while following < len(pieces) and text[pieces[following].start] == " ":
            following += 1
        end = cut
        while end > index and text[pieces[end - 1].start] == " ":
            end -= 1
        if end == index:
            end = following = max(stop, index + 1)
        spans.append((start, pieces[end - 1].end, _start_of(pieces, following, len(text))))
        index = following
        start = _start_of(pieces, following, len(text))
    if start < len(text) or not spans:
        spans.append((start, len(text), len(text)))
    return spans


def _start_of(pieces: Sequence[Cluster], index: int, size: int) -> int:
    return pieces[index].start if index < len(pieces) else size


def _fill_row(text: str, pieces: Sequence[Cluster], index: int, width: int) -> tuple[int, int]:
    """The first cluster that no longer fits a row which begins at `index`, and the last good break.

    Rows break at blanks, and beside wide characters, which scripts without blanks are written in.
    """
    used = 0
    brk = index
    beside_wide = False
    for at in range(index, len(pieces)):
        piece = pieces[at]
        char = text[piece.start]
        wide = piece.width > 1
        if at > index and (char == " " or ((beside_wide or wide) and char not in _NO_ROW_START)):
            brk = at
        used += piece.width
        if used > width:
            return at, brk
        beside_wide = wide
    return len(pieces), brk


def fold_spans(text: str, width: int) -> list[Span]:
    """Rows filled to the last cell, whatever the text."""
    if is_narrow(text):
        size = len(text)
        return [(at, min(at + width, size), min(at + width, size)) for at in range(0, size or 1, width)]
    spans: list[Span] = []
    start = used = 0
    for piece in clusters(text):
        if used + piece.width > width and piece.start > start:
            spans.append((start, piece.start, piece.start))
            start, used = piece.start, 0
        used += piece.width
    spans.append((start, len(text), len(text)))
    return spans
