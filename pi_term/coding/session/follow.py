"""Keeping up with a session file that another program has put a new file in the place of.

Sync tools and editors do that. What the new file lacks is written into it again, what it has more is
taken into the tree, so that neither side loses an entry.
"""

from __future__ import annotations

import os
from pathlib import Path

from pi_term.coding.session.header import read_header
from pi_term.coding.session.index import Index
from pi_term.coding.session.stored import Lines, StoredEntry
from pi_term.coding.session.tree import SessionTree


def was_replaced(lines: Lines, status: os.stat_result) -> bool:
    """Whether the file that `status` tells of is another one than that which is open for reading."""
    if lines.file is None:
        return False
    ours = os.fstat(lines.file.fileno())
    return (ours.st_dev, ours.st_ino) != (status.st_dev, status.st_ino)


def follow(tree: SessionTree, lines: Lines, path: Path) -> tuple[Index, list[StoredEntry]]:
    """Let `tree` and `lines` stand on the new file at `path`.

    Returns the index to go on with, and the entries that are not in the new file, pending again.
    Raises `PiTermError` when the new file is no session, and `OSError`; nothing has changed then.
    """
    new_lines = Lines(path)
    new_lines.open(path)
    try:
        _, start = read_header(new_lines, path)
        new_tree = SessionTree(new_lines)
        reached = Index(new_tree, new_lines, start, line=1 if start else 0)
        reached.read()
    finally:
        new_lines.close()
    stored = [entry for entry in tree.entries if entry.pending_line is None]
    lost = [(entry, entry.line) for entry in stored if entry.id not in new_tree.by_id]
    lines.open(path)
    for entry, line in lost:
        entry.pending_line = line
    for entry in stored:
        twin = new_tree.by_id.get(entry.id)
        if twin is not None:
            entry.offset, entry.length = twin.offset, twin.length
    for entry in new_tree.entries:
        if entry.id not in tree.by_id:
            tree.adopt(entry)
    index = Index(tree, lines, reached.end, line=reached.line)
    index.seen = reached.seen
    return index, [entry for entry, _ in lost]
