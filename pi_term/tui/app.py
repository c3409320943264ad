"""The full-screen program: composes what it is given; screens and widgets own their behaviour."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.await_complete import AwaitComplete

from pi_term.base.crash import write_crash_report
from pi_term.base.dataclass import dataclass
from pi_term.base.errors import PiTermError
from pi_term.base.sanitize import sanitize
from pi_term.tui.attention import Attention
from pi_term.tui.background import after, run_in_background
from pi_term.tui.bridge import TuiBridge
from pi_term.tui.containment import ContainingApp
from pi_term.tui.driver import PiDriver
from pi_term.tui.foreshow import foreshow
from pi_term.tui.looks import Looks
from pi_term.tui.no_colour import without_colours
from pi_term.tui.opening import Opening, is_homeless
from pi_term.tui.presence import Presence
from pi_term.tui.screens.main import MainScreen
from pi_term.tui.theme_binding import apply_theme, ask_terminal, is_light, set_colour_depth
from pi_term.tui.theme_watch import ThemeWatch
from pi_term.tui.warm import warm_imports, warm_rendering
from pi_term.tui.widgets.editor import PromptHistory

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pi_term.ai.catalog import ModelRegistry
    from pi_term.ai.messages import ImageContent
    from pi_term.coding.agent_session import AgentSession
    from pi_term.coding.session import SessionTree
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.coding.startup import Started
    from pi_term.coding.workspace import Workspace
    from pi_term.render.theme import Theme
    from pi_term.tui.driver.reports import TerminalColour
    from pi_term.tui.driver.surroundings import Surroundings
    from pi_term.tui.keymap.table import KeyTable


@dataclass(slots=True)
class AppParts:
    """What the program is made of before it is on the screen.

    `start` makes the session, asking through the bridge where it must; `guide` does so in its place, as far
    as a model may be missing; `looks_of` tells the colours and keys that the settings wish, a trusted
    project's too where there is a session, on a background that is `light` as far as the terminal told.
    `tail` reads the end of the history that is to be gone on with, if there is one: it is shown, as the
    user's own `settings` say, before the session is there. `prompts` are sent as soon as there is one, the
    first with `images`; with `resume`, people choose an earlier session before. `demo`: the scripted model
    will answer, which the first picture tells already. `quiet` is the setting `quietStartup`, `true_color`
    what people say of 24-bit colours. `crash_dir` gets a report when the program breaks, `drafts` what was
    not sent when it ends; `history_file` tells where the prompts of a folder are kept.
    """

    start: Callable[[TuiBridge], Awaitable[Started]]
    looks: Looks
    looks_of: Callable[[Started | None], Looks]
    history: PromptHistory
    crash_dir: Path
    drafts: Path | None = None
    history_file: Callable[[Path], Path] | None = None
    prompts: Sequence[str] = ()
    images: Sequence[ImageContent] = ()
    resume: bool = False
    settings: SettingsStore | None = None
    tail: Callable[[], SessionTree | None] | None = None  # blocks
    demo: bool = False
    guide: Callable[[PiTermApp], Awaitable[Started]] | None = None
    light: bool | None = None
    quiet: bool | str = False
    true_color: bool | None = None
    tidy: Callable[[], object] | None = None  # clears away what nobody needs any more; blocks


_FIRST_KEYS = 0.1  # seconds that belong to the first keys before the core is loaded
_PRELOAD = 0.05  # seconds after the start until what the first answer needs is loaded


class PiTermApp(ContainingApp[int], inherit_bindings=False):
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
        self.looks = parts.looks
        self.all_keys = False  # as far as the terminal told
        self.theme_watch = ThemeWatch(self)
        self.history = parts.history
        self.bridge = TuiBridge(self)
        self.attention = Attention()
        self.opening = Opening(self)
        self.presence = Presence(self)
        self.started: Started | None = None
        self.wanted = asyncio.Event()  # somebody waits for the session
        self.crash_report: Path | None = None
        self._workspace: Workspace | None = None  # of the session that is shown
        self.main = MainScreen(self)
        apply_theme(self, parts.looks.theme)
        set_colour_depth(self, parts.true_color)
        without_colours(self, lambda: self.looks.theme)

    @property
    def theme_colours(self) -> Theme:
        """The colours of now."""
        return self.looks.theme

    @property
    def keys(self) -> KeyTable:
        """The keys of now."""
        return self.looks.keys

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

    def get_default_screen(self) -> MainScreen:
        """The screen at the bottom; there is no other below it."""
        return self.main

    def on_mount(self) -> None:
        self.theme_watch.follow(self.looks.theme_file)
        ask_terminal(self)
        self.call_after_refresh(run_in_background, self, self._start, "start")

    async def _start(self) -> None:
        """Make the session, show it, and send what the command line asked for."""
        if self.parts.tail is not None:
            await foreshow(self.main, self.parts.tail, self.parts.settings)
        elif not (self.parts.resume or self.parts.prompts):
            with suppress(TimeoutError):
                await asyncio.wait_for(self.wanted.wait(), _FIRST_KEYS)
        await warm_imports()
        try:
            self.started = await self._session()
        except PiTermError as error:
            lines = [f"pi-term: {sanitize(line)}" for line in (*error.findings, error.text())]
            self.exit(1, return_code=1, message=Text("\n".join(lines)))
            return
        self._workspace = self.started.workspace
        looks = self.looks
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
        after(self, _PRELOAD, self._preload)

    async def _session(self) -> Started:
        guide = self.parts.guide
        return await (self.parts.start(self.bridge.unasked) if guide is None else guide(self))

    def _preload(self) -> None:
        """Load what the first answer needs, while nobody waits for it."""
        from pi_term.ai.wire.http import preload

        async def load() -> None:
            await asyncio.to_thread(preload)
            await warm_rendering(self.session.file.tree)
            await self.main.overlays.reloader.note_what_is_there()
            if self.parts.tidy is not None:
                await asyncio.to_thread(self.parts.tidy)

        run_in_background(self, load, "start")

    def follow_folder(self) -> None:
        """Another session is open: one of another folder brings colours, keys and settings of its own."""
        started = self.started
        if started is None or started.workspace is self._workspace:
            return
        self._workspace = started.workspace
        looks = self.parts.looks_of(started)
        self.use_looks(looks)
        self.main.use_folder(started)
        for diagnostic in looks.diagnostics:
            self.notice(diagnostic.text(), diagnostic.severity)

    async def on_event(self, event: events.Event) -> None:
        """What is typed while a question comes up goes where it was meant to go."""
        if self.attention.diverts(event):
            self.main.editor.post_message(event)
        elif self.opening.takes(event):
            return
        elif is_homeless(self, self.main, event):
            self.main.editor.focus()
            self.main.editor.post_message(event)
        else:
            await super().on_event(event)

    def on_program_status_heard(self) -> None:
        """The terminal, or who watches it, wants to know what goes on."""
        self.surround(lambda around: around.program.answered())

    def on_app_focus(self) -> None:
        """Somebody looks at the terminal again."""
        self.presence.seen()

    def on_key(self, event: events.Key) -> None:
        """Escape closes every screen that has no use of its own for it."""
        if event.key == "escape" and self.screen is not self.main:
            event.stop()
            self.screen.dismiss(None)

    def pop_screen(self) -> AwaitComplete:
        """Close what lies over the main screen, which stays, whoever asks once too often."""
        return AwaitComplete() if self.screen is self.main else super().pop_screen()

    def surround(self, change: Callable[[Surroundings], str]) -> None:
        """Change what the terminal shows around the program, where there is one."""
        if isinstance(self._driver, PiDriver):
            self._driver.surround(change)

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """End; what waits and will not be delivered any more comes into the editor, whose text is kept."""
        if self.started is not None and (waiting := self.session.take_queued()):
            self.main.editor.prepend(waiting)
        super().exit(result, return_code, message)

    def use_looks(self, looks: Looks) -> None:
        """Change colours and keys."""
        new_theme = looks.theme is not self.looks.theme
        self.looks = looks
        self.theme_watch.follow(looks.theme_file)
        if new_theme:
            apply_theme(self, looks.theme)
        self.main.use_looks(looks)

    def on_keyboard_reported(self) -> None:
        """The terminal sends every key."""
        self.all_keys = True

    def on_terminal_colour(self, message: TerminalColour) -> None:
        """The terminal tells of its colours; where the theme goes by them, another may be meant."""
        if not message.background:
            return
        self.parts.light = is_light(message.rgb)
        looks = self.parts.looks_of(self.started)
        if looks.theme.name != self.looks.theme.name:
            self.use_looks(looks)

    def notice(self, text: str, level: str = "info") -> None:
        """Tell something in the transcript."""
        self.main.notice(text, level)

    def _fatal_error(self) -> None:
        """Instead of a traceback: where the report of it lies, once the terminal is restored."""
        error = self._exception
        if error is not None:
            said = "pi-term: an unexpected error ended the program."
            with suppress(OSError):
                self.crash_report = write_crash_report(error, self.parts.crash_dir)
                said = f"{said} The report: {self.crash_report}"
            self._exit_renderables.append(Text(said))
        self._close_messages_no_wait()
