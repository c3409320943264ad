"""How Markdown is drawn: a theme, and where the text stands."""

from __future__ import annotations

from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style

from pi_term.base.dataclass import dataclass
from pi_term.render.line import EMPTY_LINE, Line
from pi_term.render.margin import Margin
from pi_term.render.markdown.leaf import Container, Leaf
from pi_term.render.theme import Theme

_BULLETS = ("•", "◦", "▪")

LookKey: TypeAlias = tuple[int, str, str | None, int, str, bool, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Look:
    """Theme and surroundings of a Markdown text.

    `base`: colour token of plain text. `gutter`: cells before each row, empty but for `bar`. `faint`:
    everything in the base colour and italic, as for thinking. `actions`: those that rows of text offer.
    """

    theme: Theme
    base: str = "text"
    background: str | None = None
    gutter: int = 0
    bar: str = ""
    faint: bool = False
    actions: tuple[str, ...] = ()

    @property
    def key(self) -> LookKey:
        """Equal for looks that draw the same."""
        where = (self.gutter, self.bar, self.faint, self.actions)
        return (self.theme.version, self.base, self.background, *where)

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


TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
"""How the boxes of a task list are written, and how they are drawn."""


def margin_of(leaf: Leaf, look: Look, width: int, task: str = "") -> Margin:
    """The margin that a leaf's containers draw. `task`: the box (as written) that replaces its bullet.

    Where the containers would take more than half of the width, the outer ones are not drawn.
    """
    first: list[Segment] = []
    rest: list[Segment] = []
    source_first = source_rest = ""
    fresh = len(leaf.path) - leaf.opening
    innermost = len(leaf.path) - 1
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
            drawn = _drawn_marker(container, lists, TASKS.get(task, "") if index == innermost else "")
            blank = Segment(" " * len(drawn), look.style(look.base))
            first.append(Segment(drawn, look.style("mdListBullet")) if index >= fresh else blank)
            rest.append(blank)
            source_first += f"{container.marker} " if index >= fresh else " " * (len(container.marker) + 1)
            source_rest += " " * (len(container.marker) + 1)
    while first and sum(len(each.text) for each in rest) > width // 2:
        del first[0], rest[0]
    if look.gutter and look.gutter <= width // 4:
        gap = Segment(look.bar.ljust(look.gutter), look.style("mdQuoteBorder" if look.bar else look.base))
        first.insert(0, gap)
        rest.insert(0, gap)
    source_first += task or "#" * leaf.level + " " * bool(leaf.level)
    cells = sum(len(each.text) for each in rest)
    return Margin(tuple(first), tuple(rest), cells, source_first, source_rest, look.actions)


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
    if not look.bar and not any(container.kind == "quote" for container in shared.path):
        return EMPTY_LINE
    return Line(margin.rest, margin.source_rest.rstrip(" "), indent=margin.cells)
