"""The screen people live in: transcript, queue, status, editor, footer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from pi_term.render.line import Block
from pi_term.tui.actions import BY_ID
from pi_term.tui.commands import find_command, no_command
from pi_term.tui.completions.slash import SlashCompletions
from pi_term.tui.keymap.resolver import KeyResolver
from pi_term.tui.opening import again
from pi_term.tui.pictures.hanging import Hanging
from pi_term.tui.queue_desk import QueueDesk
from pi_term.tui.screens.editor_actions import EditorActions
from pi_term.tui.screens.main_actions import MainActions
from pi_term.tui.screens.overlay_actions import OverlayActions
from pi_term.tui.screens.session_actions import SessionActions
from pi_term.tui.screens.transcript_actions import TranscriptActions
from pi_term.tui.widgets.editor import Editor, EditorSubmitted
from pi_term.tui.widgets.footer import Footer, thinking_token
from pi_term.tui.widgets.header import Header
from pi_term.tui.widgets.key_row import KeyRow
from pi_term.tui.widgets.queue_strip import QueueStrip
from pi_term.tui.widgets.status import StatusLine
from pi_term.tui.widgets.transcript import BlockClicked, TopShown, Transcript

if TYPE_CHECKING:
    from pi_term.ai.messages import ImageContent
    from pi_term.coding.settings.store import SettingsStore
    from pi_term.coding.startup import Started
    from pi_term.tui.app import PiTermApp
    from pi_term.tui.looks import Looks
    from pi_term.tui.session_view import SessionView

_HINTS = (
    ("tui.input.submit", "sends"),
    ("app.message.followUp", "queues"),
    ("app.interrupt", "stops"),
    ("app.palette", "lists keys"),
    ("app.tools.expand", "opens tool output"),
)
_PLACEHOLDER = "Ask, or tell what to do. / for commands"
_DEMO_PLACEHOLDER = "Type tour, or help. / for commands"
# What works before there is a session; everything else waits until there is one.
_EARLY = frozenset(("app.clear", "app.exit", "app.suspend"))


class MainScreen(Screen[None], inherit_bindings=False):
    """Composes the parts and routes keys and prompts; what a session does is shown by `SessionView`."""

    BINDINGS = []
    # From the first moment: keys that another widget got would come behind later ones.
    AUTO_FOCUS = "#editor"
    # Of few rows, the editor's are the last to go.
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (5, "-short"), (10, "-roomy")]

    def __init__(self, app: PiTermApp) -> None:
        super().__init__(classes="-roomy")  # as nearly always, so that nothing is styled twice
        self.program = app
        self.view: SessionView | None = None
        self._waiting: list[EditorSubmitted] = []
        self._welcome: list[str] | None = []  # notices before the first prompt, which end with the header
        theme = app.theme_colours
        self.keys = KeyResolver(app.keys)
        self.header = Header(app.parts.quiet, id="header")
        self.header.display = app.parts.tail is None  # else the history stands there
        self.transcript = Transcript(
            theme, is_prompt=_is_prompt, expand_key=app.keys.hint("app.tools.expand"), id="transcript"
        )
        self.queue_desk = QueueDesk(self)
        self.queue = QueueStrip(self.queue_desk, KeyResolver(app.keys), theme, id="queue")
        self.status = StatusLine(theme)
        self.editor = Editor(
            self.keys,
            dispatch=self.dispatch,
            history=app.history,
            completions=SlashCompletions(),
            placeholder=_placeholder(app.parts.demo),
            id="editor",
        )
        self.footer = Footer(id="footer")
        self.actions = MainActions(self)
        self.session_actions = SessionActions(self)
        self.editor_actions = EditorActions(self, app.parts.drafts)
        self.key_row = KeyRow(self.editor, id="keys")
        self.editor.divert = self._divert
        self.transcript_actions = TranscriptActions(self)
        self.pictures = Hanging(self)
        self.overlays = OverlayActions(self)
        self._homes = (
            self.overlays,
            self.actions,
            self.transcript_actions,
            self.session_actions,
            self.editor_actions,
        )

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.transcript
        yield self.key_row
        yield self.queue
        yield self.status
        yield self.editor
        yield self.footer

    def on_mount(self) -> None:
        self.editor.focus()
        self.paint()

    def attach(self, started: Started) -> None:
        """Show the session, and send what was typed before it was there."""
        from pi_term.tui.session_view import SessionView

        self.use_folder(started)
        self.view = SessionView(self, started.session)
        self.view.start()
        self.program.presence.seen()
        self.editor_actions.begin(started)
        self.paint()
        self.deliver()

    def use_folder(self, started: Started) -> None:
        """Go by the settings of the session's folder, and tell in the header what was loaded from it."""
        self._loaded = [str(file.path) for file in started.resources.context_files()]
        self.use_settings(started.settings)
        if self.program.parts.history_file is not None:
            self.editor.use_history(self.program.parts.history_file(started.workspace.cwd))

    def use_settings(self, settings: SettingsStore) -> None:
        """Look as these settings say."""
        from pi_term.coding.settings import schema

        self.header.quiet = settings.get(schema.QUIET_STARTUP)
        self.transcript.hide_thinking = settings.get(schema.HIDE_THINKING)
        self.transcript_actions.use(settings)
        self.pictures.use(settings)
        self.editor_actions.use_settings(settings)

    def on_resize(self) -> None:
        self.paint()

    def on_key(self, event: events.Key) -> None:
        """Keys for which nothing had the focus do what they do in the editor."""
        event.stop()
        if self.focused is None:
            self.editor.focus()
            self.editor.on_key(event)

    def on_paste(self, event: events.Paste) -> None:
        """A paste that nothing had the focus for is not lost."""
        event.stop()
        self.editor.focus()
        self.editor.post_message(again(event))

    def on_editor_submitted(self, message: EditorSubmitted) -> None:
        """A prompt was sent; before the session is there that it is for, it waits."""
        message.stop()
        self._waiting.append(message)
        self.program.wanted.set()
        self.deliver()

    def take_back(self) -> list[str]:
        """The prompts that wait for a session, which will not get them."""
        texts = [message.text for message in self._waiting if not message.shell]
        self._waiting = [message for message in self._waiting if message.shell]
        return texts

    def deliver(self) -> None:
        """Take what was sent and waits, as far as there is a session for it."""
        while self._waiting and self.view is not None and not self.session_actions.moving:
            message = self._waiting.pop(0)
            if message.shell:
                self.session_actions.run_shell(message.text)
            else:
                images = [each.image for each in message.attachments]
                self.send(message.text, follow_up=message.follow_up, images=images)

    def on_top_shown(self, message: TopShown) -> None:
        """Somebody looks at the oldest block that is there."""
        message.stop()
        if self.view is not None:
            self.view.show_older()

    def on_block_clicked(self, message: BlockClicked) -> None:
        """A row of the transcript was clicked."""
        self.transcript_actions.clicked(message)

    def on_text_selected(self, event: events.TextSelected) -> None:
        """The mouse has selected text."""
        self.transcript_actions.selected()

    def dispatch(self, action_id: str) -> bool:
        """Carry out an action; False when it does not apply right now."""
        if self.view is None and action_id not in _EARLY:
            return False
        return bool(self._handler(action_id)())

    def _divert(self, event: events.Key | events.Paste) -> bool:
        """Take what was on its way to the editor and is meant for somebody else; whether it was."""
        return self.program.opening.takes(event) or self.key_row.divert(event)

    def _handler(self, action_id: str) -> Callable[..., bool]:
        name = BY_ID[action_id].handler
        handler: Callable[..., bool] = next(
            getattr(home, name) for home in self._homes if hasattr(home, name)
        )
        return handler

    def send(self, text: str, *, follow_up: bool = False, images: Sequence[ImageContent] = ()) -> None:
        """Take a prompt: a slash command, or a message for the agent."""
        found = find_command(text)
        if found is not None:
            command, argument = found
            handler = self._handler(command.action_id)
            handler(argument) if argument else handler()
            return
        problem = None if self._calls_a_file(text) else no_command(text)
        if problem is not None:
            self.editor.set_text(text)
            self.status.note(problem)
            return
        self.transcript.scroll_to_end()
        self.program.session.submit(text, follow_up=follow_up, images=images)
        if self.view is not None:
            self.view.work.prompt_sent()

    def _calls_a_file(self, text: str) -> bool:
        """Whether a prompt template or a skill is meant."""
        started = self.program.started
        return started is not None and started.resources.called(text) is not None

    def notice(self, text: str, level: str = "info") -> None:
        """Put a notice into the transcript; what is only good to know at the start goes with the header."""
        from pi_term.render.blocks import NoticeBlock

        block = NoticeBlock(text, level)
        self.transcript.append(block)
        if self._welcome is not None and level == "info":
            self._welcome.append(block.id)

    def note_switch(self, text: str) -> None:
        """Tell of another model or thinking level, where the transcript does not do so before one's eyes."""
        if self.view is None or not self.view.tells_switches:
            self.status.note(text)

    def begin_welcome(self, *, new: bool) -> None:
        """Another place is shown; in a `new` session the header is there until the first prompt."""
        self.header.appear(new)
        self._welcome = [] if new else None

    def end_welcome(self) -> None:
        """Something was said: the header goes, and the notices that came with it."""
        self.header.display = False
        for block_id in self._welcome or ():
            self.transcript.discard(block_id)
        self._welcome = None

    def paint(self) -> None:
        """Bring everything outside the transcript up to date."""
        if self.view is None:
            self.header.update("…", (), self._hints(), self.program.theme_colours)
            return
        placeholder = _placeholder(self.program.session.model.provider == "demo")
        if placeholder != self.editor.placeholder:
            self.editor.placeholder = placeholder
        self._paint_border()
        self.view.paint_footer()
        self.queue_desk.paint()
        if self.header.display:
            model = self.program.session.model.label
            self.header.update(model, self._loaded, self._hints(), self.program.theme_colours)

    def use_looks(self, looks: Looks) -> None:
        """Show everything in other colours, and listen to other keys."""
        self.keys.table = self.queue.keys.table = looks.keys
        self.transcript.set_theme(looks.theme)
        self.status.repaint(looks.theme)
        self.transcript_actions.paint()
        self.pictures.renew()
        self.paint()
        for screen in self.program.screen_stack:
            follow = getattr(screen, "follow_looks", None)  # lists that lie over this one
            if follow is not None:
                follow(looks)

    def _hints(self) -> list[str]:
        keys = self.program.keys
        hints = {action: keys.hint(action) for action, _ in _HINTS}
        if "f1" in keys.keys_for("app.palette"):
            hints["app.palette"] = "f1"  # what people try who look for help
        return [f"{hints[action]} {what}" for action, what in _HINTS if hints[action]]

    def _paint_border(self) -> None:
        """The editor's border tells the thinking level, or that what is written goes to the shell."""
        colours = self.program.theme_colours
        level = thinking_token(self.program.session.thinking_level)
        self.editor.set_rule_colour(colours.hex(level), colours.hex("bashMode"))


def _placeholder(demo: bool) -> str:
    return _DEMO_PLACEHOLDER if demo else _PLACEHOLDER


def _is_prompt(block: Block) -> bool:
    from pi_term.render.blocks import UserBlock

    return isinstance(block, UserBlock)
