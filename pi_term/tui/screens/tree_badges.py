"""What each branch of a tree comes to: messages, cost, files changed. Counted a little at a time."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import field
from pathlib import Path

from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.coding.checkpoints.changes import CHANGE
from pi_term.coding.session import SessionTree, StoredEntry
from pi_term.coding.stats import SessionStats

_CHANGING = ("edit", "write")  # tools


@dataclass(frozen=True, slots=True)
class Badge:
    """Messages but those of the system, US dollars, and files that were changed, in a branch."""

    messages: int
    cost: float
    files: int

    @property
    def text(self) -> str:
        """`12 messages · $0.31 · 3 files`."""
        parts = [f"{self.messages:,} message{'' if self.messages == 1 else 's'}"]
        if self.cost >= 0.0005:
            parts.append(f"${self.cost:.2f}" if self.cost >= 0.1 else f"${self.cost:.3f}")
        if self.files:
            parts.append(f"{self.files:,} file{'' if self.files == 1 else 's'}")
        return " · ".join(parts)


@dataclass(slots=True)
class _Sum:
    messages: int = 0
    cost: float = 0.0
    files: set[str] = field(default_factory=set)

    def take(self, other: _Sum) -> None:
        """Add what `other` counted, which is not used any more."""
        self.messages += other.messages
        self.cost += other.cost
        if len(other.files) > len(self.files):
            self.files, other.files = other.files, self.files
        self.files |= other.files


class BadgeCount:
    """Counts the branches of a tree from the newest entry to the oldest.

    `badges` are known by the entry that begins a branch; `whole` is the session's, once it is known.
    """

    def __init__(self, tree: SessionTree, cwd: Path) -> None:
        self.badges: dict[StoredEntry, Badge] = {}
        self.whole: Badge | None = None
        self._cwd = cwd
        self._left = [entry for entry in tree.entries if not entry.damaged]
        self._siblings = Counter(entry.parent for entry in self._left)
        self._noted = any(_is_change(entry) for entry in self._left)
        self._below: dict[StoredEntry | None, _Sum] = {}

    def step(self, count: int) -> bool:
        """Count some more entries; False when that was all. Reads the file: blocks."""
        for _ in range(min(count, len(self._left))):
            entry = self._left.pop()
            found = self._below.pop(entry, None) or _Sum()
            self._add(found, entry)
            if self._siblings[entry.parent] > 1:
                self.badges[entry] = Badge(found.messages, found.cost, len(found.files))
            above = self._below.get(entry.parent)
            if above is None:
                self._below[entry.parent] = found
            else:
                above.take(found)
        if not self._left:
            found = self._below.get(None) or _Sum()
            self.whole = Badge(found.messages, found.cost, len(found.files))
        return bool(self._left)

    def _add(self, found: _Sum, entry: StoredEntry) -> None:
        found.messages += entry.type == "message" and entry.role != "system"
        stats = SessionStats()
        stats.add_stored(entry)
        found.cost += stats.cost
        if self._noted and entry.type == "custom" and _is_change(entry):
            path = (entry.data.get("data") or {}).get("path")
            found.files.update([path] if isinstance(path, str) else [])
        elif not self._noted and entry.role == "assistant":
            found.files.update(self._changed(entry.data))

    def _changed(self, data: JsonObject) -> list[str]:
        """The files that an answer's calls are about to change."""
        content = data["message"].get("content")
        calls = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        paths = ((call.get("arguments") or {}).get("path") for call in calls if call.get("name") in _CHANGING)
        return [os.path.normpath(self._cwd / path) for path in paths if isinstance(path, str)]


def _is_change(entry: StoredEntry) -> bool:
    return entry.type == "custom" and entry.data.get("customType") == CHANGE
