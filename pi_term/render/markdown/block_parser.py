"""Block structure of Markdown, line by line.

CommonMark's rules with GFM tables: every line is looked at once, closed leaves never change, and the
state is small enough to be forked, so that a line that is still growing can be tried out. Raw HTML is
plain text here.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace

from pi_term.render.markdown.cursor import Cursor
from pi_term.render.markdown.leaf import Container, Leaf, LeafKind
from pi_term.render.markdown.tables import table_aligns, table_cells

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*))?\Z")
_HEADING_END = re.compile(r"(?:^|[ \t]+)#+[ \t]*\Z")
_FENCE = re.compile(r"(`{3,})([^`]*)\Z|(~{3,})(.*)\Z")
_SETEXT = re.compile(r"(=+|-+)[ \t]*\Z")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_ITEM = re.compile(r"([*+-]|(\d{1,9})([.)]))(?=[ \t]|\Z)")
_CODE_INDENT = 4


class BlockParser:
    """Reads complete lines (without their newline); `closed` collects the leaves that are finished."""

    def __init__(self) -> None:
        self.closed: list[Leaf] = []
        self.leaf: Leaf | None = None
        self._open: list[Container] = []
        self._blank = False
        self._count = 0
        self._trial = False

    @property
    def in_fence(self) -> bool:
        """Whether fenced code is open that the next line belongs to, however it begins."""
        leaf = self.leaf
        return leaf is not None and leaf.fence != "" and not leaf.path

    def try_line(self, line: str | None) -> list[Leaf]:
        """The leaves that are open or new if the text ended here, after `line` if that is not None.

        Nothing of it is remembered.
        """
        fork = BlockParser()
        fork.leaf = self.leaf
        fork._open = [copy(container) for container in self._open]
        fork._blank = self._blank
        fork._count = self._count
        fork._trial = True
        if line is not None:
            fork.feed(line)
        fork.finish()
        return fork.closed

    def finish(self) -> None:
        """The text ends: everything is closed."""
        self._close_to(0)

    def take_closed(self) -> list[Leaf]:
        """The leaves that were finished since the last call."""
        closed, self.closed = self.closed, []
        return closed

    def feed(self, line: str) -> None:
        """Read the next line."""
        cursor = Cursor(line)
        depth = self._match_containers(cursor)
        blank = cursor.blank
        if self._continue_code(cursor, depth):
            self._blank = blank
            return
        opened = self._start_blocks(cursor, depth)
        self._blank = blank and not opened

    # -- what is open ------------------------------------------------------------------------------

    def _match_containers(self, cursor: Cursor) -> int:
        """How many of the open containers this line continues; their marks are read."""
        for depth, container in enumerate(self._open):
            if container.kind == "quote":
                if not _read_quote_mark(cursor):
                    return depth
            elif container.kind == "item":
                if cursor.blank:
                    if not container.filled:
                        return depth
                elif cursor.indent >= container.offset:
                    cursor.skip(container.offset)
                else:
                    return depth
        return len(self._open)

    def _continue_code(self, cursor: Cursor, depth: int) -> bool:
        leaf = self.leaf
        if leaf is None or leaf.kind != "code" or depth < len(self._open):
            return False
        if leaf.fence:
            if cursor.indent < _CODE_INDENT and _closes(leaf.fence, cursor.text.strip(" \t")):
                self._close_leaf()
            else:
                cursor.skip(leaf.fence_indent)
                self._append(cursor.text)
            return True
        if cursor.blank or cursor.indent >= _CODE_INDENT:
            cursor.skip(_CODE_INDENT)
            self._append(cursor.text)
            return True
        return False

    def _start_blocks(self, cursor: Cursor, depth: int) -> bool:
        """Open what begins in this line and add its text; whether a container was opened."""
        opened = False
        while not cursor.blank:
            if cursor.indent >= _CODE_INDENT:
                if self._in_paragraph():
                    break
                self._close_to(self._parent(depth))
                cursor.skip(_CODE_INDENT)
                self._add_leaf("code")
                self._append(cursor.text)
                return opened
            rest = cursor.text.lstrip(" \t")
            if rest[0] == ">":
                self._close_to(self._parent(depth))
                self._push(Container("quote", self._uid()))
                _read_quote_mark(cursor)
            elif self._start_leaf(rest, cursor.indent, depth):
                return opened
            elif not self._start_item(cursor, rest, depth):
                break
            depth = len(self._open)
            opened = True
        self._add_text(cursor, depth)
        return opened

    def _add_text(self, cursor: Cursor, depth: int) -> None:
        """Add what is left of a line, which begins nothing, to the open leaf or to a new paragraph."""
        if cursor.blank:
            self._close_to(depth)
            return
        text = cursor.text.lstrip(" \t")
        regular = depth == len(self._open) and cursor.indent < _CODE_INDENT
        if self._in_paragraph():
            # Even if the containers do not go on: a paragraph may be continued lazily.
            self._append(text, regular)
        elif self.leaf is not None and self.leaf.kind == "table" and regular:
            self._append(text)
        else:
            self._close_to(self._parent(depth))
            self._add_leaf("paragraph")
            self._append(text)

    # -- what begins -------------------------------------------------------------------------------

    def _start_leaf(self, rest: str, indent: int, depth: int) -> bool:
        """Begin a heading, fence, table or rule if `rest` is one."""
        if match := _HEADING.match(rest):
            self._close_to(self._parent(depth))
            self._add_leaf("heading", level=len(match[1]))
            self._append(_HEADING_END.sub("", match[2] or "").strip(" \t"))
            self._close_leaf()
            return True
        if match := _FENCE.match(rest):
            self._close_to(self._parent(depth))
            info = (match[2] or match[4] or "").strip()
            self._add_leaf("code", info=info, fence=match[1] or match[3], fence_indent=indent)
            return True
        if self._in_paragraph() and depth == len(self._open) and self._change_paragraph(rest):
            return True
        if _RULE.match(rest):
            self._close_to(self._parent(depth))
            self._add_leaf("rule")
            self._close_leaf()
            return True
        return False

    def _change_paragraph(self, rest: str) -> bool:
        """Make the open paragraph a table or a heading if `rest` is the line under such a one."""
        leaf = self.leaf
        if leaf is None:
            return False
        aligns = table_aligns(rest)
        header = leaf.lines[-1]
        if aligns and leaf.header_possible and "|" in header and len(table_cells(header)) == len(aligns):
            before = leaf.lines[:-1]
            table = replace(leaf, kind="table", lines=[header, rest], aligns=aligns)
            if before:
                self.leaf = replace(leaf, lines=before)
                self._close_leaf()
                table = replace(table, uid=self._uid(), opening=0, blank_before=False)
            self.leaf = table
            return True
        if match := _SETEXT.match(rest):
            self.leaf = replace(leaf, kind="heading", level=1 if match[1][0] == "=" else 2)
            self._close_leaf()
            return True
        return False

    def _start_item(self, cursor: Cursor, rest: str, depth: int) -> bool:
        match = _ITEM.match(rest)
        if match is None:
            return False
        after = rest[match.end() :]
        if self._in_paragraph() and depth == len(self._open):
            number = match[2]
            if not after.strip(" \t") or (number and int(number) != 1):
                return False
        offset = cursor.indent + match.end()
        cursor.skip(cursor.indent)
        cursor.take(match.end())
        gap = cursor.indent
        if cursor.blank or gap > _CODE_INDENT:
            gap = 1
        cursor.skip(gap)
        self._push_item(match, offset + gap, depth)
        return True

    def _push_item(self, match: re.Match[str], offset: int, depth: int) -> None:
        delimiter = match[3] or match[1]
        parent = self._open[depth - 1] if depth else None
        if parent is None or parent.kind != "list" or parent.delimiter != delimiter:
            self._close_to(self._parent(depth))
            number = int(match[2]) if match[2] else 0
            self._push(Container("list", self._uid(), delimiter=delimiter, number=number))
        else:
            self._close_to(depth)
        siblings = self._open[-1]
        marker = f"{siblings.number}{delimiter}" if match[2] else delimiter
        siblings.number += 1
        self._push(Container("item", self._uid(), offset=offset, marker=marker))

    # -- changing the state ------------------------------------------------------------------------

    def _in_paragraph(self) -> bool:
        return self.leaf is not None and self.leaf.kind == "paragraph"

    def _parent(self, depth: int) -> int:
        """Depth at which something that is no list item can be added: a list holds items only."""
        return depth - 1 if depth and self._open[depth - 1].kind == "list" else depth

    def _uid(self) -> int:
        self._count += 1
        return self._count

    def _push(self, container: Container) -> None:
        if self._open:
            self._open[-1].filled = True
        self._open.append(container)

    def _add_leaf(
        self, kind: LeafKind, *, level: int = 0, info: str = "", fence: str = "", fence_indent: int = 0
    ) -> None:
        opening = 0
        for container in reversed(self._open):
            if container.used:
                break
            opening += 1
        for container in self._open:
            container.used = container.filled = True
        self.leaf = Leaf(
            kind,
            self._uid(),
            tuple(self._open),
            opening,
            self._blank,
            level=level,
            info=info,
            fence=fence,
            fence_indent=fence_indent,
        )

    def _append(self, line: str, header_possible: bool = True) -> None:
        leaf = self.leaf
        if leaf is None:
            return
        if self._trial:
            self.leaf = replace(leaf, partial=line)
        else:
            leaf.lines.append(line)
            leaf.header_possible = header_possible

    def _close_leaf(self) -> None:
        if self.leaf is not None:
            self.closed.append(self.leaf)
            self.leaf = None

    def _close_to(self, depth: int) -> None:
        """Close the open leaf and the containers below `depth`."""
        self._close_leaf()
        while len(self._open) > depth:
            container = self._open[-1]
            if container.kind == "item" and not container.used:
                self._add_leaf("paragraph")
                self._close_leaf()
            self._open.pop()


def _read_quote_mark(cursor: Cursor) -> bool:
    if cursor.indent >= _CODE_INDENT:
        return False
    if not cursor.text.lstrip(" \t").startswith(">"):
        return False
    cursor.skip(cursor.indent)
    cursor.take(1)
    cursor.skip(1)
    return True


def _closes(fence: str, text: str) -> bool:
    return len(text) >= len(fence) and text == fence[0] * len(text)
