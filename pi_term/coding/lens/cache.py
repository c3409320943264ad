"""Where the next request departs from the last one, which is where a provider's prompt cache ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pi_term.ai.fit import wrote
from pi_term.ai.models import Model
from pi_term.base.dataclass import dataclass
from pi_term.coding.lens.blocks import CacheView
from pi_term.coding.lens.pieces import Piece
from pi_term.coding.lens.system import sections_of, told_system
from pi_term.coding.session.entries import ContextEditEntry
from pi_term.coding.session.projection import edits_of, seen_messages
from pi_term.coding.session.stored import StoredEntry
from pi_term.coding.session.system_state import SystemState


@dataclass(frozen=True, slots=True)
class Prefix:
    """How many blocks of each kind, from the first on, the last request began with."""

    tools: int
    sections: int
    messages: int
    view: CacheView


def shared_prefix(
    selected: Sequence[StoredEntry],
    pieces: Sequence[Piece],
    edits: Mapping[str, ContextEditEntry],
    system: SystemState,
    model: Model,
) -> Prefix:
    """Compare the next request with the last one on the branch whose active entries are `selected`."""
    last = next((each for each in reversed(pieces) if each.answer is not None), None)
    if last is None or last.answer is None:
        return Prefix(0, 0, 0, CacheView("nothing was asked yet"))
    asked_at = last.answer.timestamp
    if not wrote(model, last.answer):
        return Prefix(0, 0, 0, CacheView("another model was asked last", asked_at))
    place = selected.index(last.entry)
    was = told_system(selected[:place])
    tools = _same(list(was.tools.values()), list(system.tools.values()))
    if tools < max(len(was.tools), len(system.tools)):
        return Prefix(tools, 0, 0, CacheView("the tools changed since", asked_at))
    before, now = list(sections_of(was).items()), list(sections_of(system).items())
    sections = _same(before, now)
    if sections < max(len(before), len(now)):
        return Prefix(tools, sections, 0, CacheView("the system prompt changed since", asked_at))
    if selected[0].type == "compaction" and _is_older(last.entry, selected[0]):
        return Prefix(tools, sections, 0, CacheView("the conversation was compacted since", asked_at))
    before_edits = edits_of(selected[:place])
    for number, piece in enumerate(pieces):
        if _reads_otherwise(piece.entry, before_edits, edits):
            return Prefix(tools, sections, number, CacheView("the model's view was edited since", asked_at))
        if piece is last:
            return Prefix(tools, sections, number, CacheView("what follows is new", asked_at))
    raise AssertionError("the last answer is among the pieces")


def _reads_otherwise(
    entry: StoredEntry, before: Mapping[str, ContextEditEntry], now: Mapping[str, ContextEditEntry]
) -> bool:
    """Whether edits since the last request changed what the model sees of an entry; putting back what was
    taken out only since then changes nothing.
    """
    if before.get(entry.id) == now.get(entry.id):
        return False
    return seen_messages(entry, before) != seen_messages(entry, now)


def _is_older(entry: StoredEntry, compaction: StoredEntry) -> bool:
    """Whether the compaction kept the entry; what came later than it is not among its ancestors."""
    ancestor = compaction.parent
    while ancestor is not None:
        if ancestor is entry:
            return True
        ancestor = ancestor.parent
    return False


def _same(one: Sequence[object], other: Sequence[object]) -> int:
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count
