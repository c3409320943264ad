"""The tree of a session as rows: which entries, in which order, on which branch.

The line of conversation that leads to the current position stands at the left edge, whatever branched
off from it before is indented:

    you: which colour?
    ├⊟ you: no, something loud
    │  Then red.
    you: no, something natural
    Green it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import field
from typing import Final, Literal, TypeAlias, get_args
from weakref import WeakKeyDictionary

from pi_term.base.dataclass import dataclass
from pi_term.coding.session import SessionTree, StoredEntry
from pi_term.tui.history_view import is_shown

Filter: TypeAlias = Literal["default", "no-tools", "user-only", "labeled-only", "all"]
"""Which entries have rows: what is said and done; that without tools; the user's messages; bookmarked
ones; all."""

FILTERS: Final[tuple[Filter, ...]] = get_args(Filter)
_DEEPEST = 24  # cells of branches before a row; of more, the last are shown
_WINDOW = 1 << 20  # bytes of the file that are looked through at once
_TEXT = re.compile(rb'"text"\s*:\s*"[^"]|"errorMessage"\s*:\s*"[^"]')


@dataclass(slots=True, eq=False)
class Segment:
    """A run of rows that goes on without branches, and all that branches off below it.

    `rows` are those of all of it, without gaps. `indented` is false where it is the straight
    continuation of what is above.
    """

    start: int
    parent: Segment | None
    indented: bool
    end: int = 0
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        self.depth = (self.parent.depth if self.parent is not None else 0) + self.indented


class TreeRows:
    """`entries` has a row for each, parents before what is below them; `segments` by their first row.

    `active` are the entries that lead to the position of the tree.
    """

    def __init__(self, active: Collection[StoredEntry] = ()) -> None:
        self.active = active
        self.entries: list[StoredEntry] = []
        self.segments: list[Segment] = []
        self._starts: list[int] = []
        self._places: dict[StoredEntry, int] | None = None

    def segment_at(self, row: int) -> Segment:
        """The innermost run of rows that a row is in."""
        found: Segment | None = self.segments[bisect_right(self._starts, row) - 1]
        while found is not None and row >= found.end:
            found = found.parent
        assert found is not None, "every row is in a segment"
        return found

    def is_fold(self, row: int) -> bool:
        """Whether a row is the first of a branch that can be folded."""
        at = bisect_right(self._starts, row) - 1
        return self._starts[at] == row and self.segments[at].parent is not None

    def place_of(self, entry: StoredEntry | None) -> int:
        """The row of `entry`, or of its nearest ancestor that has one; -1 before the first."""
        if self._places is None:
            self._places = {each: row for row, each in enumerate(self.entries)}
        places = self._places
        while entry is not None and entry not in places:
            entry = entry.parent
        return -1 if entry is None else places[entry]

    def guides(self, row: int) -> str:
        """The branches that are drawn before a row; its first row ends in a mark's place, see `MARK`."""
        segment = self.segment_at(row)
        bars = "│  " * (segment.depth - (segment.indented and segment.start == row))
        if len(bars) > _DEEPEST:
            bars = f"…{bars[-_DEEPEST:]}"
        return bars + ("├" if segment.indented and segment.start == row else "")

    def unfolded(self, folded: Collection[StoredEntry]) -> list[int]:
        """The rows that are left when the branches that begin with these entries are folded."""
        if not folded:
            return list(range(len(self.entries)))
        rows: list[int] = []
        at = 0
        for segment in self.segments:
            if segment.start >= at and segment.parent is not None and self.entries[segment.start] in folded:
                rows.extend(range(at, segment.start + 1))
                at = segment.end
        rows.extend(range(at, len(self.entries)))
        return rows

    def _begin(self, parent: Segment | None, *, indented: bool) -> Segment:
        segment = Segment(len(self.entries), parent, indented)
        self.segments.append(segment)
        self._starts.append(segment.start)
        return segment

    def _close(self) -> None:
        """Note where each segment ends, once all rows are there."""
        waiting: list[Segment] = []
        for segment in self.segments:
            while waiting and waiting[-1] is not segment.parent:
                waiting.pop().end = segment.start
            waiting.append(segment)
        for segment in waiting:
            segment.end = len(self.entries)


