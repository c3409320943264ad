"""The prompt editor of the main screen.

Keys arrive here, are looked up in the `KeyResolver` and handled at once, so that what is typed fast stays
in order. Operations that are not the editor's own go to `dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer

from pi_term.base.sanitize import sanitize
from pi_term.tui.actions import BY_ID, EDITOR_CONTEXTS
from pi_term.tui.keymap.names import from_event
from pi_term.tui.keymap.resolver import KeyResolver, Match, Pending
from pi_term.tui.shell_line import shell_line
from pi_term.tui.widgets.editor.commands import Commands
from pi_term.tui.widgets.editor.completer import Completer
from pi_term.tui.widgets.editor.completion import CompletionSource, OfferChosen
from pi_term.tui.widgets.editor.history import PromptHistory
from pi_term.tui.widgets.editor.paste import Draft
from pi_term.tui.widgets.editor.view import DocumentView

_PREFIX = 2


@dataclass
class EditorSubmitted(Message):
    """The user sent `text`, for the end of what goes on or for now; the editor is empty again.

    `shell`: the text begins with `!`, and the editor showed that it is a command for the shell.
    """

    text: str
    follow_up: bool = False
    shell: bool = False


@dataclass
class EditorChanged(Message):
    """The first characters of the text changed, or whether there is any: `!`, `!!` and `/` mean something."""

    prefix: str


def _refuse(action_id: str) -> bool:
    return False


class Editor(DocumentView, can_focus=True):
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
        super().__init__(placeholder, id, classes)
        self.resolver = resolver
        self.dispatch = dispatch
        self.contexts: Sequence[str] = EDITOR_CONTEXTS
        self._commands = Commands(self.document, history or PromptHistory())
        self._completer = Completer(self.document, completions)
        self._shell = shell
        self._held = ""
        self._held_timer: Timer | None = None
        self._prefix = ""
        self._rule_colours = ("", "")

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
        prefix = self._beginning[:_PREFIX] or ("\n" if not self.is_empty else "")
        if prefix != self._prefix:
            self._prefix = prefix
            self.set_class(self.in_shell_mode, "-shell")
            self._colour_rules()
            self.post_message(EditorChanged(prefix.strip("\n")))

    # -- What others may do with the text ------------------------------------------------------------

    @property
    def text(self) -> str:
        """The whole text, folded pastes with their contents."""
        return self.document.text

    @property
    def is_empty(self) -> bool:
        """Whether there is no text at all."""
        return self.document.is_empty

    @property
    def in_shell_mode(self) -> bool:
        """Whether the text is a command for the shell: it begins with `!`."""
        return self._shell and self._beginning.startswith("!")

    @property
    def _beginning(self) -> str:
        """The first line that is not blank, as it will be sent; a folded paste is one character of it."""
        return next((line for line in self.document.buffer.lines if line.strip()), "").lstrip()

    @property
    def revision(self) -> int:
        """A number that grows with every change of the text."""
        return self.document.buffer.version

    @property
    def draft(self) -> Draft:
        """The text with its folded pastes and cursor."""
        return self.document.snapshot()

    @property
    def completions(self) -> CompletionSource | None:
        """What completions come from."""
        return self._completer.source

    @completions.setter
    def completions(self, source: CompletionSource | None) -> None:
        self._completer.source = source

    @property
    def history(self) -> PromptHistory:
        """The prompts that were sent."""
        return self._commands.history

    def set_rule_colour(self, colour: str, shell: str = "") -> None:
        """Colour the rules, as a rule by the thinking level; `shell` is for commands that begin with `!`.

        Colours are named as Rich names them (`#rrggbb`); "" leaves them to the style sheet.
        """
        self._rule_colours = (colour, shell)
        self._colour_rules()

    def restore_draft(self, draft: Draft) -> None:
        """Show a draft that was taken before."""
        self._commands.load(draft)
        self._completer.close()
        self.settle()

    def set_text(self, text: str, cursor_end: bool = True) -> None:
        """Replace the text, which an undo brings back; a sent prompt comes with its pastes folded."""
        draft = self.history.find(text) or Draft.of(text)
        self.restore_draft(draft if cursor_end else Draft(draft.parts, 0))

    def prepend(self, texts: Sequence[str]) -> None:
        """Put texts, as a rule queued messages that come back, before what is being written."""
        parts: list[Draft] = [self.history.find(text) or Draft.of(text) for text in texts]
        current = self.draft
        if current.text.strip():
            parts.append(current)
        joined = Draft(tuple(part for draft in parts for part in (*draft.parts, "\n\n"))[:-1])
        behind = current.length - current.cursor if current.text.strip() else 0
        self.restore_draft(Draft(joined.parts, joined.length - behind))

    def insert(self, text: str) -> None:
        """Insert text at the cursor, unfolded."""
        self._commands.type_text(text)
        self.settle()

    def clear(self) -> None:
        """Empty the editor; an undo brings the text back."""
        self.restore_draft(Draft(()))

    def take(self) -> str:
        """Take the text out, as sending it does: it enters the history. "" if there is only blank space."""
        text = self._commands.finish()
        self._completer.close()
        self.settle()
        return text

    def _colour_rules(self) -> None:
        self.rule_colour = self._rule_colours[self.in_shell_mode]

    # -- Keys and paste ------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Handle a key completely before the next one is looked at."""
        if self._handle_key(event.key, _typed_by(event)):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text as data: it neither submits nor asks for completions."""
        event.stop()
        event.prevent_default()
        self._release_held()
        self._commands.paste(event.text)
        self._completer.close()
        self.settle()

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
            self._release_held()
        handled = True
        match outcome:
            case Pending():
                self._hold(typed)
            case Match():
                self._drop_held()
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
        if action is None or action.scope not in ("editor", "select"):
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

        A `!` without a command stays.
        """
        shell = self.in_shell_mode
        if shell and shell_line(self.text) is None:
            return
        text = self.take()
        if text:
            self.post_message(EditorSubmitted(text, follow_up, shell))

    def action_submit(self) -> bool:
        """Send the text."""
        self.submit()
        return True

    def _hold(self, typed: str) -> None:
        self._held += typed
        if self._held and self._held_timer is None:
            self._held_timer = self.set_timer(self.resolver.timeout, self._release_held)

    def _release_held(self) -> None:
        """Insert what waited for a chord to be completed."""
        held = self._held
        self._drop_held()
        if held:
            self._commands.type_text(held)
            self.settle()

    def _drop_held(self) -> None:
        self._held = ""
        if self._held_timer is not None:
            self._held_timer.stop()
            self._held_timer = None

    # -- Completion ----------------------------------------------------------------------------------

    def action_complete(self) -> bool:
        """Take the selected offer, or ask for offers."""
        self._completer.take()
        self.settle()
        self._completer.ask()
        return True

    def action_select_confirm(self) -> bool:
        """Take the selected offer; send the text if that completes it."""
        offer = self._completer.take()
        if offer is None:
            return False
        self.settle()
        if offer.final:
            return self.action_submit()
        self._completer.ask()
        return True

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
