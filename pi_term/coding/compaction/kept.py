"""What a compaction kept and came to, seen from its stored entry: long after it as right after it."""

from __future__ import annotations

from pi_term.coding.session import StoredEntry
from pi_term.coding.session.entries import CONTEXT_TYPES, MessageEntry
from pi_term.coding.session.projection import edits_of, seen_messages
from pi_term.coding.tokens import estimate_all


def kept_messages(compaction: StoredEntry) -> int:
    """How many messages it left as they were. Decodes nothing but the compaction."""
    return sum(entry.type == MessageEntry.type and entry.role != "system" for entry in _kept(compaction))


def tokens_after(compaction: StoredEntry) -> int:
    """How long the context was right after it, by the rule of thumb. Decodes what was kept: blocks."""
    entries = [entry for entry in _kept(compaction) if entry.role != "system" and not entry.damaged]
    seen = [compaction, *(entry for entry in entries if entry.type in CONTEXT_TYPES)]
    edits = edits_of(reversed(entries))
    return estimate_all(message for entry in seen for message in seen_messages(entry, edits))


def _kept(compaction: StoredEntry) -> list[StoredEntry]:
    """The entries that stayed, newest first; none where the first of them is not on the branch."""
    first = compaction.data.get("firstKeptEntryId")
    kept: list[StoredEntry] = []
    entry = None if first == compaction.id else compaction.parent
    while entry is not None:
        kept.append(entry)
        if entry.id == first:
            return kept
        entry = entry.parent
    return []
