"""Signing in with a provider: what it says, and what it asks for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from pi_term.ai.catalog.sign_in import SignInUi
from pi_term.base.errors import PiTermError
from pi_term.base.sanitize import sanitize_line
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.render.wrap import word_spans
from pi_term.tui.background import run_in_background
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.screens.overlay import Overlay
from pi_term.tui.text import ends, line_of
from pi_term.tui.widgets.editor import Editor, EditorSubmitted
from pi_term.tui.widgets.rows import Rows

_ADDRESS = re.compile(r"https?://\S+")
_CLOSE = frozenset(("app.interrupt", "app.clear"))


class SignInScreen(Overlay[bool], ModalScreen[bool]):
    """Runs a sign-in and shows what it says; dismissed with whether it succeeded. Closing calls it off."""

    BINDINGS = []
    DEFAULT_CSS = "SignInScreen { align: left bottom; background: transparent; }"

    def __init__(
        self, who: str, sign_in: Callable[[SignInUi], Awaitable[None]], *, theme: Theme, keys: KeyTable
    ) -> None:
        super().__init__()
        self._who = who
        self._sign_in = sign_in
        self._theme = theme
        self._keys = KeyResolver(keys)
        self._said: list[tuple[str, str]] = []  # texts and the colour of each
        self._answer: asyncio.Future[str] | None = None
        self._editor = Editor(KeyResolver(keys), dispatch=self._dispatch, shell=False)
        self._editor.divert = self.passes_on

    def compose(self) -> ComposeResult:
        yield Rows(id="choose")
        yield self._editor

    def on_mount(self) -> None:
        self._editor.display = False
        self._paint()
        run_in_background(self, self._run, "sign-in")

    def on_resize(self) -> None:
        self._paint()

    def on_key(self, event: events.Key) -> None:
        """Keys while nothing is asked for."""
        event.stop()
        found = self._keys.resolve(("app",), event.key)
        if isinstance(found, Match):
            any(self._dispatch(action_id) for action_id in found.action_ids)

    def on_editor_submitted(self, message: EditorSubmitted) -> None:
        message.stop()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(message.text)

    async def ask(self, title: str, placeholder: str) -> str:
        """Ask for a line, say a code."""
        self.say(title, "accent")
        self._editor.placeholder = placeholder
        self._editor.display = True
        self._editor.focus()
        self._answer = asyncio.get_running_loop().create_future()
        try:
            return await self._answer
        finally:
            self._answer = None
            self._editor.clear()
            self._editor.display = False

    async def _run(self) -> None:
        try:
            await self._sign_in(_Ui(self))
        except PiTermError as error:
            self.say(error.text(), "error")
            return
        self.dismiss(True)

    def _dispatch(self, action_id: str) -> bool:
        if action_id in _CLOSE:
            self.dismiss(False)
            return True
        if action_id == "app.suspend":
            self.app.action_suspend_process()
            return True
        address = self._address()
        if action_id == "app.message.copy" and address:
            self.app.copy_to_clipboard(address)
            self.say("Address copied.", "dim")
            return True
        return False

    def _address(self) -> str:
        """The address that was told last."""
        found = [each for text, _ in self._said for each in _ADDRESS.findall(text)]
        return found[-1] if found else ""

    def say(self, text: str, colour: str = "text") -> None:
        """Show a text below what was said before."""
        self._said += [(sanitize_line(line), colour) for line in text.splitlines()]
        self._paint()

    def _paint(self) -> None:
        self.query_one(Rows).show(self._rows(max(20, self.app.size.width)))

    def _rows(self, width: int) -> list[Line]:
        theme = self._theme
        rule = line_of(("─" * width, theme.style("borderAccent")))
        rows = [rule, ends([(f"Sign in: {self._who}", theme.style("accent", bold=True))], [], width)]
        for text, colour in self._said:
            rows += [ends([(piece, theme.style(colour))], [], width) for piece in _wrapped(text, width - 2)]
        copy = self._keys.hint("app.message.copy")
        hint = (f"{copy} copies the address · " if copy and self._address() else "") + "esc calls it off"
        return [*rows, ends([(hint, theme.style("dim"))], [], width), rule]


def _wrapped(text: str, width: int) -> list[str]:
    """The text on as many rows as it takes: an address is shown whole."""
    return [text[start:end] for start, end, _ in word_spans(text, width)]


class _Ui:
    """The screen as sign-ins know it."""

    def __init__(self, screen: SignInScreen) -> None:
        self._screen = screen

    async def input(self, title: str, placeholder: str = "") -> str | None:
        return await self._screen.ask(title, placeholder)

    def notify(self, message: str) -> None:
        self._screen.say(message)
