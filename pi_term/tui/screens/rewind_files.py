"""Which files shall go back: each with what would change in it, ticked or not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.fuzzy import matcher
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.rewind_look import (
    count_of_files,
    file_row,
    file_rows,
)
from pi_term.tui.screens.text_preview import line_counts
from pi_term.tui.text import Span, ends, path_text

if TYPE_CHECKING:
    from pi_term.coding.checkpoints import FilePreview, Preview


class RewindFilesScreen(BrowserScreen[frozenset[str]]):
    """Dismissed with the paths that are ticked, or None when closed.

    What has no obstacle is ticked at first; what somebody else changed only by the user; what cannot be
    restored never is.
    """

    CONTEXTS: ClassVar[tuple[str, ...]] = ("rewind", "browse", "select")

    def __init__(self, preview: Preview, cwd: Path, looks: Looks) -> None:
        super().__init__(looks)
        self._files = preview.files
        self._cwd = cwd
        self._ticked = set(preview.ready)
        self._shown = list(self._files)

    def on_mount(self) -> None:
        self.ready()

    @property
    def count(self) -> int:
        """Files that match."""
        return len(self._shown)

    def heading(self, width: int) -> list[Line]:
        """How much would change."""
        theme = self.theme_colours
        ticked = [each for each in self._files if each.file.path in self._ticked]
        differences = [each.difference for each in ticked if each.difference is not None]
        added, removed = (sum(getattr(each, name) for each in differences) for name in ("added", "removed"))
        title = self.titled("Which files go back?")
        total: list[Span] = [(f"{len(ticked)} of {count_of_files(len(self._files))}  ", theme.style("muted"))]
        return [ends(title, [*total, *line_counts(added, removed, theme)], width)]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        each = self._shown[place]
        mark = "[x] " if each.file.path in self._ticked else "[ ] " if each.file.confirmable else " ×  "
        return file_row(each, self._cwd, width, self.theme_colours, ground, mark)

    def nothing(self) -> str:
        return "nothing matches"

    def subject(self) -> object:
        """The selected file."""
        return self._selected()

    def preview_label(self) -> str:
        selected = self._selected()
        return "" if selected is None else path_text(selected.file.path, self._cwd)

    def start_preview(self, width: int) -> None:
        selected = self._selected()
        if selected is None:
            return

        async def make() -> None:
            rows = await asyncio.to_thread(file_rows, selected, width, self.theme_colours)
            self.show_preview(selected, rows)

        run_in_background(self, make, "rewind preview")

    def searched(self) -> None:
        """Show the files whose path holds all the words."""
        matches = matcher(self.query_text)
        self._shown = [each for each in self._files if matches(path_text(each.file.path, self._cwd))]

    def hints(self) -> list[tuple[str, str]]:
        return [
            (self.hint("tui.select.confirm"), "goes on with the ticked"),
            (self.hint("app.rewind.tick"), "ticks"),
            (self.hint("app.rewind.tickAll"), "ticks all"),
            (self.hint("tui.select.cancel"), "closes"),
        ]

    def confirm(self) -> None:
        if self._ticked:
            self.dismiss(frozenset(self._ticked))
        else:
            self.note = f"Nothing is ticked: {self.hint('app.rewind.tick')} ticks a file."
            self.paint()

    # --- actions

    def action_rewind_tick(self) -> None:
        """Tick the selected file, or take the tick away."""
        selected = self._selected()
        if selected is None:
            return
        if not selected.file.confirmable:
            self.note = f"It cannot be restored: {selected.file.reason}."
            return
        self._ticked ^= {selected.file.path}

    def action_rewind_tick_all(self) -> None:
        """Tick all files that are shown, or none where all are."""
        paths = {each.file.path for each in self._shown if each.file.confirmable}
        self._ticked = self._ticked - paths if paths <= self._ticked else self._ticked | paths

    def _selected(self) -> FilePreview | None:
        return self._shown[self.at] if self.at < len(self._shown) else None
