"""The prompts of this branch over the whole screen: before which one shall a new session go on?"""

from __future__ import annotations

import asyncio
from functools import partial

from pi_term.coding.session import SessionTree, StoredEntry, landing
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.fuzzy import best_matches
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends
from pi_term.tui.screens.entry_preview import entry_preview
from pi_term.tui.screens.tree_text import searched_text
from pi_term.tui.text import ends, one_line


class ForkScreen(BrowserScreen[StoredEntry]):
    """Dismissed with the prompt before which to fork. The latest one is selected at first."""

    def __init__(self, looks: Looks, tree: SessionTree) -> None:
        super().__init__(looks)
        self._tree = tree
        self._prompts: list[StoredEntry] = []
        self._shown: list[int] = []
        self._turn = 0
        self._searching = True

    def on_mount(self) -> None:
        super().on_mount()
        run_in_background(self, self._load, "prompts")

    async def _load(self) -> None:
        self._prompts = await asyncio.to_thread(_prompts, self._tree)
        self._shown = list(range(len(self._prompts)))
        self.at = len(self._shown) - 1
        self._searching = False
        self.ready()

    @property
    def count(self) -> int:
        return len(self._shown)

    def heading(self, width: int) -> list[Line]:
        theme = self.theme_colours
        position = f"({self.at + 1 if self.count else 0}/{self.count})"
        title = ends(
            [("Fork ", theme.style("accent", bold=True)), (position, theme.style("muted"))], [], width
        )
        about = "A new session from before the prompt; it comes into the editor. This one stays as it is."
        return [title, ends([(about, theme.style("dim"))], [], width)]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        number = self._shown[place]
        said = one_line(landing(self._prompts[number])[1] or "") or "(no text)"
        theme = self.theme_colours
        aside = [(f"{number + 1}", theme.style("dim", ground))]
        return both_ends([(said, theme.style("text", ground))], aside, width)

    def nothing(self) -> str:
        if self._searching:
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
        self._turn += 1
        run_in_background(self, partial(self._find, self._turn, self.query_text), "search")

    async def _find(self, turn: int, query: str) -> None:
        """Of several that match, the best one is selected."""
        found = await asyncio.to_thread(
            lambda: best_matches(query, [searched_text(entry) for entry in self._prompts])
        )
        if turn == self._turn:
            self._shown = found if query else list(range(len(self._prompts)))
            self.at = 0 if query else len(self._shown) - 1
            self.paint()

    def confirm(self) -> None:
        entry = self.subject()
        if entry is not None:
            self.dismiss(entry)


def _prompts(tree: SessionTree) -> list[StoredEntry]:
    return [entry for entry in tree.branch() if entry.role == "user"]
