"""Messages that stand for something else: summaries of what was left out, and those of extensions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.segment import Segment

from pi_term.ai.messages import UserPart, text_of
from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize_line
from pi_term.render.blocks.base import EXPAND_ACTION, GUTTER, BaseBlock, estimate_rows, padded
from pi_term.render.cells import fit
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.wrap import wrap_runs

_GROUND = "customMessageBg"
_FILES = re.compile(r"\s*^<(read|modified)-files>\n(.*?)\n</\1-files>$", re.MULTILINE | re.DOTALL)


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


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the label of a summary tells: tokens `before` and `after` it, and how many messages stayed."""

    title: str
    before: int | None
    after: int | None
    kept: int | None

    @property
    def text(self) -> str:
        label = self.title
        if self.before and self.after is not None:
            label += f" ({self.before:,} → {self.after:,} tokens)"
        elif self.before:
            label += f" (was {self.before:,} tokens)"
        if self.kept is not None:
            stay = "last message stays" if self.kept == 1 else f"last {self.kept:,} messages stay"
            label += f" · the {stay}" if self.kept else " · nothing else stays"
        return label


class SummaryBlock(_LabelledBlock):
    """What stands for history that was compacted, or for a branch that was left."""

    __slots__ = ("_facts", "_summary")

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
        title = "Summary of the branch that was left" if branch else "Earlier conversation, summarised"
        self._facts = _Facts(title, tokens_before, tokens_after, kept)
        self._summary = summary
        super().__init__(self._facts.text, _readable(summary), id)

    def tell(self, *, tokens_after: int | None = None, kept: int | None = None) -> None:
        """Tell more of it, which is known only now."""
        facts = self._facts
        self._facts = facts = _Facts(
            facts.title,
            facts.before,
            facts.after if tokens_after is None else tokens_after,
            facts.kept if kept is None else kept,
        )
        self._label = facts.text
        self._touch()

    @property
    def expandable(self) -> bool:
        return True

    def copy_text(self) -> str:
        return self._summary

    def search_text(self) -> str:
        return self._stream.text

    def estimate_height(self, width: int) -> int:
        return 2

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        if not view.expanded:
            return self._on_ground(self._label_lines(width, view, view.expand_key), width, view)
        rows = [*self._label_lines(width, view, ""), EMPTY_LINE, *self._text_lines(width, view)]
        return self._on_ground(rows, width, view)


def _readable(summary: str) -> str:
    """The summary with its lists of files, which stand in tags for models, as lists for people."""

    def listed(found: re.Match[str]) -> str:
        title = "Files that were read" if found[1] == "read" else "Files that were changed"
        paths = found[2].replace("&lt;", "<").splitlines()
        return "\n".join([f"\n\n## {title}\n", *(f"- `{path}`" for path in paths)])

    return _FILES.sub(listed, summary)


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
