"""The tree of a session's entries, and the position in it."""

from __future__ import annotations

from collections.abc import Iterator

from pi_term.base.errors import PiTermError
from pi_term.coding.session.stored import Lines, StoredEntry


class SessionTree:
    """Entries in the order of the file, linked to their parents; `leaf` is where the next one goes.

    Links never form a cycle, whatever the file says: where it would, and where a parent is not in the
    file, the entry is a root. Of two entries with one id both stay in the tree; an entry that names
    the id as its parent hangs on the one that stands before it in the file, `get` gives the later one.
    Damaged entries hold the tree together but are in no branch.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.entries: list[StoredEntry] = []
        self.by_id: dict[str, StoredEntry] = {}
        self.leaf: StoredEntry | None = None
        self._children: dict[StoredEntry | None, list[StoredEntry]] | None = None

    def get(self, id: str) -> StoredEntry | None:
        """The entry with this id."""
        return self.by_id.get(id)

    def add(self, entry: StoredEntry) -> None:
        """Take in an entry whose `parent` is set already; the leaf does not move."""
        self.entries.append(entry)
        self.by_id[entry.id] = entry
        if self._children is not None:
            self._children.setdefault(entry.parent, []).append(entry)

    def adopt(self, entry: StoredEntry) -> None:
        """Take in an entry that was read into another tree of the same file."""
        entry.move_to(self.lines)
        entry.parent = self.by_id.get(entry.parent_id) if entry.parent_id is not None else None
        self.add(entry)

    def walk(self, leaf: StoredEntry | None) -> Iterator[StoredEntry]:
        """From `leaf` to the root, newest first, without the damaged ones."""
        entry = leaf
        while entry is not None:
            if not entry.damaged:
                yield entry
            entry = entry.parent

    def branch(self, leaf: StoredEntry | None = None) -> list[StoredEntry]:
        """From the root to `leaf` (default: the tree's leaf)."""
        found = list(self.walk(self.leaf if leaf is None else leaf))
        found.reverse()
        return found

    def children(self, entry: StoredEntry | None) -> list[StoredEntry]:
        """What hangs on `entry`, oldest first; of None: the roots. Damaged ones are among them."""
        if self._children is None:
            children: dict[StoredEntry | None, list[StoredEntry]] = {}
            for each in self.entries:
                children.setdefault(each.parent, []).append(each)
            self._children = children
        return list(self._children.get(entry, ()))

    def set_leaf(self, id: str | None) -> None:
        """Go to another entry, or before the first one (None); kept by what is appended there next.

        Raises `PiTermError("no_entry")` where there is none with this id.
        """
        if id is None:
            self.leaf = None
            return
        entry = self.by_id.get(id)
        if entry is None:
            raise PiTermError("no_entry", f"This session has no entry {id}.")
        self.leaf = entry

    def latest(self, type: str) -> StoredEntry | None:
        """The last entry of this type in the file, on whatever branch."""
        for entry in reversed(self.entries):
            if entry.type == type and not entry.damaged:
                return entry
        return None

    @property
    def name(self) -> str | None:
        """The name people gave the session, if any."""
        entry = self.latest("session_info")
        name = entry.data.get("name") if entry is not None else None
        return name if isinstance(name, str) and name else None

    def relink(self, loose: list[StoredEntry]) -> None:
        """Link entries whose parent did not stand before them in the file; report what stays unlinked."""
        missing = [entry for entry in loose if not self._link(entry)]
        self._cut_cycles(loose)
        self._children = None
        if missing:
            first = missing[0]
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            self.lines.report(
                f"the history has a gap: the parent of entry {first.id}{more} is not in the file"
            )

    def _link(self, entry: StoredEntry) -> bool:
        if entry.parent_id is not None:
            entry.parent = self.by_id.get(entry.parent_id)
        return entry.parent is not None

    def _cut_cycles(self, loose: list[StoredEntry]) -> None:
        """Make a root of the first entry of each cycle; only links to later entries can close one."""
        safe: set[StoredEntry] = set()
        for start in loose:
            path: set[StoredEntry] = set()
            entry: StoredEntry | None = start
            while entry is not None and entry not in safe:
                if entry in path:
                    entry.parent = None
                    self.lines.report(f"entry {entry.id} is among its own ancestors: made a root")
                    break
                path.add(entry)
                entry = entry.parent
            safe |= path
