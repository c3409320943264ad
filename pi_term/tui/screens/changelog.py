"""What is new in the program."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.paths import shipped_file
from pi_term.tui.screens.page import PageScreen

if TYPE_CHECKING:
    from pi_term.tui.app import PiTermApp


async def show_changelog(app: PiTermApp) -> None:
    """Show it, the newest version first."""
    text = await asyncio.to_thread(_changelog, shipped_file("CHANGELOG.md"))
    await app.bridge.custom(PageScreen("What is new", text, theme=app.theme_colours, keys=app.keys))


def _changelog(path: Path) -> str:
    """Its text without the heading of the whole."""
    if not path.is_file():
        raise PiTermError("no_changelog", "This installation has no changelog.")
    text = read_text(path)
    return text.removeprefix("# Changelog").lstrip("\n")
