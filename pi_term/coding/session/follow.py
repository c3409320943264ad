"""Keeping up with a session file that another program has changed otherwise than by appending.

Sync tools and editors put a new file in the place of the old one; some programs cut a file short or
write it anew where it is. What the file lacks then is written into it again, as far as its text is
known: all of it while the old file can be read, else what was written or read lately. What the file has
more is taken into the tree, so that neither side loses an entry.
"""

from __future__ import annotations

import os
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.session.header import HEAD_BYTES, needs_upgrade, read_header
from pi_term.coding.session.index import Index
from pi_term.coding.session.stored import Lines, StoredEntry
from pi_term.coding.session.tree import SessionTree


@dataclass(frozen=True, slots=True)
class Followed:
    """What was found: `index` to go on with; the entries that are to be written `again`, oldest first;
    how many are `lost`; `bare` where not even the header is left."""

    index: Index
    again: list[StoredEntry]
    lost: int
    bare: bool


def was_replaced(lines: Lines, status: os.stat_result) -> bool:
    """Whether the file that `status` tells of is another one than that which is open for reading."""
    return lines.file is not None and not os.path.samestat(os.fstat(lines.file.fileno()), status)


def follow(tree: SessionTree, lines: Lines, path: Path, header: bytes, *, in_place: bool) -> Followed:
    """Let `tree` and `lines` stand on what is in the file at `path` now.

    `header` is the line the file should begin with. With `in_place` the old content is gone, else it
    still is what `lines` read. Raises `PiTermError` when the new content is no session, and `OSError`;
    nothing has changed then.
    """
    new_tree, reached, bare = _read_anew(path, header)
    twins, missing, strangers = _matched(tree, new_tree)
    known = [(entry, lines.known_line(entry) if in_place else entry.line) for entry in missing]
    again = [entry for entry, line in known if line]
    lost = [entry for entry, line in known if not line and not entry.damaged]
    for entry, line in known:
        entry.pending_line, entry.length = line or None, len(line or b"")
        entry.offset = -1
        entry.damaged |= entry.gone
    for entry, twin in twins:
        entry.damaged = twin.damaged
    lines.open(path, [(entry, twin.offset, twin.length) for entry, twin in twins])
    for entry in strangers:
        tree.adopt(entry)
    tree.places_changed()
    index = Index(tree, lines, reached.end, line=reached.line)
    index.seen, index.mark = reached.seen, reached.mark
    return Followed(index, again, len(lost), bare)


def _matched(
    tree: SessionTree, new_tree: SessionTree
) -> tuple[list[tuple[StoredEntry, StoredEntry]], list[StoredEntry], list[StoredEntry]]:
    """The entries of `tree` with what they are in the new file; those that were stored and are missing
    there; those that are only there.

    What is left of a whole entry is not that entry. Of several with one id the last go together. One
    that is to be written may be there, by another process, but not at another place of the tree.
    """
    there: dict[tuple[str, bool], list[StoredEntry]] = {}
    for entry in new_tree.entries:
        there.setdefault((entry.id, entry.damaged), []).append(entry)
    twins: list[tuple[StoredEntry, StoredEntry]] = []
    missing: list[StoredEntry] = []
    for entry in reversed(tree.entries):
        same = there.get((entry.id, entry.damaged)) or (entry.damaged and there.get((entry.id, False)))
        pending = entry.pending_line is not None
        if same and not entry.gone and not (pending and same[-1].parent_id != entry.parent_id):
            twins.append((entry, same.pop()))
        elif not pending and not entry.gone:
            missing.append(entry)
    matched = {twin for _, twin in twins}
    missing.reverse()
    return twins, missing, [entry for entry in new_tree.entries if entry not in matched]


def _read_anew(path: Path, header: bytes) -> tuple[SessionTree, Index, bool]:
    """A tree of what is in the file, how far it was read, and whether there is nothing to speak of in it."""
    lines = Lines(path)
    lines.open(path)
    tree = SessionTree(lines)
    try:
        start = lines.read(0, HEAD_BYTES)
        if len(start) < len(header) and header.startswith(start):
            return tree, Index(tree, lines), True
        found, offset = read_header(lines, path)
        if needs_upgrade(found):
            raise PiTermError("session_version", f"{path} was replaced by a session of an old version.")
        index = Index(tree, lines, offset, line=1 if offset else 0)
        index.read()
        return tree, index, False
    finally:
        lines.close()
