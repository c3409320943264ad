"""What the user said."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.ai.messages import ImageContent, UserPart, text_of
from pi_term.base.sanitize import sanitize, sanitize_line
from pi_term.render.blocks.base import EXPAND_ACTION, GUTTER, BaseBlock, estimate_rows, padded
from pi_term.render.blocks.hints import more_lines
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.wrap import Run, wrap_runs

SHOWN = 40
"""Lines of a long message that are shown while it is not expanded."""


class UserBlock(BaseBlock):
    """A message of the user, letter for letter, behind a bar."""

    __slots__ = ("_content",)

    def __init__(self, content: str | Sequence[UserPart], *, id: str | None = None) -> None:
        super().__init__(id)
        self._content = content

    @property
    def expandable(self) -> bool:
        return self.copy_text().count("\n") >= SHOWN

    def copy_text(self) -> str:
        return text_of(self._content)

    def estimate_height(self, width: int) -> int:
        text = self.copy_text()
        return 1 + min(estimate_rows(text, width - GUTTER), SHOWN + len(text) // max(1, width))

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        theme = view.theme
        ground = theme.style("userMessageText", "userMessageBg")
        margin = Margin.of_mark(Segment("▌ ", theme.style("accent", "userMessageBg")), width, repeat=True)
        lines = sanitize(self.copy_text()).strip("\n").split("\n")
        hidden = 0 if view.expanded else max(0, len(lines) - SHOWN)
        runs: list[Run] = [("\n".join(lines[: len(lines) - hidden]), ground)]
        for part in self._content if not isinstance(self._content, str) else ():
            if isinstance(part, ImageContent):
                note = f"\n[image: {sanitize_line(part.mime_type)}]"
                runs.append((note, theme.style("muted", "userMessageBg")))
        rows = to_lines(wrap_runs(runs, width - margin.cells), margin)
        if hidden:
            hint = [(more_lines(hidden, view.expand_key), theme.style("muted", "userMessageBg"))]
            rows.extend(to_lines(wrap_runs(hint, width - margin.cells), margin, actions=(EXPAND_ACTION,)))
        return [EMPTY_LINE, *(padded(row, width, ground) for row in rows)]
