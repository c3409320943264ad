"""Back to before which prompt? With what would change in the files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING, ClassVar

from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.coding.session import StoredEntry, landing
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends, explained
from pi_term.tui.screens.rewind_look import count_of_files, preview_rows
from pi_term.tui.screens.text_preview import text_rows
from pi_term.tui.text import Span, ends, one_line

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.checkpoints import Preview


@dataclass(frozen=True, slots=True)
class RewindPlace:
    """Where to go back to: before the prompt `entry`, or, without one, before the last restore.

    `files` were changed by what the prompt led to, or would be by undoing.
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
        self._folded = [place.text.casefold() for place in places]
        self._previews: dict[tuple[RewindPlace, int], list[Line]] = {}
        self._differing: dict[str, int] = {}  # files, by entry id, once they were looked at
        last_prompt = (number for number, place in enumerate(places) if place.entry is not None)
        self.at = max(last_prompt, default=0)

    def on_mount(self) -> None:
        self.ready()
        run_in_background(self, self._look_at_files, "rewind counts")

    async def _look_at_files(self) -> None:
        """Find out how many files each place would change, as its preview will have them."""
        entries = [place.entry for place in self._places if place.entry is not None]
        try:
            found = await self._session.rewinder.differing(entries)
        except PiTermError as error:
            self.note = error.text()
        else:
            self._differing = {**found, **self._differing}  # what a preview has found out is newer
        self.paint()

    @property
    def count(self) -> int:
        """Places that match."""
        return len(self._shown)

    def heading(self, width: int) -> list[Line]:
        title = self.titled("Go back to before which prompt?")
        about = "Files go back as far as write and edit changed them; commands are not undone."
        return [ends(title, [], width), *explained(about, self.app.size, self.theme_colours)]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        each, theme = self._shown[place], self.theme_colours
        token = "text" if each.entry is not None else "accent"
        told = self._told(each)
        aside: list[Span] = [(told, theme.style("muted", ground))] if told else []
        return both_ends([(each.text, theme.style(token, ground))], aside, width)

    def _told(self, place: RewindPlace) -> str:
        """How many files would go back; what was changed and is again as it was then is said too."""
        count = place.files if place.entry is None else self._differing.get(place.entry.id)
        if count:
            return count_of_files(count)
        return "files as now" if count == 0 and place.files else ""

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
                if place.entry is not None:
                    self._differing[place.entry.id] = 0 if preview is None else len(preview.files)
                rows = await asyncio.to_thread(self._preview_rows, preview, width)
            except PiTermError as error:
                rows = text_rows(error.text(), width, self.theme_colours)
            self._previews[place, width] = rows
            self.show_preview(place, rows)

        run_in_background(self, make, "rewind preview")

    def searched(self) -> None:
        """Show the prompts that hold all the words."""
        words = self.query_text.casefold().split()
        found = [all(word in text for word in words) for text in self._folded]
        self._shown = list(compress(self._places, found))
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
