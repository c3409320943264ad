"""Messages that stand for something else: summaries of what was left out, and those of extensions."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from pi_term.ai.messages import UserPart, text_of
from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.base import EXPAND_ACTION, GUTTER, BaseBlock, estimate_rows, padded
from pi_term.render.cells import fit
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.wrap import wrap_runs

_GROUND = "customMessageBg"


class _LabelledBlock(BaseBlock):
    """Markdown under a label, on a ground of its own."""

    __slots__ = ("_label", "_stream")
    has_markdown = True

    def __init__(self, label: str, text: str, id: str | None) -> None:
        super().__init__(id)
        self._label = label
        self._stream = MarkdownStream(text, finished=True)

    def release(self) -> None:
        super().release()
        self._stream.release()

    def refine(self, budget: float) -> bool:
        """See `Refinable`."""
        if not self._stream.refinable:
            return False
        more = self._stream.refine(budget)
        if not more:
            self._touch()
        return more

    def copy_text(self) -> str:
        return self._stream.text

    def _label_lines(self, width: int, view: ViewOptions, hint: str) -> list[Line]:
        theme = view.theme
        style = theme.style("customMessageLabel", _GROUND, bold=True)
        margin = Margin.of_mark(Segment("◆ ", style), width)
        actions = (EXPAND_ACTION,) if self.expandable else ()
        runs = [(sanitize_line(self._label), style)]
        if hint:
            runs.append((f"  {hint}", theme.style("muted", _GROUND)))
        return to_lines(wrap_runs(runs, width - margin.cells), margin, actions=actions)

    def _text_lines(self, width: int, view: ViewOptions) -> Sequence[Line]:
        look = Look(view.theme, "customMessageText", background=_GROUND, gutter=GUTTER)
        return self._stream.lines(width, look)

    def _on_ground(self, lines: Sequence[Line], width: int, view: ViewOptions) -> list[Line]:
        ground = view.theme.style("customMessageText", _GROUND)
        return [EMPTY_LINE, *(padded(line, width, ground) for line in lines)]


class SummaryBlock(_LabelledBlock):
    """What stands for history that was compacted, or for a branch that was left."""

    __slots__ = ()

    def __init__(
        self,
        summary: str,
        *,
        branch: bool = False,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
        kept: int | None = None,
        id: str | None = None,
    ) -> None:
        """How long the context was that a compaction shortened, and how long it is now, where known.

        `kept` are the latest messages that stayed as they were.
        """
        label = "Summary of the branch that was left" if branch else "Earlier conversation, summarised"
        if tokens_before and tokens_after is not None:
            label += f" ({tokens_before:,} → {tokens_after:,} tokens)"
        elif tokens_before:
            label += f" (was {tokens_before:,} tokens)"
        if kept is not None:
            stay = "last message stays" if kept == 1 else f"last {kept:,} messages stay"
            label += f" · the {stay}" if kept else " · nothing else stays"
        super().__init__(label, summary, id)

    @property
    def expandable(self) -> bool:
        return True

    def estimate_height(self, width: int) -> int:
        return 2

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        if not view.expanded:
            return self._on_ground(self._label_lines(width, view, view.expand_key), width, view)
        rows = [*self._label_lines(width, view, ""), EMPTY_LINE, *self._text_lines(width, view)]
        return self._on_ground(rows, width, view)


class CustomBlock(_LabelledBlock):
    """A message that an extension put into the conversation."""

    __slots__ = ()

    def __init__(self, custom_type: str, content: str | Sequence[UserPart], *, id: str | None = None) -> None:
        super().__init__(fit(sanitize_line(custom_type), 60), text_of(content), id)

    def estimate_height(self, width: int) -> int:
        return 2 + estimate_rows(self._stream.text, width - GUTTER)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        rows = [*self._label_lines(width, view, ""), *self._text_lines(width, view)]
        return self._on_ground(rows, width, view)
