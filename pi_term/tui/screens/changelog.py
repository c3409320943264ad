"""What is new in the program."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pi_term.base.errors import PiTermError
from pi_term.base.files import read_text
from pi_term.base.paths import shipped
from pi_term.render.line import Line
from pi_term.render.markdown.look import Look
from pi_term.render.markdown.stream import MarkdownStream
from pi_term.tui.screens.report import ReportScreen

if TYPE_CHECKING:
    from pi_term.tui.app import PiTermApp


async def show_changelog(app: PiTermApp) -> None:
    """Show it, the newest version first."""
    text = await asyncio.to_thread(_changelog, shipped("CHANGELOG.md"))
    stream = MarkdownStream(text, finished=True)

    def rows(width: int) -> list[Line]:
        return list(stream.lines(width, Look(app.theme_colours)))

    await app.bridge.custom(ReportScreen(app.looks, "What is new", rows, app.copy_to_clipboard))


def _changelog(path: Path) -> str:
    """Its text without the heading of the whole."""
    if not path.is_file():
        raise PiTermError("no_changelog", "This installation has no changelog.")
    text = read_text(path)
    return text.removeprefix("# Changelog").lstrip("\n")
