"""How a list over the whole screen is laid out: heading, rows, preview, foot."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.base.dataclass import dataclass
from pi_term.render.cells import cut_cells
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.theme import Theme
from pi_term.tui.text import Span, fit, line_of, spans_width

_BESIDE = 110  # cells from which on the preview stands beside the list
_BELOW = 10  # rows of the body from which on it stands below
_GAP = 2  # cells between the two ends of a row


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


def that_fit(parts: Sequence[str], width: int) -> str:
    """As many of the parts as fit, from the first on."""
    text = ""
    for part in parts:
        longer = f"{text} · {part}" if text else part
        if len(longer) > width:
            break
        text = longer
    return text


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
