"""Showing the place in a session where something was found, wherever in its tree that is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pi_term.coding.session import SessionTree, StoredEntry

if TYPE_CHECKING:
    from pi_term.tui.screens.main import MainScreen


async def show_entry(screen: MainScreen, entry_id: str) -> None:
    """Scroll to an entry of the open session; on another branch than the current one, go there first."""
    session, view = screen.program.session, screen.view
    entry = session.file.tree.get(entry_id)
    if entry is None or view is None:
        return
    if not await asyncio.to_thread(_is_on_branch, session.file.tree, entry):
        if session.busy:
            screen.status.note("That was said on another branch; stop the agent to go there.")
            return
        arrival = await session.navigator.go_to(_newest_below(session.file.tree, entry).id)
        if arrival.editor_text:
            screen.editor.prepend([arrival.editor_text])
        screen.status.note("This is a branch that was left: the tree shows the others.")
    if not await view.show_entry(entry_id):
        screen.status.note("The place that was found is not shown in the transcript.")


def _is_on_branch(tree: SessionTree, entry: StoredEntry) -> bool:
    return any(each is entry for each in tree.walk(tree.leaf))


def _newest_below(tree: SessionTree, entry: StoredEntry) -> StoredEntry:
    """Where one would go on from after an entry."""
    while below := [each for each in tree.children(entry) if not each.damaged]:
        entry = below[-1]
    return entry
