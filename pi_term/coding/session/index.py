"""Finding the entries in the bytes of a session file.

A file of a hundred megabytes is read once, in pieces, and not decoded: of each line in the key order in
which session files are written, a regular expression takes what the tree needs. Every other line is
decoded at once, and what can be saved of a damaged one is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from pi_term.base.json import JsonObject
from pi_term.coding.session.stored import Lines, StoredEntry, decode_line, decode_start, made_up_id
from pi_term.coding.session.tree import SessionTree

_PIECE = 1 << 18
MARK_BYTES = 512
_WORD = r"[!#-\[\]-z|~]"  # visible ASCII but quote, backslash and braces, so that no match runs into the next
_PREFIX_TEXT = (
    rf'\{{"type":"({_WORD}+)","id":"({_WORD}+)","parentId":(?:null|"({_WORD}+)"),'
    rf'"timestamp":"({_WORD}*)"(?:,"message":\{{"role":"({_WORD}+)")?'
)
# Inside a JSON string the quotes would be escaped: this stands once in a line that holds one entry.
_MARK = '","parentId":'


@cache
def _prefix() -> re.Pattern[str]:
    return re.compile(_PREFIX_TEXT)


@cache
def entry_starts() -> re.Pattern[bytes]:
    """Matches the beginning of an entry, wherever in a line it stands; group 4 is its timestamp."""
    return re.compile(_PREFIX_TEXT.encode())


class Index:
    """Reads entries of one file into a tree, from where the last reading ended.

    `end` is the offset behind the last complete line, `seen` the file's length at that time; between
    them is a torn last line. `mark` are the last bytes before `seen`: where they stand no longer,
    another program has changed what was there. `line` is how many lines stand before `end`.
    """

    def __init__(self, tree: SessionTree, lines: Lines, start: int = 0, line: int = 0) -> None:
        self.end = start
        self.seen = start
        self.line = line
        self.mark = b""
        self._tree = tree
        self._lines = lines
        self._names: dict[str | None, str | None] = {}
        self._loose: list[StoredEntry] = []

    def wrote(self, lines: int, end: int, mark: bytes) -> None:
        """Take note of lines that we wrote ourselves; they end at `end`, their last bytes are `mark`."""
        self.line += lines
        self.end = self.seen = end
        self.mark = mark

    def read(self, until: int | None = None) -> None:
        """Index what is in the file behind `end`, or as far as the offset `until`; raises `OSError`.

        The leaf is not touched.
        """
        known = len(self._tree.entries)
        ids = len(self._tree.by_id)
        # As Latin-1 a byte is a character: offsets stay true, and nothing is copied twice.
        text, base, piece = "", self.end, _PIECE
        position = base
        while chunk := self._lines.read(position, piece if until is None else min(piece, until - position)):
            position += len(chunk)
            text += chunk.decode("latin-1")
            used = self._complete_lines(text, base)
            # A line longer than the piece: read ever more of it, so that copying stays linear.
            piece = _PIECE if used else piece * 2
            text = text[used:]
            base += used
        self.end, self.seen = base, position
        start = max(position - MARK_BYTES, 0)
        self.mark = self._lines.read(start, position - start)
        if text.strip():
            self._last_line(text, base)
        if len(self._tree.entries) - known != len(self._tree.by_id) - ids:
            self._report_duplicates()
        if self._loose:
            self._tree.relink(self._loose)
            self._loose = []

    def _complete_lines(self, text: str, base: int) -> int:
        """Index the complete lines of `text`, which begins at `base`; returns how much they are."""
        last = text.rfind("\n") + 1
        if not last:
            return 0
        find, count, match = text.find, text.count, _prefix().match
        name: Callable[[Any, Any], Any] = self._names.setdefault  # one string for each name
        tree, lines, loose = self._tree, self._lines, self._loose.append
        by_id, add = tree.by_id, tree.add
        start = 0
        while start < last:
            begin, end = start, find("\n", start)
            start = end + 1
            self.line += 1
            found = match(text, begin, end)
            if found is not None and text[end - 1] == "}" and count(_MARK, begin, end) == 1:
                kind, id, parent_id, stamp, role = found.groups()
                if role is not None or kind != "message":
                    parent = by_id.get(parent_id)
                    offset, length = base + begin, end - begin
                    if parent is not None:
                        parent_id = parent.id  # the same string, kept once
                    entry = StoredEntry(
                        id,
                        parent_id,
                        name(kind, kind),
                        name(role, role),
                        stamp,
                        offset,
                        length,
                        parent,
                        lines,
                    )
                    if parent is None and parent_id is not None:
                        loose(entry)
                    add(entry)
                    continue
            self._odd_line(text[begin:end].encode("latin-1"), base + begin)
        return last

    def _last_line(self, text: str, base: int) -> None:
        """A last line without its line feed: one or more entries if it is whole, else torn."""
        line = text.encode("latin-1")
        self.line += 1
        if decode_line(line) is not None or any(decode_start(piece) for _, piece in _pieces(line)):
            self._odd_line(line, base)
            self.end = self.seen
            return
        self._lines.report("the last record is incomplete (damaged) and was skipped", self.line)
        self.line -= 1

    def _odd_line(self, line: bytes, offset: int) -> None:
        """A line that the fast way cannot take: other key order, other line end, damage, several entries."""
        if not line.strip():
            return
        data = decode_line(line)
        if data is not None:
            self._add_decoded(data, line, offset)
            return
        saved = sum(self._save_piece(piece, offset + at) for at, piece in _pieces(line))
        rest = f"; {saved} of its entries could be read" if saved else " and was skipped"
        self._lines.report(f"this line is damaged{rest}", self.line)

    def _save_piece(self, piece: bytes, offset: int) -> bool:
        data = decode_start(piece)
        if data is not None:
            return self._add_decoded(data, piece, offset)
        found = _prefix().match(piece.decode("latin-1"))
        if found is not None:
            kind, id, parent_id, stamp, role = found.groups()
            self._add(id, parent_id, kind, role, stamp, offset, len(piece), damaged=True)
        return False

    def _add_decoded(self, data: JsonObject, line: bytes, offset: int) -> bool:
        kind = data.get("type")
        if not isinstance(kind, str):
            self._lines.report("this line is no session entry (it has no type) and was skipped", self.line)
            return False
        if kind == "session":
            self._lines.report("a second session header was skipped", self.line)
            return False
        message = data.get("message")
        role = message.get("role") if isinstance(message, dict) else None
        stamp = data.get("timestamp")
        id, parent_id = data.get("id"), data.get("parentId")
        if not isinstance(id, str) or not id:
            previous = self._tree.entries[-1].id if self._tree.entries else ""
            id = made_up_id(line, previous, self._tree.by_id)
            parent_id = previous or None
            self._lines.report("this entry has no id; it was put behind the one before it", self.line)
        self._add(
            id,
            parent_id if isinstance(parent_id, str) else None,
            kind,
            role if isinstance(role, str) else None,
            stamp if isinstance(stamp, str) else "",
            offset,
            len(line),
        )
        return True

    def _add(
        self,
        id: str,
        parent_id: str | None,
        kind: str,
        role: str | None,
        stamp: str,
        offset: int,
        length: int,
        *,
        damaged: bool = False,
    ) -> None:
        parent = self._tree.by_id.get(parent_id) if parent_id is not None else None
        entry = StoredEntry(id, parent_id, kind, role, stamp, offset, length, parent, self._lines)
        entry.damaged = damaged
        if parent is None and parent_id is not None:
            self._loose.append(entry)
        self._tree.add(entry)

    def _report_duplicates(self) -> None:
        counted = Counter(entry.id for entry in self._tree.entries)
        twice = sorted(id for id, times in counted.items() if times > 1)
        for id in twice[:5]:
            self._lines.report(f"several entries have the id {id}; all of them are kept")


def _pieces(line: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a damaged line that begin as an entry does: records glued together."""
    starts = [found.start() for found in entry_starts().finditer(line)]
    for start, end in pairwise([*starts, len(line)]):
        yield start, line[start:end]
