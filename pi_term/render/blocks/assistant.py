"""What a model said and thought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.segment import Segment

from pi_term.ai.messages import AssistantMessage, TextContent, ThinkingContent
from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import GUTTER, BaseBlock, estimate_rows
from pi_term.render.blocks.hints import count_of
from pi_term.render.joined import JoinedLines
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.wrap import wrap_runs

_LENGTH_NOTE = "The answer reached the output limit and was cut off."


@dataclass(slots=True)
class _Part:
    """A text or a thought of the message. `length`: how much of it was taken from the message."""

    thinking: bool
    stream: MarkdownStream = field(default_factory=MarkdownStream)
    length: int = 0
    blank: bool = True

    def append(self, delta: str) -> None:
        self.stream.append(delta)
        self.length += len(delta)
        if self.blank and not delta.isspace():
            self.blank = not delta


class AssistantBlock(BaseBlock):
    """Text and thinking of an assistant message, in their order; tool calls are blocks of their own.

    Fed by deltas (`append_text`, `append_thinking`, `finish`) or by looking at the growing message
    (`show`), whatever suits; a message of the past is shown the same way.
    """

    __slots__ = ("_note", "_parts")

    def __init__(
        self,
        message: AssistantMessage | None = None,
        *,
        start: int = 0,
        stop: int | None = None,
        id: str | None = None,
    ) -> None:
        """`start` and `stop`: which part of the message's content the block is for."""
        super().__init__(id)
        self._parts: dict[int, _Part] = {}
        self._note: tuple[str, str] | None = None
        if message is not None:
            self.show(message, start, stop)

    def append_text(self, delta: str, index: int = 0) -> None:
        """Add to the text that is the content block `index`."""
        self._append(delta, index, thinking=False)

    def append_thinking(self, delta: str, index: int = 0) -> None:
        """Add to the thought that is the content block `index`."""
        self._append(delta, index, thinking=True)

    def finish(self, stop_reason: str = "stop", error_message: str | None = None) -> None:
        """The message is complete, or came to a bad end."""
        for part in self._parts.values():
            part.stream.finish()
        self._note = _note(stop_reason, error_message)
        self._touch()

    def show(self, message: AssistantMessage, start: int = 0, stop: int | None = None) -> None:
        """Take over what the content from `start` up to `stop` has come to.

        The note about a bad end belongs to the block that shows the end of the message.
        """
        final = message.stop_reason != "pending"
        content = message.content
        end = len(content) if stop is None else min(stop, len(content))
        for index in range(start, end):
            part = content[index]
            if isinstance(part, TextContent):
                self._follow(part.text, index, final, thinking=False)
            elif isinstance(part, ThinkingContent):
                self._follow(part.thinking, index, final, thinking=True)
        if final:
            last = end == len(content)
            self.finish(message.stop_reason if last else "stop", message.error_message)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show yet."""
        return self._note is None and all(part.blank for part in self._parts.values())

    def refine(self, budget: float) -> bool:
        """See `Refinable`."""
        waiting = [part.stream for part in self._parts.values() if part.stream.refinable]
        for stream in waiting:
            if stream.refine(budget):
                return True
            self._touch()
        return False

    def release(self) -> None:
        super().release()
        for part in self._parts.values():
            part.stream.release()

    def copy_text(self) -> str:
        return "\n\n".join(
            part.stream.text for part in self._parts.values() if not part.thinking and not part.blank
        )

    def estimate_height(self, width: int) -> int:
        shown = [part for part in self._parts.values() if not part.blank]
        rows = sum(1 + estimate_rows(part.stream.text, width - GUTTER) for part in shown)
        return rows + (2 if self._note else 0)

    def _append(self, delta: str, index: int, *, thinking: bool) -> None:
        part = self._parts.get(index)
        if part is None or part.thinking != thinking:
            part = self._parts[index] = _Part(thinking)
        part.append(delta)
        self._touch()

    def _follow(self, text: str, index: int, final: bool, *, thinking: bool) -> None:
        part = self._parts.get(index)
        if part is not None and final and part.length and not text.startswith(part.stream.text):
            # The finished message replaced what was streamed.
            del self._parts[index]
            part = None
        taken = part.length if part is not None else 0
        if len(text) > taken or part is None:
            self._append(text[taken:], index, thinking=thinking)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        parts: list[Sequence[Line]] = []
        for index, part in sorted(self._parts.items()):
            if not part.blank:
                parts.append((EMPTY_LINE,))
                parts.append(self._part_lines(part, width, view, index == max(self._parts)))
        if self._note is not None:
            parts.append((EMPTY_LINE,))
            parts.append(list(self._note_lines(width, view)))
        return JoinedLines(parts)

    def _part_lines(self, part: _Part, width: int, view: ViewOptions, last: bool) -> Sequence[Line]:
        if not part.thinking:
            return part.stream.lines(width, Look(view.theme, gutter=GUTTER))
        if view.hide_thinking:
            return self._hidden_thinking(part, width, view, last)
        look = Look(view.theme, "thinkingText", gutter=GUTTER, bar="┊", faint=True)
        return part.stream.lines(width, look)

    def _hidden_thinking(self, part: _Part, width: int, view: ViewOptions, last: bool) -> list[Line]:
        text = "Thinking…"
        if part.stream.finished or not last:
            text = f"Thought ({count_of(len(part.stream.text.split()), 'word')})"
        style = view.theme.style("thinkingText", italic=True)
        margin = Margin.of_mark(Segment("┊ ", view.theme.style("mdQuoteBorder")), width)
        return to_lines(wrap_runs([(text, style)], width - margin.cells), margin)

    def _note_lines(self, width: int, view: ViewOptions) -> Iterator[Line]:
        if self._note is None:
            return
        token, text = self._note
        style = view.theme.style(token)
        mark = "✗ " if token == "error" else "! "
        margin = Margin.of_mark(Segment(mark, style), width)
        yield from to_lines(wrap_runs([(sanitize(text), style)], width - margin.cells), margin)


def _note(stop_reason: str, error_message: str | None) -> tuple[str, str] | None:
    """Colour and words for the end of a message; None for a good one."""
    if stop_reason == "error":
        return "error", error_message or "The model's answer failed."
    if stop_reason == "aborted":
        return "warning", "Interrupted."
    if stop_reason == "length":
        return "warning", _LENGTH_NOTE
    return None
