"""How a list over the whole screen is laid out: heading, rows, preview, foot."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size

from pi_term.base.dataclass import dataclass
from pi_term.render.cells import cut_cells
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.theme import Theme
from pi_term.tui.text import Span, ends, fit, line_of, spans_width

_BESIDE = 110  # cells from which on the preview stands beside the list
_BELOW = 10  # rows of the body from which on it stands below
_GAP = 2  # cells between the two ends of a row
_JOINT = " · "
_CLOSING = (" closes", " cancels")
_NO_HELP = 16  # rows of the screen below which nothing is explained
_SHORT_HELP = 20  # below which in one row


@dataclass(frozen=True, slots=True)
class Layout:
    """The body of a screen: `rows` of the list, `width` cells wide, and the preview, if it has room."""

    width: int
    rows: int
    preview_width: int
    preview_rows: int
    beside: bool

    @classmethod
    def of(cls, width: int, height: int) -> Layout:
        """For a body of this size."""
        if width >= _BESIDE:
            left = width * 11 // 20
            return cls(left, height, width - left - 3, height, beside=True)
        if height < _BELOW:
            return cls(width, height, 0, 0, beside=False)
        below = height * 2 // 5
        return cls(width, height - below - 1, width - 2, below, beside=False)


def body(
    layout: Layout, rows: Sequence[Line], preview: Sequence[Line], theme: Theme, label: str
) -> list[Line]:
    """The rows of the body; `label` names what is previewed, on the rule above it."""
    rows = [*rows, *[EMPTY_LINE] * (layout.rows - len(rows))]
    rule = theme.style("borderMuted")
    if not layout.preview_rows:
        return rows
    if not layout.beside:
        title: list[Span] = [("── ", rule), (f"{label} ", theme.style("muted"))] if label else []
        head = fit(title, layout.width)
        line = line_of(*head, ("─" * (layout.width - spans_width(head)), rule))
        below = [*preview, *[EMPTY_LINE] * layout.preview_rows][: layout.preview_rows]
        return [*rows, line, *(_joined(Segment(" "), each) for each in below)]
    about = line_of(*fit([(label, theme.style("muted"))], layout.preview_width))
    heads = [about, *preview] if label else list(preview)
    heads += [EMPTY_LINE] * (layout.rows - len(heads))
    bar = Segment(" │ ", rule)
    return [_joined(*_padded(row, layout.width), bar, right) for row, right in zip(rows, heads, strict=False)]


def selected(row: Line, theme: Theme, width: int) -> Line:
    """A row on the ground of what is chosen."""
    ground = theme.style(None, "selectedBg")
    segments = [Segment(each.text, ground + each.style if each.style else ground) for each in row.segments]
    gap = width - row.cell_length
    if gap > 0:
        segments.append(Segment(" " * gap, ground))
    return Line(tuple(segments), row.source_text)


def both_ends(left: Sequence[Span], right: Sequence[Span], width: int) -> Line:
    """A row with something at each end; the left end is cut, a long right end left out."""
    tail = list(right) if spans_width(right) <= width * 2 // 3 else []
    room = width - (spans_width(tail) + _GAP if tail else 0)
    head = fit(left, room)
    gap = width - spans_width(head) - spans_width(tail)
    return line_of(*head, (" " * gap, None), *tail) if tail else line_of(*head)


def rows_that_fit(parts: Sequence[str], width: int, most: int, joint: str = _JOINT) -> list[str]:
    """The parts in at most `most` rows; an ellipsis at the end says that some are left out."""
    left = list(parts)
    rows: list[str] = []
    while left and len(rows) < most:
        fits = _fitting(left, width, joint)
        last = len(rows) + 1 == most
        if last and fits < len(left):
            fits = max(1, _fitting(left, width - len(joint) - 1, joint))
            rows.append(joint.join([*left[:fits], "…"]))
        else:
            fits = max(1, fits)
            rows.append(joint.join(left[:fits]))
        del left[:fits]
    return rows


def hint_rows(hints: Sequence[str], width: int, most: int) -> list[str]:
    """Keys and what they do, in at most `most` rows. However narrow it is: how to get out, and the first."""
    closes = [each for each in hints if each.endswith(_CLOSING)]
    first = [each for each in hints[:1] if each not in closes]
    rest = [each for each in hints if each not in (*first, *closes)]
    begun = [*first, *closes]
    if most == 1 and _fitting(begun, width - (len(_JOINT) + 1 if rest else 0), _JOINT) < len(begun):
        begun.reverse()
    return rows_that_fit([*begun, *rest], width, most)


def explained(text: str | Sequence[str], size: Size, theme: Theme, most: int = 2) -> list[Line]:
    """Rows of a heading on a screen of this size that explain: a sentence, or keys and what they do."""
    words, joint = (text.split(), " ") if isinstance(text, str) else (text, _JOINT)
    rows = rows_that_fit(words, size.width - 2, min(most, rows_for_help(size.height)), joint)
    return [ends([(row, theme.style("dim"))], [], size.width) for row in rows]


def rows_for_help(height: int) -> int:
    """How many rows of a screen may tell of one thing: fewer where there is little room."""
    return 0 if height < _NO_HELP else 1 if height < _SHORT_HELP else 2


def _fitting(parts: Sequence[str], width: int, joint: str) -> int:
    """How many of the parts fit."""
    taken = 0
    for number, part in enumerate(parts):
        taken += len(part) + (len(joint) if number else 0)
        if taken > width:
            return number
    return len(parts)


def cut(line: Line, width: int) -> Line:
    """A row that is at most `width` cells wide."""
    if line.cell_length <= width:
        return line
    segments: list[Segment] = []
    room = width
    for segment in line.segments:
        size = segment.cell_length
        if size > room:
            segments.append(Segment(cut_cells(segment.text, 0, room), segment.style))
            break
        segments.append(segment)
        room -= size
    return Line(tuple(segments), line.source_text)


def _padded(line: Line, width: int) -> tuple[Segment, ...]:
    line = cut(line, width)
    return (*line.segments, Segment(" " * max(0, width - line.cell_length)))


def _joined(*parts: Segment | Line) -> Line:
    segments: list[Segment] = []
    for part in parts:
        if isinstance(part, Line):
            segments.extend(part.segments)
        else:
            segments.append(part)
    return Line(tuple(segments), "")
