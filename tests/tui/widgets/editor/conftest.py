"""An app around one editor, and a way to see its screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Static

from pi_term.tui.keymap.resolver import KeyResolver
from pi_term.tui.keymap.table import KeyTable, load_table
from pi_term.tui.widgets.editor import Editor, EditorChanged, EditorSubmitted


class Host(App[None]):
    """A transcript of nothing, the editor, a footer."""

    CSS = "#above { height: 1fr; } #below { height: 1; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, table: KeyTable | None = None, **options: Any) -> None:
        super().__init__()
        self.actions: list[str] = []
        self.applicable: Callable[[str], bool] = lambda action_id: True
        self.submitted: list[str] = []
        self.commands: list[str] = []
        self.changed: list[str] = []
        resolver = KeyResolver(table or load_table()[0])
        self.editor = Editor(resolver, dispatch=self._dispatch, **options)

    def compose(self) -> ComposeResult:
        yield Static("transcript", id="above")
        yield self.editor
        yield Static("footer", id="below")

    def on_mount(self) -> None:
        self.editor.focus()

    def _dispatch(self, action_id: str) -> bool:
        self.actions.append(action_id)
        return self.applicable(action_id)

    def on_editor_submitted(self, message: EditorSubmitted) -> None:
        (self.commands if message.shell else self.submitted).append(message.text)

    def on_editor_changed(self, message: EditorChanged) -> None:
        self.changed.append(message.prefix)


class Driver:
    """What a user does and sees."""

    def __init__(self, app: Host, pilot: Pilot[None]) -> None:
        self.app = app
        self.editor = app.editor
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type without waiting for the program, as a fast typist or a script does."""
        for char in text:
            key = events.Key("ctrl+j", None) if char == "\n" else events.Key(_character_to_key(char), char)
            self.app.post_message(key)
        await self.pilot.pause()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    def screen(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def rows(self) -> list[str]:
        """The editor's rows without its rules and margin."""
        region = self.editor.region
        return [line[1:] for line in self.screen()[region.y + 1 : region.bottom - 1]]

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()


Open = Callable[..., AbstractAsyncContextManager[Driver]]


@pytest.fixture
def open_editor() -> Open:
    """`async with open_editor(size=(w, h), **options of Editor) as driver`."""

    @asynccontextmanager
    async def opened(size: tuple[int, int] = (40, 24), **options: Any) -> AsyncIterator[Driver]:
        app = Host(**options)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Driver(app, pilot)

    return opened
