"""What a model said and thought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from rich.segment import Segment

from pi_term.ai.messages import AssistantMessage, AssistantPart, TextContent, ThinkingContent, ToolCall
from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize
from pi_term.render.blocks.base import GUTTER, THINKING_ACTION, BaseBlock, estimate_rows
from pi_term.render.blocks.hints import count_of
from pi_term.render.joined import JoinedLines
from pi_term.render.line import EMPTY_LINE, Line, ViewOptions
from pi_term.render.margin import Margin, to_lines
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.render.wrap import wrap_runs

SECTION = 1_500
"""Characters of an answer after which it goes on in another block, as soon as one may begin: of an answer
that is longer than the screen, only what is looked at is ever drawn."""
_LENGTH_NOTE = "The answer reached the output limit and was cut off."


@dataclass(slots=True)
class _Part:
    """A text or a thought of the message, of so many characters and newlines.

    `start`: how many characters of it are in earlier sections.
    """

    thinking: bool
    stream: MarkdownStream = field(default_factory=MarkdownStream)
    start: int = 0
    length: int = 0
    newlines: int = 0
    blank: bool = True

    def __post_init__(self) -> None:
        self._count(self.stream.text)

    def append(self, delta: str) -> None:
        self.stream.append(delta)
        self._count(delta)

    def part(self) -> _Part | None:
        """Give what follows the first `SECTION` characters to another part, if it can stand alone."""
        rest = self.stream.part(SECTION)
        if rest is None:
            return None
        self.length = self.newlines = 0
        self._count(self.stream.text)
        return _Part(self.thinking, rest, self.start + self.length)

    def _count(self, delta: str) -> None:
        self.length += len(delta)
        self.newlines += delta.count("\n")
        if self.blank and not delta.isspace():
            self.blank = not delta


class AssistantBlock(BaseBlock):
    """Text and thinking of an assistant message, in their order; tool calls are blocks of their own.

    Fed by deltas (`append_text`, `append_thinking`, `finish`) or by looking at the growing message
    (`show`), whatever suits; a message of the past is shown the same way. What grows long may `go_on` in
    another block, its next section.
    """

    __slots__ = ("_known_parts", "_note", "_past", "_retried", "_sections")
    has_markdown = True

    def __init__(
        self,
        message: AssistantMessage | None = None,
        *,
        start: int = 0,
        stop: int | None = None,
        id: str | None = None,
    ) -> None:
        """`start` and `stop`: which part of the message's content the block is for.

        Without `stop` it reaches to the next tool call, if there is one.
        """
        super().__init__(id)
        self._known_parts: dict[int, _Part] | None = None
        self._note: tuple[str, str] | None = None
        self._retried = False
        self._sections = [self]  # those of the answer, oldest first; they share the list
        # A message of the past is taken apart when it is first looked at: sessions have many of them.
        self._past: tuple[AssistantMessage, int, int | None] | None = None
        if message is not None:
            self._past = (message, start, stop)
            self._note = _note_of(message, start, stop)

    @property
    def _parts(self) -> dict[int, _Part]:
        parts = self._known_parts
        if parts is None:
            parts = self._known_parts = {}
            if self._past is not None:
                past, self._past = self._past, None
                version = self._version
                self.show(*past)
                self._version = version  # nothing looks different now
        return parts

    def append_text(self, delta: str, index: int = 0) -> None:
        """Add to the text that is the content block `index`."""
        self._append(delta, index, thinking=False)

    def append_thinking(self, delta: str, index: int = 0) -> None:
        """Add to the thought that is the content block `index`."""
        self._append(delta, index, thinking=True)

    def go_on(self) -> tuple[AssistantBlock, int] | None:
        """The next section of an answer that grew long, and the content block that it goes on with.

        None while it is short, or where it cannot be parted. To be asked whenever text was added, and when it
        has ended; what follows is added to the new one.
        """
        index = max(self._parts, default=0)
        growing = self._parts.get(index)
        if growing is None or growing.thinking:
            return None
        references = growing.stream.references
        rest = growing.part()
        if growing.stream.references != references:
            # Sections above may refer to the new definitions.
            for section in self._sections:
                section._touch()
        if rest is None:
            return None
        self._touch()
        section = AssistantBlock()
        section._parts[index] = rest
        section._sections = self._sections
        self._sections.append(section)
        return section, index

    @property
    def sections(self) -> Sequence[AssistantBlock]:
        """All sections of the answer, oldest first."""
        return self._sections

    @property
    def continues(self) -> bool:
        """Whether this is not the first section."""
        return self._sections[0] is not self

    def holds(self, message: AssistantMessage) -> bool:
        """Whether the message still says what the sections say. (One that is alone mends itself.)"""
        return len(self._sections) == 1 or all(
            index < len(message.content)
            and _text(message.content[index]).startswith(part.stream.text, part.start)
            for section in self._sections
            for index, part in section._parts.items()
        )

    def finish(self, stop_reason: str = "stop", error_message: str | None = None) -> None:
        """The message is complete, or came to a bad end."""
        self._finish(_note(stop_reason, error_message))

    def show(self, message: AssistantMessage, start: int = 0, stop: int | None = None) -> None:
        """Take over what the content from `start` up to `stop` (or the next tool call) has come to.

        The note about a bad end belongs to the block that shows the end of the message.
        """
        self.follow(message, start, stop)
        if message.stop_reason != "pending":
            self._finish(_note_of(message, start, stop))

    def follow(self, message: AssistantMessage, start: int = 0, stop: int | None = None) -> None:
        """Like `show`, but more may be added, whatever the message says of its end."""
        final = message.stop_reason != "pending"
        for index in range(start, _end(message, start, stop)):
            part = message.content[index]
            if isinstance(part, TextContent):
                self._follow(part.text, index, final, thinking=False)
            elif isinstance(part, ThinkingContent):
                self._follow(part.thinking, index, final, thinking=True)

    @property
    def retried(self) -> bool:
        """Whether another answer was asked for, since this one ended badly."""
        return self._retried

    @retried.setter
    def retried(self, retried: bool) -> None:
        self._retried = retried
        self._touch()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show yet."""
        if self._past is not None:
            message, start, stop = self._past
            return self._note is None and not any(map(_says, _content(message, start, stop)))
        return self._note is None and all(part.blank for part in self._parts.values())

    def refine(self, budget: float) -> bool:
        """See `Refinable`."""
        if self._past is not None:
            return False
        waiting = [part.stream for part in self._parts.values() if part.stream.refinable]
        for stream in waiting:
            if stream.refine(budget):
                return True
            self._touch()
        return False

    def release(self) -> None:
        super().release()
        if self._past is None:
            for part in self._parts.values():
                part.stream.release()

    def copy_text(self) -> str:
        """The text of the whole answer, whichever section is asked."""
        texts: dict[int, str] = {}
        for section in self._sections:
            for index, part in section._parts.items():
                if not part.thinking:
                    texts[index] = texts.get(index, "") + part.stream.text
        return "\n\n".join(text for text in texts.values() if text and not text.isspace())

    def search_text(self) -> str:
        if self._past is not None:
            texts = [_text(part) for part in _content(*self._past)]
        else:
            texts = [part.stream.text for part in self._parts.values()]
        return "\n\n".join([*texts, self._note[1]] if self._note else texts)

    def estimate_height(self, width: int) -> int:
        rows = 2 if self._note else 0
        room = max(1, width - GUTTER)
        if self._past is not None:
            message, start, stop = self._past
            texts = [_text(part) for part in _content(message, start, stop) if _says(part)]
            return rows + sum(1 + estimate_rows(text, room) for text in texts)
        shown = [part for part in self._parts.values() if not part.blank]
        return rows + sum(2 + part.newlines + part.length // room for part in shown)

    def _finish(self, note: tuple[str, str] | None) -> None:
        for part in self._parts.values():
            part.stream.finish()
        self._note = note
        self._touch()

    def _append(self, delta: str, index: int, *, thinking: bool) -> None:
        part = self._parts.get(index)
        if part is None or part.thinking != thinking:
            part = self._parts[index] = _Part(thinking)
        part.append(delta)
        self._touch()

    def _follow(self, text: str, index: int, final: bool, *, thinking: bool) -> None:
        part = self._parts.get(index)
        if part is not None and final and part.length and not text.startswith(part.stream.text, part.start):
            # The finished message replaced what was streamed.
            del self._parts[index]
            part = None
        taken = part.start + part.length if part is not None else 0
        if len(text) > taken or part is None:
            self._append(text[taken:], index, thinking=thinking)

    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        parts: list[Sequence[Line]] = []
        for index, part in sorted(self._parts.items()):
            lines = () if part.blank else self._part_lines(part, width, view, index == max(self._parts))
            if lines:  # text that only defines links shows nothing
                parts.append((EMPTY_LINE,))
                parts.append(lines)
        if self._note is not None:
            parts.append((EMPTY_LINE,))
            parts.append(list(self._note_lines(width, view)))
        return JoinedLines(parts)

    def _part_lines(self, part: _Part, width: int, view: ViewOptions, last: bool) -> Sequence[Line]:
        if not part.thinking:
            return part.stream.lines(width, Look(view.theme, gutter=GUTTER))
        if view.hide_thinking:
            return self._hidden_thinking(part, width, view, last)
        actions = (THINKING_ACTION,)
        look = Look(view.theme, "thinkingText", gutter=GUTTER, bar="┊", faint=True, actions=actions)
        return part.stream.lines(width, look)

    def _hidden_thinking(self, part: _Part, width: int, view: ViewOptions, last: bool) -> list[Line]:
        text = "Thinking…"
        if part.stream.finished or not last:
            text = f"Thought ({count_of(len(part.stream.text.split()), 'word')})"
        style = view.theme.style("thinkingText", italic=True)
        margin = Margin.of_mark(Segment("┊ ", view.theme.style("mdQuoteBorder")), width)
        return to_lines(wrap_runs([(text, style)], width - margin.cells), margin, actions=(THINKING_ACTION,))

    def _note_lines(self, width: int, view: ViewOptions) -> Iterator[Line]:
        if self._note is None:
            return
        token, text = self._note
        mark = "✗ " if token == "error" else "! "
        if self._retried:
            text = f"failed, tried again: {text}" if token == "error" else "cut off, tried again"
            token, mark = "dim", "↻ "
        style = view.theme.style(token)
        margin = Margin.of_mark(Segment(mark, style), width)
        yield from to_lines(wrap_runs([(sanitize(text), style)], width - margin.cells), margin)


def _text(part: AssistantPart) -> str:
    if isinstance(part, TextContent):
        return part.text
    return part.thinking if isinstance(part, ThinkingContent) else ""


def _says(part: AssistantPart) -> bool:
    text = _text(part)
    return bool(text) and not text.isspace()


def _end(message: AssistantMessage, start: int, stop: int | None) -> int:
    """Where the part of the content ends that begins at `start`."""
    size = len(message.content)
    if stop is not None:
        return min(stop, size)
    calls = (index for index in range(start, size) if isinstance(message.content[index], ToolCall))
    return next(calls, size)


def _content(message: AssistantMessage, start: int, stop: int | None) -> list[AssistantPart]:
    return message.content[start : _end(message, start, stop)]


def _note_of(message: AssistantMessage, start: int, stop: int | None) -> tuple[str, str] | None:
    """The note for a message's end, for the block that shows this end."""
    if _end(message, start, stop) < len(message.content):
        return None
    return _note(message.stop_reason, message.error_message)


def _note(stop_reason: str, error_message: str | None) -> tuple[str, str] | None:
    """Colour and words for the end of a message; None for a good one."""
    if stop_reason == "error":
        return "error", error_message or "The model's answer failed."
    if stop_reason == "aborted":
        return "warning", "Interrupted."
    if stop_reason == "length":
        return "warning", _LENGTH_NOTE
    return None
