"""The tree of a session's entries, and the position in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf

from pi_term.base.dataclass import dataclass
from pi_term.base.json import dumps
from pi_term.coding.session.stored import Lines, StoredEntry, decode_line


@dataclass(frozen=True, slots=True)
class Label:
    """A bookmark: its text, and when it was set (ISO 8601)."""

    text: str
    timestamp: str


class SessionTree:
    """Entries in the order they became known, linked to their parents; `leaf` is where the next one goes.

    That is the order of the file, save that what other processes appended may stand behind our own.
    Links never form a cycle, whatever the file says: where it would, and where a parent is not in the
    file, the entry is a root. Of two entries with one id both stay in the tree; an entry that names
    the id as its parent hangs on the one that stands before it in the file, `get` gives the later one
    that is not damaged. Damaged entries hold the tree together but are in no branch.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.entries: list[StoredEntry] = []
        self.by_id: dict[str, StoredEntry] = {}
        self.leaf: StoredEntry | None = None
        self.has_gaps = False
        self._marks: dict[str, list[StoredEntry]] = {"label": [], "session_info": []}
        self._marks_version = 0
        self._labels: tuple[int, dict[str, Label]] | None = None
        self._name: tuple[int, str | None] | None = None
        self._children: dict[StoredEntry | None, list[StoredEntry]] | None = None

    def get(self, id: str) -> StoredEntry | None:
        """The entry with this id."""
        return self.by_id.get(id)

    def add(self, entry: StoredEntry) -> None:
        """Take in an entry whose `parent` is set already; the leaf does not move."""
        self.entries.append(entry)
        if not entry.damaged or entry.id not in self.by_id:
            self.by_id[entry.id] = entry
        marks = self._marks.get(entry.type)
        if marks is not None:
            marks.append(entry)
            self._marks_version += 1
        if self._children is not None:
            self._children.setdefault(entry.parent, []).append(entry)

    def adopt(self, entry: StoredEntry) -> None:
        """Take in an entry that was read into another tree of the same file."""
        entry.move_to(self.lines)
        self._link(entry)
        self.has_gaps |= entry.parent is None and entry.parent_id is not None
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

    @property
    def name(self) -> str | None:
        """The name people gave the session, if any: the last one in the file, whatever the branch.

        Reads the file at the first call after a change.
        """
        version = self._marks_version
        if self._name is None or self._name[0] != version:
            last = next((entry for entry in reversed(self._marked("session_info")) if is_whole(entry)), None)
            name = last.data.get("name") if last is not None else None
            self._name = (version, name.strip() or None if isinstance(name, str) else None)
        return self._name[1]

    @property
    def labels(self) -> dict[str, Label]:
        """The bookmarks by the id of the entry they are on; do not change it.

        The last one in the file counts for each entry, whatever the branch; an empty one takes the
        bookmark away. Reads the file at the first call after a change.
        """
        version = self._marks_version
        if self._labels is None or self._labels[0] != version:
            self._labels = (version, replay_labels(self._marked("label")))
        return self._labels[1]

    def rehang(self, entry: StoredEntry) -> None:
        """Let a pending entry be the child of the nearest ancestor that is not gone."""
        parent = entry.parent
        while parent is not None and parent.gone:
            parent = parent.parent
        entry.parent, entry.parent_id = parent, parent.id if parent is not None else None
        data = decode_line(entry.line)
        if data is not None:
            self.lines.rewrite(entry, dumps({**data, "parentId": entry.parent_id}))
        self.places_changed()

    def places_changed(self) -> None:
        """Take note that entries have other places in the file now, or other parents."""
        self._children = None
        self._marks_version += 1

    def _marked(self, type: str) -> list[StoredEntry]:
        """The entries of this type in the order of the file, the ones that are still to be written last."""
        return sorted(self._marks[type], key=lambda entry: inf if entry.offset < 0 else entry.offset)

    def relink(self, loose: list[StoredEntry]) -> None:
        """Link entries whose parent did not stand before them in the file; report what stays unlinked."""
        missing = [entry for entry in loose if not self._link(entry)]
        self._cut_cycles(loose)
        self._children = None
        if missing:
            self.has_gaps = True
            first = missing[0]
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            self.lines.report(
                f"the history has a gap: the parent of entry {first.id}{more} is not in the file"
            )

    def _link(self, entry: StoredEntry) -> bool:
        entry.parent = self.by_id.get(entry.parent_id) if entry.parent_id is not None else None
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


def is_whole(entry: StoredEntry) -> bool:
    """Whether an entry can be decoded; decodes it."""
    return not entry.damaged and bool(entry.data) and not entry.damaged  # looking is what finds damage


def last_whole_entry(tree: SessionTree) -> StoredEntry | None:
    """The last entry that can be decoded: the position a session is resumed at."""
    entries = tree.entries
    for entry in chain(tree.walk(entries[-1] if entries else None), reversed(entries)):
        if is_whole(entry):
            return entry
    return None


def replay_labels(entries: Iterable[StoredEntry]) -> dict[str, Label]:
    """The bookmarks after the label entries among `entries`, in their order."""
    labels: dict[str, Label] = {}
    for entry in entries:
        if entry.type != "label" or not is_whole(entry):
            continue
        target, text = entry.data.get("targetId"), entry.data.get("label")
        if isinstance(target, str):
            labels.pop(target, None)
            if isinstance(text, str) and text:
                labels[target] = Label(text, entry.timestamp)
    return labels
