"""Going from one place of the tree to another: what is left behind, and where one lands."""

from __future__ import annotations

from pi_term.ai.messages import UserMessage, text_of
from pi_term.coding.session.entries import CustomMessageEntry, MessageEntry
from pi_term.coding.session.stored import StoredEntry


def common_ancestor(a: StoredEntry | None, b: StoredEntry | None) -> StoredEntry | None:
    """The last entry that is on the branches of both, None where they have none in common.

    Costs what lies between, not what lies above.
    """
    passed: set[StoredEntry] = set()
    while a is not None or b is not None:
        for entry in (a, b):
            if entry is not None:
                if entry in passed:
                    return entry
                passed.add(entry)
        a, b = a and a.parent, b and b.parent
    return None


def abandoned(old_leaf: StoredEntry | None, target: StoredEntry | None) -> list[StoredEntry]:
    """The entries that are left behind on the way from `old_leaf` to `target`, oldest first."""
    end = common_ancestor(old_leaf, target)
    left: list[StoredEntry] = []
    entry = old_leaf
    while entry is not None and entry is not end:
        if not entry.damaged:
            left.append(entry)
        entry = entry.parent
    left.reverse()
    return left


def landing(entry: StoredEntry) -> tuple[StoredEntry | None, str | None]:
    """The leaf when people choose `entry`, and the text for the editor, if any.

    What a user or an extension said is said anew: its text is edited, the leaf is what was before it.
    Any other entry is gone on from. Reads the entry.
    """
    record = entry.record() if entry.role == "user" or entry.type == CustomMessageEntry.type else None
    match record:
        case MessageEntry(message=UserMessage() as said):
            text = text_of(said.content)
        case CustomMessageEntry(content=content):
            text = text_of(content)
        case _:
            return entry, None
    leaf = entry.parent
    while leaf is not None and leaf.damaged:
        leaf = leaf.parent
    return leaf, text
