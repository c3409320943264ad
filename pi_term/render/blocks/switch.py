"""The row that tells of another model, or of another thinking level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.segment import Segment

from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.base import GUTTER, BaseBlock, estimate_rows
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import wrap_runs

_MARK = "·"


@dataclass(frozen=True, slots=True)
class Switch:
    """What is used from here on: the full name of a model, a thinking level; None: as before."""

    model: str | None = None
    level: str | None = None

    def then(self, later: Switch) -> Switch:
        """What both come to, if nothing was said between them."""
        return replace(self, model=later.model or self.model, level=later.level or self.level)

    def text(self) -> str:
        """In words."""
        if self.model is None:
            return f"Thinking: {self.level}"
        return f"Model: {self.model}" + (f" · thinking {self.level}" if self.level else "")


class SwitchBlock(BaseBlock):
    """One quiet row."""

    __slots__ = ("switch",)

    def __init__(self, switch: Switch, *, id: str | None = None) -> None:
        super().__init__(id)
        self.switch = switch

    def add(self, later: Switch) -> None:
        """Something else was chosen before anything was said."""
        self.switch = self.switch.then(later)
        self._touch()

    def copy_text(self) -> str:
        return self.switch.text()

    def estimate_height(self, width: int) -> int:
        return 1 + estimate_rows(self.switch.text(), width - GUTTER)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        style = view.theme.style("muted")
        margin = Margin.of_mark(Segment(f"{_MARK} ", style), width)
        rows = wrap_runs([(sanitize_line(self.switch.text()), style)], width - margin.cells)
        return [EMPTY_LINE, *to_lines(rows, margin)]
