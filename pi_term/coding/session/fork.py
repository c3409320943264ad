"""Copying a branch into a session of its own."""

from __future__ import annotations

from pi_term.coding.session.entries import LabelEntry
from pi_term.coding.session.stored import Lines, StoredEntry
from pi_term.coding.session.tree import SessionTree, replay_labels


def copy_branch(leaf: StoredEntry | None, tree: SessionTree, lines: Lines) -> list[StoredEntry]:
    """Take the entries from the root to `leaf` into the empty `tree`; returns them.

    They keep their ids and lines. What is stored is not read: `lines` are those of the origin, or
    their duplicate.
    """
    path: list[StoredEntry] = []
    entry = leaf
    while entry is not None:
        if not entry.gone and (path or not entry.damaged):
            path.append(entry)
        entry = entry.parent
    parent: StoredEntry | None = None
    for each in reversed(path):
        pending = each.pending_line
        copy = StoredEntry(
            each.id,
            each.parent_id,
            each.type,
            each.role,
            each.timestamp,
            each.offset,
            each.length,
            parent,
            lines,
        )
        copy.pending_line, copy.damaged = pending, each.damaged
        tree.add(copy)
        parent = copy
    tree.leaf = parent
    return list(tree.entries)


def missing_labels(origin: SessionTree, copy: SessionTree) -> list[LabelEntry]:
    """The entries that `copy` needs so that its entries have the bookmarks they have in `origin`.

    What was said about them on other branches is not among what was copied.
    """
    wanted, there = origin.labels, replay_labels(copy.entries)
    missing: list[LabelEntry] = []
    for id in copy.by_id:
        label = wanted.get(id)
        if label is not None and label != there.get(id):
            missing.append(LabelEntry(id, label.text, timestamp=label.timestamp))
        elif label is None and id in there:
            missing.append(LabelEntry(id))
    return missing
