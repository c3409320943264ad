"""The whole program in a test: a scripted model, real tools, a screen to look at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual._context import visible_screen_stack
from textual.events import Key, Paste
from textual.keys import _character_to_key
from textual.pilot import Pilot

from pi_term.ai.models import ThinkingLevel
from pi_term.base.dataclass import dataclass
from pi_term.base.json import JsonObject
from pi_term.base.paths import shipped
from pi_term.coding.agent_session import AgentSession
from pi_term.coding.startup import Started, StartRequest
from pi_term.render.theme import Theme, load_theme
from pi_term.testing.scripted import ScriptedModel, until
from pi_term.testing.sessions import start_scripted
from pi_term.tui.app import AppParts, PiTermApp
from pi_term.tui.bridge import TuiBridge
from pi_term.tui.keymap.table import load_table
from pi_term.tui.looks import Looks
from pi_term.tui.widgets.editor import PromptHistory


@dataclass(slots=True)
class AppDriver:
    """Drives a running program as its user would."""

    app: PiTermApp
    pilot: Pilot[int]

    @property
    def session(self) -> AgentSession:
        """The session that is shown."""
        return self.app.session

    async def press(self, *keys: str) -> None:
        """Press keys, by Textual's names."""
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type text into whatever has the focus, as fast as it can be typed: much faster than `press`."""
        for char in text:
            key = "shift+enter" if char == "\n" else _character_to_key(char)
            self.app.post_message(Key(key, None if char == "\n" else char))
        await self.pilot.pause()

    async def paste(self, text: str) -> None:
        """Paste text into whatever has the focus: much faster than typing it."""
        screen = self.app.screen
        (screen.focused or screen).post_message(Paste(text))
        await self.pilot.pause()

    async def send(self, text: str) -> None:
        """Type a prompt and send it."""
        await self.type(text)
        await self.press("enter")

    def text(self) -> str:
        """What the screen shows, trailing blanks cut."""
        width, height = self.app.size
        # Textual has no public way to the picture. A dialog draws the screens below it: it is told which.
        visible_screen_stack.set(self.app._background_screens)
        rows = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text[:width].rstrip() for strip in rows[:height])

    def picture(self) -> str:
        """The screen as an SVG document, for snapshots."""
        return self.app.export_screenshot(title="pi-term")

    async def wait_for(self, wanted: str | Callable[[str], bool]) -> str:
        """Wait until the screen shows it; returns the screen."""
        shown = (lambda text: wanted in text) if isinstance(wanted, str) else wanted

        def found() -> bool:
            return shown(self.text())

        try:
            await self._until(found)
        except TimeoutError:
            raise AssertionError(f"{wanted!r} is not on the screen:\n{self.text()}") from None
        return self.text()

    async def settle(self) -> None:
        """Wait until the agent has settled and the screen shows it."""
        await self.session.wait_settled()
        await self._until(lambda: not self.app.main.status.working)
        await self.pilot.pause(0.1)

    async def _until(self, condition: Callable[[], bool]) -> None:
        await until(condition, pause=0.01)


@asynccontextmanager
async def run_app(
    script: ScriptedModel,
    folder: Path,
    *,
    size: tuple[int, int] = (100, 30),
    theme: str = "dark",
    thinking: ThinkingLevel | None = None,
    request: StartRequest | None = None,
    settings: JsonObject | None = None,
) -> AsyncIterator[AppDriver]:
    """The program on a scripted model, working in `folder/work`; without a terminal.

    `settings` are for this run, by dotted key.
    """
    parts = make_parts(script, folder, theme=theme, thinking=thinking, request=request, settings=settings)
    app = PiTermApp(parts)
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.started is not None and app.main.view is not None, pause=0.01)
        await pilot.pause()
        try:
            yield AppDriver(app, pilot)
        finally:
            assert app.started is not None
            await app.started.aclose()


def make_parts(
    script: ScriptedModel,
    folder: Path,
    *,
    theme: str = "dark",
    thinking: ThinkingLevel | None = None,
    request: StartRequest | None = None,
    settings: JsonObject | None = None,
) -> AppParts:
    """What a `PiTermApp` for tests is made of: shipped keys and a shipped theme, no history file."""

    async def start(ui: TuiBridge) -> Started:
        return await start_scripted(
            script, folder, thinking=thinking, ui=ui, request=request, settings=settings
        )

    looks = Looks(shipped_theme(theme), load_table()[0])
    return AppParts(
        start=start,
        looks=looks,
        looks_of=lambda started: looks,
        history=PromptHistory(),
        crash_dir=folder / "crashes",
    )


def shipped_theme(name: str) -> Theme:
    """A theme that comes with the program."""
    theme, problems = load_theme(shipped("themes") / f"{name}.json")
    if theme is None:
        raise ValueError("; ".join(problem.text() for problem in problems))
    return theme