def tree_rows(
    tree: SessionTree, mode: Filter = "default", only: Collection[StoredEntry] | None = None
) -> TreeRows:
    """The rows of a filter; with `only`, those of them that are in it. For a thread: a microsecond an entry.

    Decodes nothing. The current position has a row wherever messages have one.
    """
    leaf = tree.leaf
    active = set(tree.walk(leaf))
    children = _children(list(tree.entries), _predicate(tree, mode, only))
    found = TreeRows(active)
    waiting = _branches(children.get(None, []), active, None)
    while waiting:
        entry, parent, kind = waiting.pop()
        segment = found._begin(parent, indented=kind == "branch")
        below = [entry]
        while len(below) == 1:
            found.entries.append(below[0])
            below = children.get(below[0], [])
        waiting += _branches(below, active, segment)
    found._close()
    return found


_Kind: TypeAlias = Literal["branch", "trunk"]


def _branches(
    entries: list[StoredEntry], active: Collection[StoredEntry], parent: Segment | None
) -> list[tuple[StoredEntry, Segment | None, _Kind]]:
    """What goes on from one entry, in reverse: older branches, then the line that is gone on with."""
    if not entries:
        return []
    trunk = next((each for each in entries if each in active), entries[-1])
    begun: list[tuple[StoredEntry, Segment | None, _Kind]] = [(trunk, parent, "trunk")]
    return begun + [(each, parent, "branch") for each in reversed(entries) if each is not trunk]


def _children(
    entries: Iterable[StoredEntry], has_row: Callable[[StoredEntry], bool]
) -> dict[StoredEntry | None, list[StoredEntry]]:
    """What has rows, by its nearest ancestor that has one, oldest first."""
    shown: set[StoredEntry] = set()
    children: dict[StoredEntry | None, list[StoredEntry]] = {}
    listed = list(entries)
    shown.update(each for each in listed if has_row(each))
    for entry in listed:
        if entry in shown:
            parent = entry.parent
            while parent is not None and parent not in shown:
                parent = parent.parent
            siblings = children.get(parent)
            if siblings is None:
                children[parent] = [entry]
            else:
                siblings.append(entry)
    return children


def _predicate(
    tree: SessionTree, mode: Filter, only: Collection[StoredEntry] | None
) -> Callable[[StoredEntry], bool]:
    if only is not None:
        wanted = _predicate(tree, mode, None)
        return lambda entry: entry in only and wanted(entry)
    if mode == "user-only":
        return lambda entry: entry.role == "user" and not entry.damaged
    if mode == "labeled-only":
        labels = tree.labels
        return lambda entry: entry.id in labels and not entry.damaged
    if mode == "all":
        return lambda entry: not entry.damaged
    silent, leaf, tools = silent_answers(tree), tree.leaf, mode == "default"

    def is_said(entry: StoredEntry) -> bool:
        if entry.damaged or not is_shown(entry) or (entry in silent and entry is not leaf):
            return False
        return tools or entry.role != "toolResult" or entry is leaf

    return is_said


class _Silent:
    """The answers of a tree that are nothing but tool calls, of the first `seen` entries."""

    def __init__(self) -> None:
        self.seen = 0
        self.entries: set[StoredEntry] = set()


_silent: WeakKeyDictionary[SessionTree, _Silent] = WeakKeyDictionary()


def silent_answers(tree: SessionTree) -> Collection[StoredEntry]:
    """The answers that only call tools: the rows of the results tell of them. Looks at each entry once.

    Told by the bytes of the lines: a key `text` with something in it stands in no such answer.
    """
    known = _silent.setdefault(tree, _Silent())
    seen = len(tree.entries)
    entries = tree.entries[known.seen : seen]
    found = [
        entry
        for entry, data, start, end in _lines(tree, (each for each in entries if each.role == "assistant"))
        if _TEXT.search(data, start, end) is None and data.find(b'"toolCall"', start, end) >= 0
    ]
    # Last, for somebody may ask on another thread meanwhile, who then looks for himself.
    known.entries.update(found)
    known.seen = seen
    return known.entries


def _lines(
    tree: SessionTree, entries: Iterable[StoredEntry]
) -> Iterator[tuple[StoredEntry, bytes, int, int]]:
    """Entries with the place of their lines in some bytes; what stands together is read together."""
    data, base = b"", 0
    for entry in entries:
        offset, length = entry.offset, entry.length
        if offset < 0 or entry.pending_line is not None:
            line = entry.line
            yield entry, line, 0, len(line)
            continue
        if not base <= offset or offset + length > base + len(data):
            data, base = tree.lines.read(offset, max(_WINDOW, length)), offset
        yield entry, data, offset - base, offset - base + length
