"""What the actions of the transcript do beyond scrolling: searching, selecting and copying."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pi_term.coding.settings import schema
from pi_term.tui.pictures.support import links_wanted
from pi_term.tui.widgets.transcript.widget import WHEEL_LINES

if TYPE_CHECKING:
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.tui.marking import Marking
    from pi_term.tui.screens.main import MainScreen
    from pi_term.tui.searching import Searching
    from pi_term.tui.widgets.transcript import BlockClicked

_AGAIN = 3.0  # seconds within which asking again means the piece of code before


class TranscriptActions:
    """Handlers of the action table, and what clicks in the transcript ask for.

    What searches, selects and copies is loaded when it is first asked for.
    """

    def __init__(self, screen: MainScreen) -> None:
        self._screen = screen
        self._searching: Searching | None = None
        self._marking: Marking | None = None
        self._code_asked = 0.0
        self._code_number = 0  # of the piece of code that was copied last, from the lowest one up

    def use(self, settings: SettingsStore) -> None:
        """Show the transcript as these settings say."""
        transcript = self._screen.transcript
        wheel = settings.get(schema.WHEEL_LINES)
        transcript.wheel_lines = wheel if isinstance(wheel, int) else WHEEL_LINES
        transcript.thumb = settings.get(schema.SCROLLBAR) != "hidden"
        transcript.links = links_wanted(settings.get(schema.HYPERLINKS))
        transcript.refresh()

    # --- searching and selecting

    @property
    def searching(self) -> Searching:
        """The search of the transcript."""
        if self._searching is None:
            from pi_term.tui.searching import Searching

            self._searching = Searching(self._screen)
        return self._searching

    @property
    def marking(self) -> Marking:
        """Selecting with keys."""
        if self._marking is None:
            from pi_term.tui.marking import Marking

            self._marking = Marking(self._screen)
        return self._marking

    def action_search(self, text: str = "") -> bool:
        """Look for something in the transcript, at once for `text`."""
        if not self.searching.is_open:
            self.close_row()
        self.searching.open(text)
        return True

    def action_select_text(self) -> bool:
        """Select text with keys."""
        self.close_row()
        if not self.marking.open():
            self._screen.status.note("There is nothing to select yet.")
        return True

    def close_row(self, *, back: bool = False) -> bool:
        """End a search or a selection with keys; whether there was one."""
        if self._searching is not None and self._searching.close(back=back):
            return True
        return self._marking is not None and self._marking.close()

    def paint(self) -> None:
        """Draw the row of a search or a selection anew."""
        taker = self._screen.key_row.taker
        if taker is not None:
            taker.paint()

    # --- copying

    def copy(self, text: str, said: str) -> None:
        """Copy a text, and tell."""
        from pi_term.tui.clipboard import copy_text

        copied = copy_text(self._screen.program, text)
        self._screen.status.note(said if copied else "That is too long to be copied.")

    def action_copy_code(self) -> bool:
        """Copy the lowest piece of code that is seen; asked again at once, the one above it."""
        now = time.monotonic()
        self._code_number = self._code_number + 1 if now - self._code_asked < _AGAIN else 0
        self._code_asked = now
        code = self._screen.transcript.code_above(self._code_number)
        if code is None:
            self._code_asked = 0.0
            above = " above" if self._code_number else ""
            self._screen.status.note(f"There is no code to copy{above}.")
        else:
            self._copy_code(code)
        return True

    def _copy_code(self, code: str) -> None:
        count = code.count("\n") + 1
        self.copy(code, f"Code copied: {count:,} line{'' if count == 1 else 's'}.")

    def clicked(self, click: BlockClicked) -> None:
        """A row was clicked that offers to copy its code."""
        if click.code is not None:
            self._copy_code(click.code)

    def selected(self) -> None:
        """The mouse has selected something: it is copied at once, unless the settings say otherwise."""
        started = self._screen.program.started
        if started is None or not started.settings.get(schema.COPY_ON_SELECT):
            return
        text = self._screen.transcript.selected_text()
        if text.strip():
            self.copy(text, "Selection copied.")
