"""A Markdown text that arrives in pieces, drawn at any width.

Everything but the last block is final; what is drawn of it is kept for the width and theme last asked
for. The same text gives the same rows, however it was cut into pieces.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import field, replace
from typing import TypeAlias

from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize
from pi_term.render.highlight import Highlighter, lexer_for_language
from pi_term.render.joined import JoinedLines
from pi_term.render.line import Line
from pi_term.render.markdown.block_parser import BlockParser
from pi_term.render.markdown.code_view import CodeView
from pi_term.render.markdown.inline import Environment, take_definitions
from pi_term.render.markdown.leaf import Leaf
from pi_term.render.markdown.look import Look, LookKey, separator
from pi_term.render.markdown.table_view import TableView
from pi_term.render.markdown.text_view import TextView
from pi_term.render.markdown.view import Drawn, RuleView, View

_Shape: TypeAlias = tuple[object, ...]
"""What two leaves have in common if the one can be the beginning of the other."""

# After one empty line, a line that continues nothing before it, unless that is code between fences: it is
# not indented, is no item or quote (which may go on a list or a quote), and defines no link.
_FRESH_LINE = re.compile(r"(?<=[^\n]\n\n)(?=[^\W\d_]|[#`~|]|\*\*\w)")


@dataclass(slots=True)
class _Layout:
    """Rows for one width and look: those of the closed leaves, and the views of the others."""

    width: int
    key: LookKey
    references: int
    rows: list[Line] = field(default_factory=list)
    drawn: int = 0
    last: Leaf | None = None
    views: dict[int, tuple[_Shape, View]] = field(default_factory=dict)


class MarkdownStream:
    """Collects a text and draws it. Nothing is parsed before rows are asked for."""

    def __init__(self, text: str = "", *, finished: bool = False, env: Environment | None = None) -> None:
        """`env`: the link definitions of the text that this one goes on, to which it adds its own."""
        self._received: list[str] = [text] if text else []
        self._finished = finished
        self._env: Environment = {} if env is None else env
        self._reset()

    def _reset(self) -> None:
        self._read = 0  # characters: the lines up to there were read
        self._searched = 0  # and up to there is no place to part the text
        self._partial = ""
        self._parser = BlockParser()
        self._closed: list[Leaf] = []
        self._ended = False
        self._code: dict[int, Highlighter] = {}
        self._behind: dict[int, Leaf] = {}
        self._layout: _Layout | None = None

    @property
    def text(self) -> str:
        """All that was received, as it was received."""
        if len(self._received) > 1:
            self._received = ["".join(self._received)]
        return self._received[0] if self._received else ""

    @property
    def finished(self) -> bool:
        """Whether the text is complete."""
        return self._finished

    @property
    def references(self) -> int:
        """How many links were defined so far. Each may change how the text looks, also above it."""
        return len(self._env.get("references", ()))

    def append(self, delta: str) -> None:
        """Add text at the end."""
        if delta:
            self._received.append(delta)

    def finish(self) -> None:
        """Nothing more will come."""
        self._finished = True

    def release(self) -> None:
        """Forget everything but the text; it is parsed again when rows are asked for."""
        self._received = [self.text]
        self._reset()

    def part(self, size: int) -> MarkdownStream | None:
        """End behind `size` characters, where a block begins that depends on nothing before it, and return
        what follows; None while there is no such place. To be asked whenever text was added.

        Drawn one below the other, with an empty row between, the two look like the whole.
        """
        text = self.text
        for match in _FRESH_LINE.finditer(text, max(size, self._searched)):
            self._read_lines(text, match.start())
            if not self._parser.in_fence:
                self._received = [text[: match.start()]]
                self._finished = True
                self._advance()
                return MarkdownStream(text[match.start() :], env=self._env)
        self._searched = len(text)
        self._advance()
        return None

    def lines(self, width: int, look: Look) -> Sequence[Line]:
        """The rows of the text so far."""
        self._advance()
        layout = self._layout
        asked = (width, look.key, self.references)
        if layout is None or (layout.width, layout.key, layout.references) != asked:
            layout = self._layout = _Layout(*asked)
        while layout.drawn < len(self._closed):
            leaf = self._closed[layout.drawn]
            for part in self._draw(leaf, layout, look, layout.last, growing=False):
                layout.rows.extend(part)
            layout.last = leaf
            layout.drawn += 1
        parts = [layout.rows, *self._draw_open(layout, look)]
        return JoinedLines(parts)

    def refine(self, budget: float) -> bool:
        """Colour code that was too long to be coloured at once, for about `budget` seconds.

        True while some is left. When a piece is done, `lines` draws it.
        """
        deadline = time.perf_counter() + budget
        for uid, leaf in list(self._behind.items()):
            highlighter = self._code[uid]
            while highlighter.received < len(leaf.lines):
                if time.perf_counter() > deadline:
                    return True
                highlighter.push(leaf.lines[highlighter.received])
            del self._behind[uid]
            if self._parser.leaf is None or leaf.lines is not self._parser.leaf.lines:
                self._layout = None  # its rows were kept; those of an open leaf are asked for each time
        return False

    @property
    def refinable(self) -> bool:
        """Whether `refine` has something to do."""
        return bool(self._behind)

    # -- reading -----------------------------------------------------------------------------------

    def _advance(self) -> None:
        text = self.text
        if self._read + len(self._partial) < len(text):
            self._read_lines(text, text.rfind("\n") + 1)
            self._partial = text[self._read :]
        if self._finished and not self._ended:
            self._ended = True
            if self._partial:
                self._parser.feed(sanitize(self._partial))
            self._parser.finish()
        for leaf in self._parser.take_closed():
            self._closed.extend(_without_definitions(leaf, self._env))

    def _read_lines(self, text: str, end: int) -> None:
        """Read the lines up to `end`, the beginning of a line."""
        if end > self._read:
            for line in sanitize(text[self._read : end - 1]).split("\n"):
                self._parser.feed(line)
            self._read = end
            self._partial = ""

    # -- drawing -----------------------------------------------------------------------------------

    def _draw_open(self, layout: _Layout, look: Look) -> Drawn:
        """The rows of what is not closed yet, as if the text ended here."""
        if self._ended:
            layout.views.clear()
            return []
        tried = self._parser.try_line(sanitize(self._partial) if self._partial else None)
        env: Environment = {"references": dict(self._env.get("references", {}))}
        leaves = [each for leaf in tried for each in _without_definitions(leaf, env)]
        layout.views = {leaf.uid: layout.views[leaf.uid] for leaf in leaves if leaf.uid in layout.views}
        parts: Drawn = []
        last = layout.last
        for index, leaf in enumerate(leaves):
            growing = index == len(leaves) - 1
            parts.extend(self._draw(leaf, layout, look, last, growing=growing))
            last = leaf
        return parts

    def _draw(self, leaf: Leaf, layout: _Layout, look: Look, last: Leaf | None, *, growing: bool) -> Drawn:
        shape = _shape(leaf)
        known, view = layout.views.get(leaf.uid, (None, None))
        if view is None or known != shape or not view.follows(leaf):
            view = self._new_view(leaf, layout.width, look)
            layout.views[leaf.uid] = (shape, view)
        parts = view.draw(leaf, growing=growing)
        if leaf.uid in self._code:
            self._note_progress(leaf)
        if last is not None and (leaf.blank_before or leaf.block != last.block):
            return [[separator(last, leaf, look, layout.width)], *parts]
        return parts

    def _note_progress(self, leaf: Leaf) -> None:
        highlighter = self._code[leaf.uid]
        if highlighter.colours and highlighter.received < len(leaf.lines):
            self._behind[leaf.uid] = leaf
        else:
            self._behind.pop(leaf.uid, None)

    def _new_view(self, leaf: Leaf, width: int, look: Look) -> View:
        if leaf.kind == "code":
            return CodeView(leaf, width, look, self._highlighter(leaf))
        if leaf.kind == "table":
            return TableView(leaf, width, look, self._env)
        if leaf.kind == "rule":
            return RuleView(leaf, width, look)
        return TextView(leaf, width, look, self._env)

    def _highlighter(self, leaf: Leaf) -> Highlighter:
        """The colours of a piece of code, kept for other widths."""
        known = self._code.get(leaf.uid)
        if known is not None:
            return known
        known = Highlighter(lexer_for_language(leaf.info) if leaf.fence else None)
        still_open = self._parser.leaf
        if leaf.lines or (still_open is not None and leaf.lines is still_open.lines):
            self._code[leaf.uid] = known
        # Else its fence may still be growing, and with it the name of the language.
        return known


def _shape(leaf: Leaf) -> _Shape:
    path = tuple((each.kind, each.uid, each.marker) for each in leaf.path)
    return (leaf.kind, leaf.level, leaf.opening, leaf.info, leaf.fence, path)


def _without_definitions(leaf: Leaf, env: Environment) -> list[Leaf]:
    """The leaf without the link definitions it begins with, which go to `env`; none if nothing is left."""
    if leaf.kind != "paragraph" or not next(leaf.all_lines(), "").startswith("["):
        return [leaf]
    text = leaf.text()
    rest = take_definitions(text, env)
    if rest == text:
        return [leaf]
    if not rest and not leaf.opening:
        return []
    return [replace(leaf, lines=rest.split("\n"), partial=None)]
