"""From typed keys to actions, chords included."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product

from pi_term.base.dataclass import dataclass
from pi_term.tui.keymap.names import Chord, from_event, twins
from pi_term.tui.keymap.table import KeyTable

CHORD_TIMEOUT = 1.5
"""Seconds after which the beginning of a chord is forgotten."""


@dataclass(frozen=True, slots=True)
class Match:
    """The actions that `keys` ask for, the first context first; a handler may decline its turn."""

    action_ids: tuple[str, ...]
    keys: Chord

    @property
    def action_id(self) -> str:
        """The first of them."""
        return self.action_ids[0]


@dataclass(frozen=True, slots=True)
class Pending:
    """The beginning of a chord: the next key decides."""

    keys: Chord


class KeyResolver:
    """Follows what is typed against a `KeyTable`; one for each place that has a keyboard focus.

    `clock` gives seconds. Assigning `table` applies a reload.
    """

    def __init__(
        self,
        table: KeyTable,
        *,
        timeout: float = CHORD_TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._clock = clock
        self._pending: Chord = ()
        self._since = 0.0
        self.timeout = timeout

    @property
    def table(self) -> KeyTable:
        """The bindings in force."""
        return self._table

    @table.setter
    def table(self, table: KeyTable) -> None:
        self._table = table
        self.reset()

    @property
    def pending(self) -> Chord:
        """The keys of a chord typed so far."""
        return self._pending

    def reset(self) -> None:
        """Forget a chord that was begun."""
        self._pending = ()

    def keys_for(self, action_id: str) -> tuple[str, ...]:
        """See `KeyTable.keys_for`."""
        return self._table.keys_for(action_id)

    def hint(self, action_id: str) -> str:
        """See `KeyTable.hint`."""
        return self._table.hint(action_id)

    def resolve(self, contexts: Sequence[str], key: str) -> Match | Pending | None:
        """What `key` (an event's name for it) means here; None is a key without a binding.

        A key that does not continue the chord begun before ends it and counts on its own.
        """
        if self._pending and self._clock() - self._since > self.timeout:
            self.reset()
        typed = (*self._pending, from_event(key))
        spellings = list(product(*((each, *twins(each)) for each in typed)))
        found = [action_id for spelling in spellings for action_id in self._table.find(contexts, spelling)]
        if found:
            self.reset()
            return Match(tuple(dict.fromkeys(found)), typed)
        if any(self._table.continues(contexts, spelling) for spelling in spellings):
            self._pending, self._since = typed, self._clock()
            return Pending(typed)
        if self._pending:
            self.reset()
            return self.resolve(contexts, key)
        return None
