"""The full-screen program: composes what it is given; screens and widgets own their behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text
from textual.app import App

from pi_term.ai.catalog import ModelRegistry
from pi_term.base.crash import write_crash_report
from pi_term.base.diagnostics import Diagnostic
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.startup import Started
from pi_term.render.theme import Theme
from pi_term.tui.bridge import TuiBridge
from pi_term.tui.driver import PiDriver
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.screens.main import MainScreen
from pi_term.tui.theme_binding import apply_theme
from pi_term.tui.widgets.editor import PromptHistory


@dataclass(slots=True)
class AppParts:
    """What the program is made of before it is on the screen.

    `prompts` are sent as soon as it is; `loaded` is what the header tells; `crash_dir` gets a report when
    the program breaks.
    """

    started: Started
    theme: Theme
    keys: KeyTable
    history: PromptHistory
    crash_dir: Path
    prompts: Sequence[str] = ()
    loaded: Sequence[str] = ()
    diagnostics: Sequence[Diagnostic] = field(default_factory=tuple)


class PiTermApp(App[int]):
    """One session on one terminal."""

    CSS_PATH = "pi_term.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = []
    TITLE = "pi-term"

    def __init__(self, parts: AppParts) -> None:
        super().__init__(driver_class=PiDriver, ansi_color=False)
        self.parts = parts
        self.theme_colours = parts.theme
        self.keys = parts.keys
        self.history = parts.history
        self.loaded = parts.loaded
        self.bridge = TuiBridge(self)
        self.crash_report: Path | None = None
        self.main = MainScreen(self)

    @property
    def session(self) -> AgentSession:
        """The session that is shown."""
        return self.parts.started.session

    @property
    def registry(self) -> ModelRegistry:
        """The models to choose from."""
        return self.parts.started.registry

    def on_mount(self) -> None:
        apply_theme(self, self.theme_colours)
        self.push_screen(self.main)
        for diagnostic in self.parts.diagnostics:
            level = "error" if diagnostic.severity == "error" else "warning"
            self.notice(diagnostic.text(), level)
        for prompt in self.parts.prompts:
            self.main.send(prompt)

    def use_theme(self, theme: Theme) -> None:
        """Change all colours."""
        self.theme_colours = theme
        apply_theme(self, theme)
        self.main.use_theme(theme)

    def notice(self, text: str, level: str = "info") -> None:
        """Tell something in the transcript."""
        self.main.notice(text, level)

    def _fatal_error(self) -> None:
        """Instead of a traceback: where the report of it lies, once the terminal is restored."""
        error = self._exception
        if error is not None:
            self.crash_report = write_crash_report(error, self.parts.crash_dir)
            self._exit_renderables.append(
                Text(f"pi-term: an unexpected error ended the program. The report is in {self.crash_report}")
            )
        self._close_messages_no_wait()
