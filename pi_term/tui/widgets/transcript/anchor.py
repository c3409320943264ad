"""Finding the line that is being read again after its block got other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_term.render.line import Line
    from pi_term.tui.widgets.transcript.items import Item


class Anchor:
    """The line at the top of the view: a line of an item, not a row counted from somewhere.

    `lines` are the rows the line was one of, made with `look` (width, expanded, thinking hidden).
    `place` is the text before it when it was set, so that any number of changes of width later the first
    line is found again, without drifting.
    """

    __slots__ = ("item", "line", "lines", "look", "place")

    def __init__(self, item: Item, line: int) -> None:
        self.item = item
        self.line = line
        self.lines: Sequence[Line] | None = None
        self.look: tuple[int, bool, bool] | None = None
        self.place: str | None = None

    def settle(self, lines: Sequence[Line], look: tuple[int, bool, bool]) -> None:
        """Move to the line in `lines` that is the old one."""
        old, self.lines = self.lines, lines
        rewrapped, self.look = look != self.look, look
        if old is None or old is lines or not lines:
            return
        if self.line <= 0 and not (rewrapped and self.place):
            return
        if rewrapped:  # the same index means nothing now
            line = self._by_place(old, lines)
            self.line = _by_text(old, self.line, lines) if line is None else line
            return
        if not _same(old, self.line, lines, self.line):
            self.place = None
            line = self._by_place(old, lines)
            self.line = _by_text(old, self.line, lines) if line is None else line
            self.place = None

    def _by_place(self, old: Sequence[Line], new: Sequence[Line]) -> int | None:
        """The new line that holds the text at the old line's start; None when the text before differs."""
        if self.place is None:
            self.place = "".join(_solid(line) for line in old[: self.line])
        place = self.place
        passed = 0
        for index, line in enumerate(new):
            text = _solid(line)
            if text and passed + len(text) > len(place):
                if text[: len(place) - passed] != place[passed:]:
                    return None
                return _step_back(old, self.line, new, index) if passed == len(place) else index
            if place[passed : passed + len(text)] != text:
                return None
            passed += len(text)
        return None


def _solid(line: Line) -> str:
    """The text of a row without blanks: what stays the same however it is wrapped."""
    return "".join(line.source_text.split())


def _step_back(old: Sequence[Line], old_line: int, new: Sequence[Line], index: int) -> int:
    """From a text row to the empty row before it, if the old line was such a one."""
    if old_line < len(old) and not _solid(old[old_line]) and index and not _solid(new[index - 1]):
        return index - 1
    return index


def _same(old: Sequence[Line], old_line: int, new: Sequence[Line], new_line: int) -> bool:
    if old_line >= len(old) or new_line >= len(new):
        return False
    return old[old_line] is new[new_line] or old[old_line].source_text == new[new_line].source_text


def _by_text(old: Sequence[Line], old_line: int, new: Sequence[Line]) -> int:
    """The nearest row with the same text, else the same index as far as there is one."""
    for distance in range(max(old_line, len(new)) + 1):
        for candidate in (old_line - distance, old_line + distance):
            if candidate >= 0 and _same(old, old_line, new, candidate):
                return candidate
    return min(old_line, len(new) - 1)
