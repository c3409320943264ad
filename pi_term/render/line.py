"""What every front end draws: rows of styled text that still know the text they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rich.segment import Segment

from pi_term.base.dataclass import dataclass

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent
    from pi_term.render.theme import Theme


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the screen.

    `segments` are what is drawn: decoration (bars, indentation, bullets' indentation, padding) and text,
    tabs expanded, never wider than the width it was made for.
    `source_text` is what the row stands for when it is copied: no decoration, no padding, tabs as tabs;
    it includes the blanks at which the row was wrapped.
    `soft_wrapped`: the row continues on the next one, so that no newline follows it when copied.
    `action_ids`: actions of the action table that a click on the row offers, the first by default.
    `indent`: how many cells of decoration stand before the row's own text.
    """

    segments: tuple[Segment, ...]
    source_text: str
    soft_wrapped: bool = False
    action_ids: tuple[str, ...] = ()
    indent: int = 0

    @property
    def cell_length(self) -> int:
        """Width of the drawn row in cells."""
        return sum(segment.cell_length for segment in self.segments)

    @property
    def text(self) -> str:
        """The drawn text, decoration and padding included."""
        return "".join(segment.text for segment in self.segments)


EMPTY_LINE = Line((), "")


class Redrawn(Protocol):
    """What is drawn anew when a picture of it is ready."""

    @property
    def id(self) -> str:
        """The id of the block."""

    def redraw(self) -> None:
        """Some of it looks different now."""


class Pictures(Protocol):
    """Draws images, where the terminal can show them. `version` differs between any two."""

    @property
    def version(self) -> int:
        """Rows made with another version show nothing now."""

    def rows(self, image: ImageContent, width: int, asker: Redrawn) -> Sequence[Sequence[Segment]] | None:
        """The cells of an image, row by row, at most `width` wide; None where only words can tell of it.

        While an image is not ready, its rows are empty; `asker` is told when it is.
        """


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How blocks are looked at.

    `expanded` and `hide_thinking` are those of the block that is asked, so that one block can be opened
    alone. `now` is in seconds, on the clock whose values are given to `ToolBlock.start`. `expand_key`
    is the key of `app.tools.expand` as people read it. Without `pictures` images are told of in words.
    """

    theme: Theme
    expanded: bool = False
    hide_thinking: bool = False
    now: float = 0.0
    expand_key: str = "ctrl+o"
    pictures: Pictures | None = None


@runtime_checkable
class Block(Protocol):
    """One item of the transcript: a message, a tool call, a notice.

    A block brings its own spacing: an empty line before itself. What holds blocks puts nothing between
    them. A block with nothing to show has no lines at all.
    """

    @property
    def id(self) -> str:
        """Unique within a transcript."""

    @property
    def version(self) -> int:
        """Grows whenever the look of the block changes."""

    @property
    def expandable(self) -> bool:
        """Whether `expanded` makes a difference."""

    @property
    def continues(self) -> bool:
        """Whether it goes on with what the block before began, and has the same text to copy."""

    def lines(self, width: int, view: ViewOptions) -> Sequence[Line]:
        """The rows at this width (at least 1).

        The sequence never changes after it was returned. Rows that are the same object as in an earlier
        answer look the same, so that what was made of them can be kept.
        """

    def estimate_height(self, width: int) -> int:
        """About how many rows `lines` has when not expanded, without making them."""

    def copy_text(self) -> str:
        """The original text of the whole block: Markdown of a message, output of a tool."""


@runtime_checkable
class Refinable(Protocol):
    """A block whose rows get better with idle time: the colours of very long code."""

    def refine(self, budget: float) -> bool:
        """Work about `budget` seconds; True while more is left. `version` grows when the look changed."""


def copied_text(lines: Iterable[Line]) -> str:
    """The text that whole rows stand for, as it should reach the clipboard."""
    parts: list[str] = []
    newline = ""
    for line in lines:
        parts.append(newline)
        parts.append(line.source_text if line.soft_wrapped else line.source_text.rstrip(" "))
        newline = "" if line.soft_wrapped else "\n"
    return "".join(parts)
