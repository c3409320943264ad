"""What stands before the rows of a text: marks, bars, indentation; drawn, and as source."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment

from pi_term.base.dataclass import dataclass
from pi_term.render.line import Line
from pi_term.render.wrap import Row


@dataclass(frozen=True, slots=True)
class Margin:
    """Segments before the first row and before the others, `cells` wide, and the source they stand for.

    `actions` are those of all rows that are given none of their own.
    """

    first: tuple[Segment, ...] = ()
    rest: tuple[Segment, ...] = ()
    cells: int = 0
    source_first: str = ""
    source_rest: str = ""
    actions: tuple[str, ...] = ()

    @classmethod
    def of_mark(cls, mark: Segment, width: int, *, repeat: bool = False) -> Margin:
        """A mark before the first row (`repeat`: before all), nothing where the width is too small.

        The mark is no part of the source.
        """
        cells = mark.cell_length
        if cells > width // 2:
            return cls()
        rest = mark if repeat else Segment(" " * cells, mark.style)
        return cls((mark,), (rest,), cells)


def to_lines(
    rows: Iterable[Row], margin: Margin, *, begin: bool = True, actions: tuple[str, ...] = ()
) -> list[Line]:
    """Rows with their margin. `begin`: the first row is the first of its text."""
    lead = margin.first if begin else margin.rest
    source = margin.source_first if begin else margin.source_rest
    actions = actions or margin.actions
    lines: list[Line] = []
    for segments, text, soft in rows:
        lines.append(Line((*lead, *segments), source + text, soft, actions, margin.cells))
        lead = margin.rest
        source = "" if soft else margin.source_rest
    return lines
