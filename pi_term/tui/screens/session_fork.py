"""The prompts of this branch over the whole screen: before which one shall a new session go on?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from pi_term.coding.session import SessionTree, StoredEntry, landing
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.fuzzy import best_matches
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends, explained
from pi_term.tui.screens.entry_preview import entry_preview
from pi_term.tui.screens.late_search import LateSearch, Wanted
from pi_term.tui.screens.tree_text import searched_text
from pi_term.tui.text import ends, one_line


class ForkScreen(BrowserScreen[StoredEntry]):
    """Dismissed with the prompt before which to fork. The latest one is selected at first."""

    def __init__(self, looks: Looks, tree: SessionTree) -> None:
        super().__init__(looks)
        self._tree = tree
        self._prompts: list[StoredEntry] = []
        self._shown: list[int] = []
        self._texts: list[str] = []  # of the prompts, as far as they were searched
        self._loading = True
        self._late = LateSearch(self, self._find, self._take)

    def on_mount(self) -> None:
        run_in_background(self, self._load, "prompts")

    async def _load(self) -> None:
        self._prompts = await asyncio.to_thread(_prompts, self._tree)
        self._shown = list(range(len(self._prompts)))
        self.at = len(self._shown) - 1
        self._loading = False
        self.ready()

    @property
    def count(self) -> int:
        return len(self._shown)

    def heading(self, width: int) -> list[Line]:
        title = ends(self.titled("Fork", more=self._loading or self._late.busy), [], width)
        about = "A new session from before the prompt; it comes into the editor. This one stays as it is."
        return [title, *explained(about, self.app.size, self.theme_colours)]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        number = self._shown[place]
        said = one_line(landing(self._prompts[number])[1] or "") or "(no text)"
        theme = self.theme_colours
        aside = [(f"{number + 1}", theme.style("dim", ground))]
        return both_ends([(said, theme.style("text", ground))], aside, width)

    def nothing(self) -> str:
        if self._loading or self._late.busy:
            return "looking…"
        return "nothing matches" if self.query_text else "there is no prompt to fork from yet"

    def subject(self) -> StoredEntry | None:
        """The prompt that is selected."""
        return self._prompts[self._shown[self.at]] if 0 <= self.at < len(self._shown) else None

    def start_preview(self, width: int) -> None:
        entry = self.subject()
        if entry is not None:
            run_in_background(self, partial(self._preview, entry, width), "preview")

    async def _preview(self, entry: StoredEntry, width: int) -> None:
        rows = await asyncio.to_thread(entry_preview, entry, width, self.theme_colours)
        self.show_preview(entry, rows)

    def searched(self) -> None:
        self._late.start()

    def _find(self, query: str, wanted: Wanted) -> list[int]:
        """The prompts that match, the best first."""
        if not query.strip():
            return list(range(len(self._prompts)))
        return best_matches(query, self._searched(wanted))

    def _searched(self, wanted: Wanted) -> Iterator[str]:
        """What is searched of each prompt; each is read once."""
        for number, entry in enumerate(self._prompts):
            if not wanted():
                return
            if number == len(self._texts):
                self._texts.append(searched_text(entry))
            yield self._texts[number]

    def _take(self, found: list[int]) -> None:
        """Of several that match, the best one is selected."""
        self._shown = found
        self.at = 0 if self.query_text.strip() else len(found) - 1
        self.paint()

    def action_select_confirm(self) -> None:
        if not self._late.holds_confirm():
            super().action_select_confirm()

    def confirm(self) -> None:
        entry = self.subject()
        if entry is not None:
            self.dismiss(entry)


def _prompts(tree: SessionTree) -> list[StoredEntry]:
    return [entry for entry in tree.branch() if entry.role == "user"]
