"""The end of a session before the session is there: what people see first, however long it is."""

from __future__ import annotations

import os
from pathlib import Path

from pi_term.coding.session.header import needs_upgrade, read_header
from pi_term.coding.session.index import Index
from pi_term.coding.session.stored import Lines
from pi_term.coding.session.tree import SessionTree, last_whole_entry

_WINDOW = 1 << 18


def peek(path: Path) -> SessionTree | None:
    """The entries in the last quarter of a megabyte of a session file; blocks.

    Their tree ends where that begins. None where only opening the file can tell what to show, as for an old
    version. Whoever gets the tree closes its `lines`. Raises `OSError`, and `PiTermError("not_a_session")`.
    """
    if not path.is_file():  # a pipe could be waited for
        return None
    lines = Lines(path)
    lines.open(path)
    tree = None
    try:
        header, start = read_header(lines, path)
        if not needs_upgrade(header):
            tree = _end_of(lines, max(start, os.path.getsize(path) - _WINDOW), whole=start)
    finally:
        if tree is None:
            lines.close()
    return tree


def _end_of(lines: Lines, start: int, *, whole: int) -> SessionTree | None:
    """What stands behind `start`, which is in the middle of a line unless it is `whole`."""
    if start != whole:
        feed = lines.read(start - 1, _WINDOW).find(b"\n")
        if feed < 0:
            return None
        start += feed
    tree = SessionTree(lines)
    Index(tree, lines, start).read()
    tree.leaf = last_whole_entry(tree)
    return tree if tree.leaf is not None else None
