"""What the user said."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.ai.messages import ImageContent, UserPart, parts_of, text_of
from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import EXPAND_ACTION, GUTTER, BaseBlock, estimate_rows, padded
from pi_term.render.blocks.hints import more_lines
from pi_term.render.blocks.image import image_lines
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import Run, wrap_runs

SHOWN = 40
SHOWN_CHARACTERS = 8000
"""How much of a long message is shown while it is not expanded."""


class UserBlock(BaseBlock):
    """A message of the user, letter for letter, behind a bar."""

    __slots__ = ("_content",)

    def __init__(self, content: str | Sequence[UserPart], *, id: str | None = None) -> None:
        super().__init__(id)
        self._content = content

    @property
    def expandable(self) -> bool:
        text = self.copy_text()
        return len(text) > SHOWN_CHARACTERS or text.count("\n") >= SHOWN

    def copy_text(self) -> str:
        return text_of(self._content)

    def estimate_height(self, width: int) -> int:
        text = self.copy_text()
        return 1 + min(estimate_rows(text, width - GUTTER), SHOWN + SHOWN_CHARACTERS // max(1, width))

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        theme = view.theme
        ground = theme.style("userMessageText", "userMessageBg")
        margin = Margin.of_mark(Segment("▌ ", theme.style("accent", "userMessageBg")), width, repeat=True)
        text = sanitize(self.copy_text()).strip("\n")
        shown = text if view.expanded else _beginning(text)
        runs: list[Run] = [(shown, ground)]
        rows = to_lines(wrap_runs(runs, width - margin.cells), margin) if shown else []
        for part in parts_of(self._content):
            if isinstance(part, ImageContent):
                rows += image_lines(part, width, view, margin, self, theme.style("muted", "userMessageBg"))
        rows = rows or to_lines(wrap_runs(runs, width - margin.cells), margin)
        if len(shown) < len(text):
            hidden = text.count("\n", len(shown))
            what = more_lines(hidden, view.expand_key) if hidden else f"…more, {view.expand_key}"
            hint = [(what, theme.style("muted", "userMessageBg"))]
            rows.extend(to_lines(wrap_runs(hint, width - margin.cells), margin, actions=(EXPAND_ACTION,)))
        return [EMPTY_LINE, *(padded(row, width, ground) for row in rows)]


def _beginning(text: str) -> str:
    """The first lines of a text, if there are too many."""
    return "\n".join(text[: SHOWN_CHARACTERS + 1].split("\n")[:SHOWN])[:SHOWN_CHARACTERS]
