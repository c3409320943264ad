"""Searching a long list beside the keys: one search at a time, the last words win, Enter waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from pi_term.tui.background import run_in_background
from pi_term.tui.screens.browser import BrowserScreen

Wanted: TypeAlias = Callable[[], bool]
"""Whether anybody still waits for what is being looked for."""


class LateSearch:
    """The search of a screen.

    `find(query, wanted)` runs on a thread and may return early, with anything, once it is not wanted any
    more; `take` gets what it found. `busy` until what was asked for last was taken.
    """

    def __init__(
        self,
        screen: BrowserScreen[Any],
        find: Callable[[str, Wanted], list[int]],
        take: Callable[[list[int]], None],
    ) -> None:
        self._screen = screen
        self._find = find
        self._take = take
        self._turn = 0
        self._confirm_due = False
        self.busy = False

    def start(self) -> None:
        """Look for what the screen asks for now; a search under way begins again."""
        self._turn += 1
        self._confirm_due = False
        if not self.busy:
            self.busy = True
            run_in_background(self._screen, self._run, "search")

    def holds_confirm(self) -> bool:
        """Whether Enter has to wait: then it is done with what will be found."""
        self._confirm_due = self.busy
        return self.busy

    async def _run(self) -> None:
        turn, found = 0, list[int]()
        try:
            while turn != self._turn:
                turn = self._turn
                found = await asyncio.to_thread(self._find, self._screen.query_text, self._wanted(turn))
        finally:
            self.busy = False
        self._take(found)
        if self._confirm_due:
            self._screen.action_select_confirm()

    def _wanted(self, turn: int) -> Wanted:
        return lambda: turn == self._turn and self._screen.is_attached
