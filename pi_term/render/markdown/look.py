"""How Markdown is drawn: a theme, and where the text stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style

from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.markdown.leaf import Container, Leaf
from pi_term.render.theme import Theme
from pi_term.render.wrap import Row

_BULLETS = ("•", "◦", "▪")

LookKey: TypeAlias = tuple[int, str, str | None, int, bool]


@dataclass(frozen=True, slots=True)
class Look:
    """`base`: colour token of plain text. `gutter`: empty cells before each row. `faint`: everything in
    the base colour and italic, as for thinking."""

    theme: Theme
    base: str = "text"
    background: str | None = None
    gutter: int = 0
    faint: bool = False

    @property
    def key(self) -> LookKey:
        """Equal for looks that draw the same."""
        return (self.theme.version, self.base, self.background, self.gutter, self.faint)

    def style(
        self,
        token: str,
        *,
        bold: bool | None = None,
        italic: bool | None = None,
        underline: bool | None = None,
        strike: bool | None = None,
    ) -> Style:
        """The style for text in the colour `token`."""
        if self.faint:
            token, italic = self.base, True
        return self.theme.style(
            token, self.background, bold=bold, italic=italic, underline=underline, strike=strike
        )


@dataclass(frozen=True, slots=True)
class Margin:
    """What stands before the rows of a leaf: before the first, before the others; drawn and as source."""

    first: tuple[Segment, ...]
    rest: tuple[Segment, ...]
    cells: int
    source_first: str
    source_rest: str


def margin_of(leaf: Leaf, look: Look, width: int, task: str = "") -> Margin:
    """The margin that a leaf's containers draw. `task`: the box that stands for its bullet.

    Where the containers would take more than half of the width, the outer ones are not drawn.
    """
    first: list[Segment] = []
    rest: list[Segment] = []
    source_first = source_rest = ""
    fresh = len(leaf.path) - leaf.opening
    lists = 0
    for index, container in enumerate(leaf.path):
        lists += container.kind == "list"
        if container.kind == "quote":
            bar = Segment("│ ", look.style("mdQuoteBorder"))
            first.append(bar)
            rest.append(bar)
            source_first += "> "
            source_rest += "> "
        elif container.kind == "item":
            drawn = _drawn_marker(container, lists, task if index == len(leaf.path) - 1 else "")
            blank = Segment(" " * len(drawn), look.style(look.base))
            first.append(Segment(drawn, look.style("mdListBullet")) if index >= fresh else blank)
            rest.append(blank)
            source_first += f"{container.marker} " if index >= fresh else " " * (len(container.marker) + 1)
            source_rest += " " * (len(container.marker) + 1)
    while first and sum(len(each.text) for each in rest) > width // 2:
        del first[0], rest[0]
    if look.gutter and look.gutter <= width // 4:
        gap = Segment(" " * look.gutter, look.style(look.base))
        first.insert(0, gap)
        rest.insert(0, gap)
    cells = sum(len(each.text) for each in rest)
    return Margin(tuple(first), tuple(rest), cells, source_first, source_rest)


def _drawn_marker(container: Container, level: int, task: str) -> str:
    if container.marker[0].isdigit():
        return f"{container.marker} "
    return f"{task or _BULLETS[(level - 1) % len(_BULLETS)]} "


def separator(before: Leaf, after: Leaf, look: Look, width: int) -> Line:
    """The empty row between two leaves, with the bars of the quotes that both are in."""
    common = 0
    for one, other in zip(before.path, after.path, strict=False):
        if one.uid != other.uid:
            break
        common += 1
    shared = Leaf("paragraph", 0, after.path[:common], 0, False)
    margin = margin_of(shared, look, width)
    if not any(container.kind == "quote" for container in shared.path):
        return EMPTY_LINE
    return Line(margin.rest, margin.source_rest.rstrip(" "), indent=margin.cells)


def to_lines(rows: list[Row], margin: Margin, *, begin: bool = True) -> list[Line]:
    """Rows with their margin. `begin`: the first row is the first of its leaf."""
    lead = margin.first if begin else margin.rest
    source = margin.source_first if begin else margin.source_rest
    lines: list[Line] = []
    for segments, text, soft in rows:
        lines.append(Line((*lead, *segments), source + text, soft, (), margin.cells))
        lead = margin.rest
        source = "" if soft else margin.source_rest
    return lines
