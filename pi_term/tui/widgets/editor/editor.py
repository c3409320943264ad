"""The prompt editor of the main screen.

Keys arrive here, are looked up in the `KeyResolver` and handled at once, so that what is typed fast stays
in order. Operations that are not the editor's own go to `dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.message import Message

from pi_term.base.sanitize import sanitize
from pi_term.tui.actions import BY_ID, EDITOR_CONTEXTS
from pi_term.tui.keymap.names import from_event, parse_chord
from pi_term.tui.keymap.resolver import KeyResolver, Match, Pending
from pi_term.tui.shell_line import shell_line
from pi_term.tui.widgets.editor.completion import CompletionSource, OfferChosen
from pi_term.tui.widgets.editor.gate import Gate, Typed
from pi_term.tui.widgets.editor.held import HeldText
from pi_term.tui.widgets.editor.history import PromptHistory
from pi_term.tui.widgets.editor.paste import Attachment, Block
from pi_term.tui.widgets.editor.prompt import PromptView

_PREFIX = 2
_SHELL_TITLES = {"!": "your shell", "!!": "your shell · nothing of it goes to the model"}
_PATIENCE = 0.5  # seconds that keys wait for what Tab asks for
_LONG = 200  # characters of a text that no hint is about
# What ends a search for an earlier prompt, and nothing else.
_ENDS_SEARCH = frozenset(("app.interrupt", "app.clear", "app.exit"))
_NOT_IN_SEARCH = _ENDS_SEARCH | {
    f"tui.editor.{each}" for each in ("cursorUp", "cursorDown", "historyPrevious", "historyNext")
}


class EditorSubmitted(Message):
    """The user sent `text`, for the end of what goes on or for now; the editor is empty again.

    `shell`: the text begins with `!`, and the editor showed that it is a command for the shell.
    """

    def __init__(
        self,
        text: str,
        follow_up: bool = False,
        shell: bool = False,
        attachments: tuple[Attachment, ...] = (),
    ) -> None:
        super().__init__()
        self.text = text
        self.follow_up = follow_up
        self.shell = shell
        self.attachments = attachments


class EditorChanged(Message):
    """The first characters of the text changed, or whether there is any: `!`, `!!` and `/` mean something."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix


def _refuse(action_id: str) -> bool:
    return False


