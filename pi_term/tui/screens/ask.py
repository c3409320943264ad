"""A question whose answer is text."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from pi_term.ai.messages import ImageContent
from pi_term.base.sanitize import sanitize
from pi_term.render.theme import Theme
from pi_term.tui.keymap.resolver import KeyResolver
from pi_term.tui.keymap.table import KeyTable
from pi_term.tui.opening import again
from pi_term.tui.screens.countdown import Countdown
from pi_term.tui.screens.overlay import Overlay
from pi_term.tui.screens.title_rows import title_rows
from pi_term.tui.text import ends
from pi_term.tui.widgets.editor import Editor, EditorSubmitted, PromptHistory
from pi_term.tui.widgets.rows import Rows

_FOR_EDITOR = 7  # rows of the screen that a long question leaves


class AskScreen(Overlay[str | None], ModalScreen[str | None]):
    """Dismissed with the text, or None when closed."""

    BINDINGS = []

    def __init__(
        self,
        title: str,
        *,
        theme: Theme,
        keys: KeyTable,
        placeholder: str = "",
        prefill: str = "",
        history: PromptHistory | None = None,
        timeout: float | None = None,
    ) -> None:
        """`history`: the text is a prompt, so earlier ones are at hand and large pastes in it fold.

        `timeout` tells in how many seconds whoever shows this will close it.
        """
        super().__init__()
        self.shows_images = False  # the text that it began with came with some
        self.images: list[ImageContent] = []  # that were in the text which was sent
        self._countdown = Countdown(timeout)
        self._title_rows = sanitize(title).splitlines()
        self._theme = theme
        self._prefill = prefill
        self._editor = Editor(
            KeyResolver(keys), dispatch=self._dispatch, history=history, placeholder=placeholder, shell=False
        )
        self._editor.divert = self.passes_on

    def compose(self) -> ComposeResult:
        yield Rows(id="question")
        yield self._editor

    def on_mount(self) -> None:
        self._countdown.start(self, self._paint)
        self._paint()
        self._editor.set_text(self._prefill)
        self.shows_images = bool(self._editor.draft.attachments)
        self._editor.focus()

    def on_resize(self) -> None:
        self._paint()

    def on_key(self, event: events.Key) -> None:
        """What was typed before the editor had the focus is for it."""
        event.stop()
        if not self._editor.has_focus:
            self._editor.post_message(again(event))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self._editor.has_focus:
            self._editor.post_message(again(event))

    def on_editor_submitted(self, message: EditorSubmitted) -> None:
        message.stop()
        self.images = [each.image for each in message.attachments]
        self.dismiss(message.text)

    def _dispatch(self, action_id: str) -> bool:
        """Escape and Ctrl+C close, Ctrl+Z suspends; nothing else of the main screen applies here."""
        if action_id in ("app.interrupt", "app.clear"):
            self.dismiss(None)
        elif action_id == "app.suspend":
            self.app.action_suspend_process()
        else:
            return False
        return True

    def _paint(self) -> None:
        theme, width = self._theme, max(20, self.app.size.width)
        first, *others = self._title_rows or [""]
        style = theme.style("accent", bold=True)
        parts = [(text, style) for text in (f"{first}{self._countdown.text}", *others)]
        rows = title_rows(parts, width, max(1, self.app.size.height - _FOR_EDITOR))
        hint = ends([("enter confirms · esc closes", theme.style("dim"))], [], width)
        self.query_one(Rows).show([*rows, hint])
