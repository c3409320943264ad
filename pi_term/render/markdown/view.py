"""What draws a leaf at one width. A view follows its leaf while that grows, and draws nothing twice."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from rich.segment import Segment

from pi_term.render.line import Line
from pi_term.render.markdown.leaf import Leaf
from pi_term.render.markdown.look import Look, margin_of

Drawn: TypeAlias = list[list[Line]]
"""The rows of a leaf in several lists. Lists that a view keeps only grow at their ends."""


class View(Protocol):
    """Draws one leaf at one width."""

    def follows(self, leaf: Leaf) -> bool:
        """Whether what was drawn so far is the beginning of this leaf."""

    def draw(self, leaf: Leaf, *, growing: bool) -> Drawn:
        """The rows of the leaf. `growing`: text may still be added at its end."""


class RuleView:
    """A horizontal rule."""

    def __init__(self, leaf: Leaf, width: int, look: Look) -> None:
        margin = margin_of(leaf, look, width)
        rule = Segment("─" * max(1, width - margin.cells), look.style("mdHr"))
        self._line = Line((*margin.first, rule), margin.source_first + "---", indent=margin.cells)

    def follows(self, leaf: Leaf) -> bool:
        return leaf.kind == "rule"

    def draw(self, leaf: Leaf, *, growing: bool) -> Drawn:
        return [[self._line]]
