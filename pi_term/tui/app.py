"""The full-screen program: composes what it is given; screens and widgets own their behaviour."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import App

from pi_term.base.crash import write_crash_report
from pi_term.base.errors import PiTermError
from pi_term.base.sanitize import sanitize
from pi_term.tui.background import run_in_background
from pi_term.tui.bridge import TuiBridge
from pi_term.tui.driver import PiDriver
from pi_term.tui.looks import Looks
from pi_term.tui.screens.main import MainScreen
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.warm import warm_imports, warm_rendering
from pi_term.tui.widgets.editor import PromptHistory

if TYPE_CHECKING:
    from pi_term.ai.catalog import ModelRegistry
    from pi_term.ai.messages import ImageContent
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.startup import Started


@dataclass(slots=True)
class AppParts:
    """What the program is made of before it is on the screen.

    `start` makes the session, asking through the bridge where it must; `looks_of` tells the colours and keys
    that a trusted project wishes. `prompts` are sent as soon as there is one, the first with `images`; with
    `resume`, people choose an earlier session before. `urgent`: a history is to be shown, so nothing waits
    for the first keys. `crash_dir` gets a report when the program breaks.
    """

    start: Callable[[TuiBridge], Awaitable[Started]]
    looks: Looks
    looks_of: Callable[[Started], Looks]
    history: PromptHistory
    crash_dir: Path
    prompts: Sequence[str] = ()
    images: Sequence[ImageContent] = ()
    resume: bool = False
    urgent: bool = False


_FIRST_KEYS = 0.1  # seconds that belong to the first keys before the core is loaded
_PRELOAD = 0.3  # seconds after the start until what the first answer needs is loaded


class PiTermApp(App[int]):
    """One session on one terminal.

    The editor is there at once and takes keys; the session follows, a little at a time, so that none of
    them waits.
    """

    CSS_PATH = "pi_term.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = []
    TITLE = "pi-term"

    def __init__(self, parts: AppParts) -> None:
        super().__init__(driver_class=PiDriver)
        self.parts = parts
        self.theme_colours = parts.looks.theme
        self.keys = parts.looks.keys
        self.history = parts.history
        self.bridge = TuiBridge(self)
        self.started: Started | None = None
        self.wanted = asyncio.Event()  # somebody waits for the session
        self.crash_report: Path | None = None
        self.main = MainScreen(self)
        apply_theme(self, parts.looks.theme)

    @property
    def session(self) -> AgentSession:
        """The session that is shown; there is none before the program has started."""
        assert self.started is not None
        return self.started.session

    @property
    def registry(self) -> ModelRegistry:
        """The models to choose from; like `session`."""
        assert self.started is not None
        return self.started.registry

    async def on_mount(self) -> None:
        await self.push_screen(self.main)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        run_in_background(self, self._start, "start")

    async def _start(self) -> None:
        """Make the session, show it, and send what the command line asked for."""
        if not (self.parts.urgent or self.parts.prompts):
            with suppress(TimeoutError):
                await asyncio.wait_for(self.wanted.wait(), _FIRST_KEYS)
        await warm_imports()
        try:
            self.started = await self.parts.start(self.bridge)
        except PiTermError as error:
            lines = [f"pi-term: {sanitize(line)}" for line in (*error.findings, error.text())]
            self.exit(1, return_code=1, message=Text("\n".join(lines)))
            return
        looks = self.parts.looks
        if self.started.trust.trusted:
            looks = self.parts.looks_of(self.started)
            self.use_looks(looks)
        self.main.attach(self.started)
        for diagnostic in (*looks.diagnostics, *self.started.diagnostics):
            self.notice(diagnostic.text(), diagnostic.severity)
        if self.parts.resume:
            await self.main.session_actions.resume()
        for number, prompt in enumerate(self.parts.prompts):
            self.main.send(prompt, images=() if number else self.parts.images)
        self.set_timer(_PRELOAD, self._preload)

    def _preload(self) -> None:
        """Load what the first answer needs, while nobody waits for it."""
        from pi_term.ai.wire.http import preload

        async def load() -> None:
            await asyncio.to_thread(preload)
            await warm_rendering()

        run_in_background(self, load, "start")

    def use_looks(self, looks: Looks) -> None:
        """Change colours and keys."""
        self.theme_colours, self.keys = looks.theme, looks.keys
        apply_theme(self, looks.theme)
        self.main.use_looks(looks)

    def notice(self, text: str, level: str = "info") -> None:
        """Tell something in the transcript."""
        self.main.notice(text, level)

    def _fatal_error(self) -> None:
        """Instead of a traceback: where the report of it lies, once the terminal is restored."""
        error = self._exception
        if error is not None:
            self.crash_report = write_crash_report(error, self.parts.crash_dir)
            said = f"pi-term: an unexpected error ended the program. The report: {self.crash_report}"
            self._exit_renderables.append(Text(said))
        self._close_messages_no_wait()
