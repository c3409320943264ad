"""Text that was cut, to be put back."""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

from pi_term.tui.widgets.editor.paste import Block

Cut: TypeAlias = tuple[str | Block, ...]
"""Typed text and folded pastes."""

_ENTRIES = 32


class KillRing:
    """The last cuts, newest first; cuts that follow each other grow into one."""

    def __init__(self) -> None:
        self._entries: deque[Cut] = deque(maxlen=_ENTRIES)

    def add(self, cut: Cut, *, forward: bool, grow: bool) -> None:
        """Remember `cut`, with `grow` as part of the newest entry: behind it if it was cut `forward`."""
        if not cut:
            return
        if grow and self._entries:
            newest = self._entries.popleft()
            cut = newest + cut if forward else cut + newest
        self._entries.appendleft(cut)

    @property
    def newest(self) -> Cut:
        """What was cut last, empty if nothing was."""
        return self._entries[0] if self._entries else ()

    def rotate(self) -> Cut:
        """Make the next older cut the newest and return it."""
        self._entries.rotate(-1)
        return self.newest
