"""The screen people live in: transcript, queue, status, editor, footer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from pi_term.render.line import Block
from pi_term.tui.actions import BY_ID
from pi_term.tui.commands import SlashCompletions, find_command, no_command
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.screens.main_actions import MainActions
from pi_term.tui.widgets.editor import Editor, EditorSubmitted
from pi_term.tui.widgets.footer import Footer, thinking_token
from pi_term.tui.widgets.header import Header
from pi_term.tui.widgets.queue_strip import QueueStrip
from pi_term.tui.widgets.status import StatusLine
from pi_term.tui.widgets.transcript import TopShown, Transcript

if TYPE_CHECKING:
    from pi_term.coding.startup import Started
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.looks import Looks
    from pi_term.tui.session_view import SessionView

_HINTS = (
    ("tui.input.submit", "sends"),
    ("app.message.followUp", "queues"),
    ("app.interrupt", "stops"),
    ("app.tools.expand", "opens tool output"),
)
_PLACEHOLDER = "Ask, or tell what to do. / for commands"
_DEMO_PLACEHOLDER = "Type tour, or help. / for commands"
# What works before there is a session; everything else waits until there is one.
_EARLY = frozenset(("app.clear", "app.exit", "app.suspend"))


class MainScreen(Screen[None]):
    """Composes the parts and routes keys and prompts; what a session does is shown by `SessionView`."""

    BINDINGS = []
    # Of few rows, the editor's are the last to go.
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (5, "-short"), (10, "-roomy")]

    def __init__(self, app: PiTermApp) -> None:
        super().__init__()
        self.program = app
        self.view: SessionView | None = None
        self._early: list[str] = []
        theme = app.theme_colours
        self.keys = KeyResolver(app.keys)
        self.header = Header(id="header")
        self.transcript = Transcript(
            theme, is_prompt=_is_prompt, expand_key=app.keys.hint("app.tools.expand"), id="transcript"
        )
        self.queue = QueueStrip(id="queue")
        self.status = StatusLine(theme, f"{app.keys.hint('app.interrupt')} to interrupt")
        self.editor = Editor(
            self.keys,
            dispatch=self.dispatch,
            history=app.history,
            completions=SlashCompletions(),
            placeholder=_PLACEHOLDER,
            id="editor",
        )
        self.footer = Footer(id="footer")
        self.actions = MainActions(self)

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.transcript
        yield self.queue
        yield self.status
        yield self.editor
        yield self.footer

    def on_mount(self) -> None:
        self.editor.focus()
        self.paint()

    def attach(self, started: Started) -> None:
        """Show the session, and send what was typed before it was there."""
        from pi_term.coding.settings import schema
        from pi_term.tui.session_view import SessionView

        self._loaded = [str(file.path) for file in started.resources.context_files()]
        self.view = SessionView(self, started.session)
        self.transcript.hide_thinking = started.settings.get(schema.HIDE_THINKING)
        if started.session.model.provider == "demo":
            self.editor.placeholder = _DEMO_PLACEHOLDER
        self.view.start()
        self.paint()
        early, self._early = self._early, []
        for text in early:
            self.send(text)

    def on_resize(self) -> None:
        self.paint()

    def on_key(self, event: events.Key) -> None:
        """Keys that reach the screen (nothing has the focus) do what they do in the editor."""
        event.stop()
        self.editor.focus()
        found = self.keys.resolve(("transcript", "app"), event.key)
        if isinstance(found, Match):
            any(self.dispatch(action_id) for action_id in found.action_ids)

    def on_paste(self, event: events.Paste) -> None:
        """A paste that nothing had the focus for is not lost."""
        event.stop()
        self.editor.focus()
        self.editor.post_message(events.Paste(event.text))

    def on_editor_submitted(self, message: EditorSubmitted) -> None:
        """A prompt was sent: a command is carried out, anything else goes to the agent."""
        message.stop()
        if message.follow_up:
            self.program.session.submit(message.text, follow_up=True)
        else:
            self.send(message.text)

    def on_top_shown(self, message: TopShown) -> None:
        """Somebody looks at the oldest block that is there."""
        message.stop()
        if self.view is not None:
            self.view.show_older()

    def dispatch(self, action_id: str) -> bool:
        """Carry out an action; False when it does not apply right now."""
        if self.view is None and action_id not in _EARLY:
            return False
        return bool(getattr(self.actions, BY_ID[action_id].handler)())

    def send(self, text: str) -> None:
        """Take a prompt: a slash command, or a message for the agent."""
        if self.view is None:
            self._early.append(text)
            self.program.wanted.set()
            return
        found = find_command(text)
        if found is not None:
            command, argument = found
            if argument:
                self.actions.command_with_argument(command, argument)
            else:
                self.dispatch(command.action_id)
            return
        problem = no_command(text)
        if problem is not None:
            self.editor.set_text(text)
            self.status.note(problem)
            return
        self.transcript.scroll_to_end()
        self.program.session.submit(text)

    def notice(self, text: str, level: str = "info") -> None:
        """Put a notice into the transcript."""
        from pi_term.render.blocks import NoticeBlock

        self.transcript.append(NoticeBlock(text, level))

    def paint(self) -> None:
        """Bring everything outside the transcript up to date."""
        if self.view is None:
            self.header.update("…", (), self._hints(), self.program.theme_colours)
            return
        self._paint_border()
        self.view.paint_footer()
        self.view.paint_queue()
        if self.header.display:
            model = self.program.session.model.label
            self.header.update(model, self._loaded, self._hints(), self.program.theme_colours)

    def use_looks(self, looks: Looks) -> None:
        """Show everything in other colours, and listen to other keys."""
        self.keys.table = looks.keys
        self.transcript.set_theme(looks.theme)
        self.status.repaint(looks.theme)
        self.paint()

    def _hints(self) -> list[str]:
        keys = self.program.keys
        return [f"{key} {what}" for action, what in _HINTS if (key := keys.hint(action))]

    def _paint_border(self) -> None:
        """The editor's border tells the thinking level."""
        token = thinking_token(self.program.session.thinking_level)
        self.editor.set_rule_colour(self.program.theme_colours.hex(token))


def _is_prompt(block: Block) -> bool:
    from pi_term.render.blocks import UserBlock

    return isinstance(block, UserBlock)
