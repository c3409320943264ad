"""Back to before which prompt? With what would change in the files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.session import StoredEntry, landing
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.fuzzy import matcher
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends
from pi_term.tui.screens.rewind_look import count_of_files, preview_rows
from pi_term.tui.screens.text_preview import text_rows
from pi_term.tui.text import Span, ends, one_line

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints import Preview


@dataclass(frozen=True, slots=True)
class RewindPlace:
    """Where to go back to: before the prompt `entry`, or, without one, before the last restore.

    `files` were changed by what followed, or would be by undoing.
    """

    entry: StoredEntry | None
    text: str
    files: int


class RewindPromptsScreen(BrowserScreen[RewindPlace]):
    """Dismissed with the place, or None when closed."""

    CONTEXTS: ClassVar[tuple[str, ...]] = ("browse", "select")

    def __init__(self, session: AgentSession, places: Sequence[RewindPlace], looks: Looks) -> None:
        """`places` are in the order of time; the undo comes last."""
        super().__init__(looks)
        self._session = session
        self._places = places
        self._shown = list(places)
        self._previews: dict[tuple[RewindPlace, int], list[Line]] = {}
        last_prompt = (number for number, place in enumerate(places) if place.entry is not None)
        self.at = max(last_prompt, default=0)

    def on_mount(self) -> None:
        super().on_mount()
        self.ready()

    @property
    def count(self) -> int:
        """Places that match."""
        return len(self._shown)

    def heading(self, width: int) -> list[Line]:
        theme = self.theme_colours
        title: list[Span] = [("Go back to before which prompt?", theme.style("accent", bold=True))]
        about = "Files go back as far as write and edit changed them; commands are not undone."
        return [ends(title, [], width), ends([(about, theme.style("dim"))], [], width)]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        each, theme = self._shown[place], self.theme_colours
        token = "text" if each.entry is not None else "accent"
        aside: list[Span] = [(count_of_files(each.files), theme.style("muted", ground))] if each.files else []
        return both_ends([(each.text, theme.style(token, ground))], aside, width)

    def nothing(self) -> str:
        return "nothing matches"

    def subject(self) -> object:
        """The selected place."""
        return self._shown[self.at] if self.at < len(self._shown) else None

    def preview_label(self) -> str:
        return "what would change in the files"

    def start_preview(self, width: int) -> None:
        place = self._shown[self.at]
        known = self._previews.get((place, width))
        if known is not None:
            self.show_preview(place, known)
            return

        async def make() -> None:
            try:
                preview = await preview_of(self._session, place)
                rows = await asyncio.to_thread(self._preview_rows, preview, width)
            except PiTermError as error:
                rows = text_rows(error.text(), width, self.theme_colours)
            self._previews[place, width] = rows
            self.show_preview(place, rows)

        run_in_background(self, make, "rewind preview")

    def searched(self) -> None:
        """Show the prompts that hold all the words."""
        matches = matcher(self.query_text)
        self._shown = [place for place in self._places if matches(place.text)]
        self.at = len(self._shown) - 1

    def confirm(self) -> None:
        self.dismiss(self._shown[self.at])

    def hints(self) -> list[tuple[str, str]]:
        return [
            (self.hint("tui.select.confirm"), "chooses, and asks what goes back"),
            (self.hint("app.browse.previewDown"), "scrolls the preview"),
            (self.hint("tui.select.cancel"), "closes"),
        ]

    def _preview_rows(self, preview: Preview | None, width: int) -> list[Line]:
        theme = self.theme_colours
        if preview is None:
            return text_rows(f"{no_difference(self._session)}.".capitalize(), width, theme)
        return preview_rows(preview, self._session.harness.cwd, width, theme)


async def preview_of(session: AgentSession, place: RewindPlace) -> Preview | None:
    """What going to a place would change in the files; None for nothing."""
    if place.entry is None:
        return await session.rewinder.undo_preview()
    return await session.rewinder.preview(place.entry.id)


def no_difference(session: AgentSession) -> str:
    """Why no file can go back."""
    if session.rewinder.keeping:
        return "no file would be different"
    return "what files held before is not kept in this session"


def prompt_place(entry: StoredEntry, files: int) -> RewindPlace:
    """The place before a prompt. Reads the entry."""
    return RewindPlace(entry, one_line(landing(entry)[1] or "") or "(no text)", files)
