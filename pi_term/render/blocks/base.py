"""What all blocks share: identity, version, and rows that are kept until the look changes."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from itertools import count

from rich.segment import Segment
from rich.style import Style

from pi_term.render.line import Line, ViewOptions

GUTTER = 2
"""Cells before the text of every block: room for its mark."""
KEPT = 200
"""How many blocks keep what they made for their rows."""
EXPAND_ACTION = "app.tools.expand"
THINKING_ACTION = "app.thinking.toggle"

_numbers = count(1)


class BaseBlock(ABC):
    """Identity, version and the rows of the last look."""

    __slots__ = ("__weakref__", "_key", "_rows", "_version", "id")
    has_markdown = False
    """Whether there may be pieces of code in the rows, each between two rules."""

    def __init__(self, id: str | None = None) -> None:
        self.id: str = id or f"{type(self).__name__}-{next(_numbers)}"
        self._version = 0
        self._key: Hashable = None
        self._rows: Sequence[Line] = ()

    @property
    def version(self) -> int:
        """Grows whenever the look of the block changes."""
        return self._version

    @property
    def expandable(self) -> bool:
        """Whether `expanded` makes a difference."""
        return False

    @property
    def continues(self) -> bool:
        """Whether it goes on with what the block before began, and has the same text to copy."""
        return False

    def lines(self, width: int, view: ViewOptions) -> Sequence[Line]:
        """The rows at this width, an empty one first; see `Block`."""
        pictures = 0 if view.pictures is None else view.pictures.version
        look = (view.theme.version, view.expanded, view.hide_thinking, view.expand_key, pictures)
        key = (self._version, width, *look)
        if key != self._key:
            self._rows = self._draw(max(1, width), view)
            self._key = key
        _recent.touch(self)
        return self._rows

    def release(self) -> None:
        """Forget what can be made again."""
        self._key = None
        self._rows = ()

    def redraw(self) -> None:
        """Something that is drawn in it looks different now."""
        self._touch()

    def _touch(self) -> None:
        self._version += 1

    @abstractmethod
    def estimate_height(self, width: int) -> int:
        """About how many rows the block has."""

    @abstractmethod
    def copy_text(self) -> str:
        """The original text."""

    def search_text(self) -> str:
        """All text that somebody may look for in the block, also what is seen only when it is opened."""
        return self.copy_text()

    @abstractmethod
    def _draw(self, width: int, view: ViewOptions) -> Sequence[Line]:
        """Make the rows."""


class _Recent:
    """The blocks that were drawn last; what falls out of the list is told to release its rows."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, weakref.ref[BaseBlock]] = OrderedDict()

    def touch(self, block: BaseBlock) -> None:
        key = id(block)
        known = self._blocks.get(key)
        if known is not None and known() is block:
            self._blocks.move_to_end(key)
            return
        self._blocks[key] = weakref.ref(block)
        while len(self._blocks) > KEPT:
            _, oldest = self._blocks.popitem(last=False)
            if (forgotten := oldest()) is not None:
                forgotten.release()


_recent = _Recent()


def estimate_rows(text: str, width: int) -> int:
    """About how many rows a text takes."""
    if not text:
        return 0
    return text.count("\n") + 1 + len(text) // max(1, width)


def padded(line: Line, width: int, style: Style) -> Line:
    """The row filled up to `width` cells with the ground of `style`."""
    gap = width - line.cell_length
    if gap <= 0:
        return line
    segments = (*line.segments, Segment(" " * gap, style))
    return Line(segments, line.source_text, line.soft_wrapped, line.action_ids, line.indent)
