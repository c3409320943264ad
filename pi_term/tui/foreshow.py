"""The end of a history on the screen before its session is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from pi_term.base.log import log

if TYPE_CHECKING:
    from pi_term.coding.session import SessionTree
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.tui.screens.main import MainScreen

_NEEDED = (
    "ai.messages",
    "coding.messages",
    "coding.session.store",
    "coding.session_places",
    "render.markdown.stream",
    "render.blocks",
    "render.entries",
    "tui.history_view",
)


async def foreshow(
    screen: MainScreen, read: Callable[[], SessionTree | None], settings: SettingsStore | None
) -> None:
    """Show what `read` finds; the session will show the same, and all of it, when it is there."""
    for name in _NEEDED:  # between the keys, see `warm`
        import_module(f"pi_term.{name}")
        await asyncio.sleep(0)
    tree = await asyncio.to_thread(read)
    if tree is None:
        return
    from pi_term.tui.history_view import FIRST_PIECE, History

    try:
        history = History(tree, tree.leaf)
        if history.more:
            if settings is not None:
                screen.use_settings(settings)
            screen.begin_welcome(new=False)
            screen.transcript.extend(history.older(FIRST_PIECE))
            await asyncio.sleep(0)
    except OSError as error:  # what is wrong is told by whoever opens it
        log.warning("the end of the session could not be shown: %s", error)
    finally:
        tree.lines.close()