class Editor(PromptView, can_focus=True):
    """A text field that grows with its content up to a third of the screen.

    Style its parts by the component classes; `-shell` is set while the text begins with `!`.
    """

    DEFAULT_CSS = """
    Editor {
        height: auto;
        width: 100%;
        background: transparent;

        & > .editor--rule { color: $primary; }
        &.-shell > .editor--rule { color: $warning; }
        & > .editor--cursor { text-style: reverse; }
        & > .editor--block { color: $accent; }
        & > .editor--placeholder { color: $foreground 50%; }
    }
    """

    def __init__(
        self,
        resolver: KeyResolver,
        *,
        dispatch: Callable[[str], bool] = _refuse,
        history: PromptHistory | None = None,
        completions: CompletionSource | None = None,
        placeholder: str = "",
        shell: bool = True,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`dispatch` does an action that is not the editor's and answers whether it applied.

        `shell`: whether a text that begins with `!` is a command for the shell.
        """
        super().__init__(history or PromptHistory(), completions, placeholder, id, classes)
        self.resolver = resolver
        self.dispatch = dispatch
        self.contexts: Sequence[str] = EDITOR_CONTEXTS
        self._shell = shell
        self._held = HeldText(self, self._insert_held)
        self._gate = Gate(self, self._on_typed)
        self._prefix = ""
        self._seen = 0
        self._rule_colours = ("", "")
        self.edited: Callable[[], None] | None = None
        self.take_paste: Callable[[str], bool] | None = None
        # Takes keys that are for somebody else, who got the focus when they were on their way.
        self.divert: Callable[[events.Key | events.Paste], bool] = lambda event: False

    def compose(self) -> ComposeResult:
        yield self._completer.list

    def watch_has_focus(self, has_focus: bool) -> None:
        """Close the offers when the focus goes elsewhere, but not when the whole terminal loses it."""
        super().watch_has_focus(has_focus)
        if not has_focus and self.app.app_focus:
            self._completer.close()

    def settle(self, *, follow: bool = True) -> None:
        """Bring the screen up to date, and tell others if the text now means something else."""
        super().settle(follow=follow)
        self._commands.page_rows = self.rows_in_sight
        if self._seen == self.revision:
            return
        self._seen = self.revision
        if self.edited is not None:
            self.edited()
        self.ghost = self._hint()
        prefix = self._beginning[:_PREFIX] or ("\n" if not self.is_empty else "")
        if prefix != self._prefix:
            self._prefix = prefix
            self.set_class(self.in_shell_mode, "-shell")
            if self._search is None:
                self.title = (
                    _SHELL_TITLES.get(prefix[: 1 + prefix.startswith("!!")], "") if self._shell else ""
                )
            self._colour_rules()
            self.post_message(EditorChanged(prefix.strip("\n")))

    @property
    def in_shell_mode(self) -> bool:
        """Whether the text is a command for the shell: it begins with `!`."""
        return self._shell and self._search is None and self._beginning.startswith("!")

    @property
    def _beginning(self) -> str:
        """The first line that is not blank, as it will be sent; a folded paste is one character of it."""
        return next((line for line in self.document.buffer.lines if line.strip()), "").lstrip()

    def set_rule_colour(self, colour: str, shell: str = "") -> None:
        """Colour the rules, as a rule by the thinking level; `shell` is for commands that begin with `!`.

        Colours are named as Rich names them (`#rrggbb`); "" leaves them to the style sheet.
        """
        self._rule_colours = (colour, shell)
        self._colour_rules()

    def put(self, block: Block) -> str:
        """Insert a block at the cursor; returns what `resolve` knows it by.

        While one is pending, the text is not sent: Enter, and what is typed after it, wait.
        """
        self._end_search()
        stand_in = self._commands.put(block)
        if block.pending:
            self._gate.pending.add(stand_in)
        self._completer.close()
        self.settle()
        return stand_in

    def resolve(self, stand_in: str, found: Block | str) -> None:
        """What was pending is there, or is text after all; nobody misses it who has deleted it."""
        self.document.resolve(stand_in, found)
        self.settle()
        self._gate.arrived(stand_in)

    @property
    def search_title(self) -> str:
        take, back = (self.resolver.hint(f"tui.select.{each}") for each in ("confirm", "cancel"))
        return f"earlier prompts · {take} takes · {back} goes back"

    def answered(self) -> None:
        """What Tab asked for has been looked up: the keys that came after it follow."""
        super().answered()
        self._gate.open()

    def _colour_rules(self) -> None:
        self.rule_colour = self._rule_colours[self.in_shell_mode]

    # -- Keys and paste ------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Handle a key completely before the next one is looked at."""
        held = self.divert(event) or self._gate.holds(event, self._sends)
        if held or self._handle_key(event.key, _typed_by(event)):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text as data: it neither submits nor asks for completions."""
        event.stop()
        event.prevent_default()
        if self.divert(event) or self._gate.holds(event, self._sends):
            return
        self._held.release()
        if self._search is not None:
            self._commands.type_text(" ".join(event.text.split()))
            self.settle()
            self._completer.update(typing=True)
            return
        if self.take_paste is None or not self.take_paste(event.text):
            self._commands.paste(event.text)
        self._completer.close()
        self.settle()

    def _on_typed(self, event: Typed) -> None:
        """Handle what had to wait."""
        if isinstance(event, events.Key):
            self.on_key(event)
        else:
            self.on_paste(event)

    def _sends(self, event: Typed) -> bool:
        """Whether it sends a text that holds something pending."""
        if not isinstance(event, events.Key) or self._completer.is_open:
            return False
        lines = self.document.buffer.lines
        present = any(char in line for line in lines for char in self._gate.pending)
        keys = [*self.resolver.keys_for("tui.input.submit"), *self.resolver.keys_for("app.message.followUp")]
        return present and any(parse_chord(each) == (from_event(event.key),) for each in keys)

    def _handle_key(self, key: str, typed: str) -> bool:
        """Do what a key asks for; False if it is nothing to the editor."""
        jumping = self._commands.jump is not None
        if jumping and typed:
            self._commands.land(typed)
            self.settle()
            return True
        self._commands.jump = None
        contexts = ("select", *self.contexts) if self._completer.is_open else self.contexts
        outcome = self.resolver.resolve(contexts, key)
        if jumping and isinstance(outcome, Match) and "app.interrupt" in outcome.action_ids:
            # What is interrupted is the jump.
            return True
        if outcome is None or len(outcome.keys) == 1:
            # What was held back for a chord was not one: it is text after all, and comes first.
            self._held.release()
        handled = True
        match outcome:
            case Pending():
                self._held.hold(typed, self.resolver.timeout)
            case Match():
                self._held.drop()
                handled = self._do(outcome.action_ids)
            case None if typed:
                self._commands.type_text(typed)
                self.settle()
                self._completer.update(typing=True)
            case None:
                handled = False
        return handled

    def _do(self, action_ids: Sequence[str]) -> bool:
        """Try the actions of a key in turn until one applies."""
        before = self.revision, self.document.buffer.cursor
        handled = any(self._do_one(action_id, action_ids) for action_id in action_ids)
        if before != (self.revision, self.document.buffer.cursor):
            self.settle()
            self._completer.update(typing=action_ids[0].startswith("tui.editor.delete"))
        return handled

    def _do_one(self, action_id: str, rivals: Sequence[str]) -> bool:
        action = BY_ID.get(action_id)
        if self._search is not None and action_id in _NOT_IN_SEARCH:
            if action_id in _ENDS_SEARCH:
                self._end_search()
            return True
        if action is None or action.scope not in ("editor", "select"):
            if action is not None and action.scope == "app":
                self._end_search()
            return self.dispatch(action_id)
        if action_id == "tui.select.cancel" and "app.clear" in rivals:
            # Ctrl+C clears the text and thereby closes the list, Escape only closes the list.
            return False
        if hasattr(self._commands, action.handler):
            return self._commands.run(action.handler)
        # The widget's own methods come second: Textual has some of the same names.
        home = self._completer if hasattr(self._completer, action.handler) else self
        method: Callable[[], bool] = getattr(home, action.handler)
        return method()

    def submit(self, *, follow_up: bool = False) -> None:
        """Take the text out and tell that it was sent: in order, however fast one comes after the other.

        A `!` without a command stays, and so does a search for a prompt that has found none.
        """
        shell = self.in_shell_mode
        if self._search is not None or (shell and shell_line(self.text) is None):
            return
        draft = self.take()
        if draft.parts:
            self.post_message(EditorSubmitted(draft.text, follow_up, shell, draft.attachments))

    def action_submit(self) -> bool:
        """Send the text."""
        self.submit()
        return True

    def _insert_held(self, text: str) -> None:
        self._commands.type_text(text)
        self.settle()

    # -- Completion and search -----------------------------------------------------------------------

    def action_complete(self) -> bool:
        """Take the selected offer, or ask for offers."""
        if self._search is not None:
            return self.action_select_confirm()
        if self._completer.take() is None:
            self._completer.ask()
        else:
            self._completer.update(typing=True)
        self.settle()
        if self._completer.unanswered:
            self._gate.close(_PATIENCE)
        return True

    def action_select_confirm(self) -> bool:
        """Take the selected offer; send the text if that completes it, or changes nothing."""
        if self._search is not None:
            offer = self._completer.list.selected
            self._end_search(None if offer is None else self._search.prompt(offer))
            return True
        before = self.document.text
        offer = self._completer.take(sent=True)
        if offer is None:
            return False
        self.settle()
        if offer.final or self.document.text.rstrip(" ") == before:
            return self.action_submit()
        self._completer.update(typing=True)
        return True

    def action_select_cancel(self) -> bool:
        """Close the list; in a search for a prompt, go back to what was being written."""
        if self._search is None:
            return self._completer.decline()
        self._end_search()
        return True

    def _hint(self) -> str:
        """What may follow the text, where that is known."""
        lines, source = self.document.buffer.lines, self._completer.source
        is_short = len(lines) == 1 and len(lines[0]) < _LONG
        return source.hint(lines[0]) if source is not None and is_short else ""

    def on_offer_chosen(self, message: OfferChosen) -> None:
        """A click takes the offer, but never sends the text."""
        message.stop()
        self.action_complete()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the cursor where the mouse is."""
        event.stop()
        self._commands.place(self.position_at(int(event.x), int(event.y)))
        self._completer.update(typing=False)
        self.settle()


def _typed_by(event: events.Key) -> str:
    """The text that a key types, "" for all others. Joiners and marks arrive alone and count as text."""
    text = event.character or ""
    *modifiers, _ = from_event(event.key).split("+")
    if set(modifiers) - {"shift"} or text in "\t\n\r" or sanitize(text) != text:
        return ""
    return text
