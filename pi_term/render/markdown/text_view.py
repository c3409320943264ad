"""Paragraphs and headings."""

from __future__ import annotations

from pi_term.render.line import Line
from pi_term.render.margin import to_lines
from pi_term.render.markdown.inline import (
    BOLD,
    ITALIC,
    UNDERLINE,
    Environment,
    close_marks,
    parse_inline,
    styled,
)
from pi_term.render.markdown.leaf import Leaf
from pi_term.render.markdown.look import TASKS, Look, margin_of
from pi_term.render.markdown.view import Drawn
from pi_term.render.wrap import Run, wrap_runs

PIECE = 2000
"""Characters that are parsed together. Marks do not reach across the pieces of a longer paragraph, so
that its beginning is final while it grows."""


_CUTS_TRIED = 40
_HEADING_MARKS = {1: UNDERLINE, 4: ITALIC, 5: ITALIC, 6: ITALIC}


class TextView:
    """Draws a paragraph or a heading; of a long one only the last piece again."""

    def __init__(self, leaf: Leaf, width: int, look: Look, env: Environment) -> None:
        self._look = look
        self._env = env
        self._kind = leaf.kind
        self._task = _task_of(leaf)
        self._margin = margin_of(leaf, look, width, self._task)
        self._width = width - self._margin.cells
        self._token, self._marks = _text_colour(leaf, look)
        self._stable: list[Line] = []
        self._read = ""
        self._length_needed = 0
        self._pending: list[Run] = []

    def follows(self, leaf: Leaf) -> bool:
        return (
            leaf.kind == self._kind
            and _task_of(leaf) == self._task
            and len(text := leaf.text()) >= self._length_needed
            and text.startswith(self._read)
        )

    def draw(self, leaf: Leaf, *, growing: bool) -> Drawn:
        text = leaf.text().removeprefix(self._task)
        while len(text) - len(self._read) > PIECE:
            self._settle(text[len(self._read) : len(self._read) + PIECE])
        rest = text[len(self._read) :]
        runs = [*self._pending, *self._runs(close_marks(rest) if growing else rest)]
        rows = wrap_runs(runs or [("", self._look.style(self._token))], self._width)
        return [self._stable, to_lines(rows, self._margin, begin=not self._stable)]

    def _settle(self, window: str) -> None:
        """Draw the next piece for good, but for its last row, which goes on with the next piece."""
        piece = window[: _cut(window)]
        runs = [*self._pending, *self._runs(piece)]
        rows = wrap_runs(runs, self._width)
        self._stable.extend(to_lines(rows[:-1], self._margin, begin=not self._stable))
        self._pending = _after(runs, sum(len(row.source) + (not row.soft) for row in rows[:-1]))
        self._length_needed = len(self._read) + PIECE + 1
        self._read += piece

    def _runs(self, text: str) -> list[Run]:
        return styled(parse_inline(text, self._env), self._look, self._token, self._marks)


def _cut(window: str) -> int:
    """Where a piece ends: after a blank that is in no marks, if there is one in the second half."""
    last = at = max(window.rfind("\n"), window.rfind(" "))
    for _ in range(_CUTS_TRIED):
        if at <= len(window) // 2:
            break
        if not any(window.count(mark, 0, at) % 2 for mark in ("`", "**")):
            return at + 1
        at = max(window.rfind("\n", 0, at), window.rfind(" ", 0, at))
    return last + 1 if last > 0 else len(window)


def _task_of(leaf: Leaf) -> str:
    """The box of a task list's item, if the leaf is the first of such an item."""
    if leaf.kind != "paragraph" or not leaf.opening or leaf.path[-1].kind != "item":
        return ""
    start = next(leaf.all_lines(), "")[:4]
    return start if start in TASKS else ""


def _text_colour(leaf: Leaf, look: Look) -> tuple[str, int]:
    if leaf.kind == "heading":
        return "mdHeading", BOLD | _HEADING_MARKS.get(leaf.level, 0)
    if any(container.kind == "quote" for container in leaf.path):
        return "mdQuote", ITALIC
    return look.base, 0


def _after(runs: list[Run], offset: int) -> list[Run]:
    """The runs from a position in their text on."""
    rest: list[Run] = []
    for text, style in runs:
        if offset < len(text):
            rest.append((text[offset:], style))
        offset = max(0, offset - len(text))
    return rest
