"""What a session used: by model, and by branch. Counted a little at a time, from the oldest entry on."""

from __future__ import annotations

from pi_term.base.dataclass import dataclass
from pi_term.coding.session import SessionTree, StoredEntry
from pi_term.coding.stats import SessionStats

_NO_CALL = ("compaction", "branch_summary")


@dataclass(frozen=True, slots=True)
class Branch:
    """What was said and used from the beginning to `end`; `here`: that is the current position."""

    end: StoredEntry
    here: bool
    stats: SessionStats


class UsageCount:
    """`by_model` are the sums so far, by provider and model; the branches are known at the end."""

    def __init__(self, tree: SessionTree) -> None:
        self.by_model: dict[str, SessionStats] = {}
        self.whole = SessionStats()
        self.counted = 0
        self._tree = tree
        self._entries = list(tree.entries)
        self._until: dict[StoredEntry | None, SessionStats] = {None: SessionStats()}

    @property
    def total(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    @property
    def done(self) -> bool:
        """Whether all is counted."""
        return self.counted >= self.total

    def step(self, count: int) -> bool:
        """Count some more entries; False when that was all. Reads the file: blocks."""
        for entry in self._entries[self.counted : self.counted + count]:
            own = SessionStats()
            own.add_stored(entry)
            self.whole.merge(own)
            if own.input or own.output or own.cache_read or own.cost:
                self.by_model.setdefault(_model_of(entry), SessionStats()).merge(own)
            until = SessionStats()
            until.merge(self._until.get(entry.parent) or SessionStats())
            until.merge(own)
            self._until[entry] = until
        self.counted = min(self.total, self.counted + count)
        return not self.done

    def branches(self) -> list[Branch]:
        """All branches once they are counted, the current one first, then the one that ends last."""
        leaf = self._tree.leaf
        parents = {entry.parent for entry in self._entries}
        ends = [each for each in reversed(self._entries) if each not in parents and not each.damaged]
        if leaf is not None:
            ends = [leaf, *(each for each in ends if each is not leaf)]
        return [Branch(end, end is leaf, self._until.get(end) or SessionStats()) for end in ends]


def _model_of(entry: StoredEntry) -> str:
    """Whose tokens an entry counts."""
    if entry.type in _NO_CALL:
        return "summaries"
    data = entry.data
    holder = data.get("message") if entry.type == "message" else data
    provider, model = (holder.get(key) if isinstance(holder, dict) else None for key in ("provider", "model"))
    if isinstance(provider, str) and isinstance(model, str) and model:
        return f"{provider}/{model}"
    return "tools" if entry.role == "toolResult" else "unknown"
