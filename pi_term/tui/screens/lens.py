"""The context lens: what the model gets with the next request, block by block."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style

from pi_term.base.errors import PiTermError
from pi_term.coding.lens import Block, ContextView, exclude, export_json, look, restore
from pi_term.render.line import Line
from pi_term.tui.background import run_in_background
from pi_term.tui.fuzzy import matcher
from pi_term.tui.looks import Looks
from pi_term.tui.screens.browser import BrowserScreen
from pi_term.tui.screens.browser_layout import both_ends
from pi_term.tui.screens.late_search import LateSearch, Wanted
from pi_term.tui.screens.text_preview import text_rows
from pi_term.tui.text import Span, ago_text, count_text, ends, one_line

if TYPE_CHECKING:
    from pi_term.coding.agent_session import AgentSession
    from pi_term.tui.app import PiTermApp

_BAR = 8  # cells that the largest block fills
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_COLOURS = {"tool": "toolTitle", "prompt": "accent", "message": "text", "summarized": "muted"}


class LensScreen(BrowserScreen[None]):
    """Shows the next request; a message in it can be taken out of the model's view and put back."""

    CONTEXTS: ClassVar[tuple[str, ...]] = ("lens", "browse", "select")

    def __init__(self, session: AgentSession, looks: Looks, folder: Path) -> None:
        """Exports go to `folder`."""
        super().__init__(looks)
        self._session = session
        self._folder = folder
        self._view: ContextView | None = None
        self._shown: list[int] = []
        self._biggest = 1
        self._tokens = self._cached_tokens = 0  # of the view
        self._late = LateSearch(self, self._find, self._take)

    def on_mount(self) -> None:
        run_in_background(self, self._load, "lens")

    def on_unmount(self) -> None:
        """Let go of what may be a whole long session: the collector finds a closed screen late."""
        self._view, self._shown = None, []

    # --- what the list is about

    @property
    def count(self) -> int:
        """Blocks that match."""
        return len(self._shown)

    def heading(self, width: int) -> list[Line]:
        """What is sent, and how much of it a cache can know."""
        theme, view = self.theme_colours, self._view
        title = self.titled("What the model gets next", more=view is None)
        if view is None:
            return [ends(title, [], width)]
        window = view.model.context_window
        share = f" ({self._tokens / window:.0%})" if window else ""
        size = f"≈ {count_text(self._tokens)} of {count_text(window)}{share}"
        cached = f"cached ≈ {count_text(self._cached_tokens)}; then {view.cache.reason}"
        asked = view.cache.asked_at
        ago = "" if asked is None else f"last request {ago_text(time.time() - asked / 1000)}"
        title.append((f" · {view.model.label}", theme.style("text")))
        muted = theme.style("muted")
        return [
            ends(title, [(size, theme.style("text"))], width),
            ends([(cached, muted)], [(ago, muted)], width),
        ]

    def row(self, place: int, width: int, ground: str | None) -> Line:
        """A block: its share as a bar, its tokens, what it is, how it begins."""
        block = self._block(place)
        theme = self.theme_colours
        left_out = block.state == "left_out"
        muted = theme.style("muted", ground)
        title = theme.style("muted" if left_out else _COLOURS[block.kind], ground, bold=not left_out)
        if left_out:
            title += Style(strike=True)
        bar = "" if left_out else _bar(block.tokens, self._biggest)
        left: list[Span] = [
            (f"{bar:<{_BAR}} ", theme.style("accent", ground)),
            (f"{count_text(block.tokens):>5} ", muted),
            (block.title, title),
            (f"  {one_line(block.text)}", theme.style("dim", ground)),
        ]
        note = block.reason if block.state != "sent" else "cached" if block.cached else ""
        warned = "warning" if block.state != "sent" else "dim"
        return both_ends(left, [(note, theme.style(warned, ground))] if note else [], width)

    def nothing(self) -> str:
        """While it is being looked at, and when nothing matches."""
        return "looking…" if self._view is None or self._late.busy else "nothing matches"

    def subject(self) -> object:
        """The selected block."""
        return self._block(self.at) if self.count else None

    def preview_label(self) -> str:
        """What is selected."""
        return self._block(self.at).title if self.count else ""

    def start_preview(self, width: int) -> None:
        """What the model reads."""
        run_in_background(self, partial(self._preview, self._block(self.at), width), "lens preview")

    def searched(self) -> None:
        """Show the blocks that hold all the words."""
        self._late.start()

    def _find(self, query: str, wanted: Wanted) -> list[int]:
        return _matching(self._view, query, wanted)

    def _take(self, found: list[int]) -> None:
        self._shown = found
        self.at = min(self.at, max(0, self.count - 1))
        self.paint()

    def action_select_confirm(self) -> None:
        if not self._late.holds_confirm():
            super().action_select_confirm()

    def confirm(self) -> None:
        """Take the block out of the model's view, or put it back."""
        block = self._block(self.at)
        if block.editable and block.entry_id is not None:
            run_in_background(self, partial(self._toggle, block, block.entry_id), "lens")
        else:
            self.note = "Only messages and results can be left out."

    def hints(self) -> list[tuple[str, str]]:
        """The keys of this list."""
        return [
            (self.hint("tui.select.confirm"), "leaves out or puts back"),
            (self.hint("app.context.export"), "writes JSON"),
            (self.hint("app.browse.previewDown"), "scrolls the preview"),
            (self.hint("tui.select.cancel"), "closes"),
        ]

    # --- actions

    def action_export(self) -> None:
        """Write the whole view as JSON into the working folder."""
        if self._view is not None:
            run_in_background(self, partial(self._export, self._view), "lens export")

    # --- inside

    def _block(self, place: int) -> Block:
        assert self._view is not None
        return self._view.blocks[self._shown[place]]

    async def _preview(self, block: Block, width: int) -> None:
        self.show_preview(block, await asyncio.to_thread(text_rows, block.text, width, self.theme_colours))

    async def _load(self) -> None:
        view = await look(self._session)
        if not self.is_attached:
            return
        query = self.query_text
        found = await asyncio.to_thread(_matching, view, query, lambda: True)
        self._view = view
        self._tokens, self._cached_tokens = view.tokens, view.cached_tokens
        self._biggest = max((each.tokens for each in view.blocks if each.state != "left_out"), default=1)
        self._take(found)
        if self._late.busy or query != self.query_text:
            self._late.start()  # what is found of the view that was is of no use
        self.ready()

    async def _toggle(self, block: Block, entry_id: str) -> None:
        work = exclude if block.state == "sent" else restore
        try:
            await work(self._session, entry_id)
        except PiTermError as error:
            self.note = error.text()
        await self._load()

    async def _export(self, view: ContextView) -> None:
        from pi_term.base import json
        from pi_term.base.files import atomic_write

        path = self._folder / f"context-{time.strftime('%Y%m%d-%H%M%S')}.json"
        text = json.dumps_str(export_json(view), indent=True)
        try:
            await asyncio.to_thread(atomic_write, path, text.encode("utf-8", "replace"))
        except OSError as error:
            self.note = f"{path} cannot be written: {error.strerror or error}"
        else:
            self.note = f"Written to {path}"
        self.paint()


def _matching(view: ContextView | None, query: str, wanted: Wanted) -> list[int]:
    """Which blocks hold all the words."""
    blocks = view.blocks if view is not None else ()
    if not query.strip():
        return list(range(len(blocks)))
    matches, found = matcher(query), list[int]()
    for number, block in enumerate(blocks):
        if not wanted():
            break
        if matches(f"{block.title}\n{block.text}\n{block.reason}"):
            found.append(number)
    return found


def _bar(tokens: int, biggest: int) -> str:
    eighths = round(8 * _BAR * tokens / max(1, biggest))
    whole, rest = divmod(max(1, eighths), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


async def show_lens(app: PiTermApp) -> None:
    """Show the lens until it is closed."""
    session = app.session
    await app.bridge.custom(lambda: LensScreen(session, app.looks, session.harness.cwd))
    app.main.paint()  # how full the context is may not be known any more
