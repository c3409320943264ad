"""Every operation a user can ask for, as data: the table behind keys, palette and `/hotkeys`.

Ids are Pi's where Pi has the operation. Keys are not written here but in `keymaps/pi.json`. A row's
`handler` names the method that does the work: of the editor for the scope `editor`, else of whatever
the app's dispatcher picks. A handler answers whether it applied; if not, the next action on the same
key is tried, which is how Ctrl+D deletes in a text and quits on an empty line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Action:
    """One operation: `scope` is the context in which its keys apply, `title` what a menu shows."""

    id: str
    title: str
    scope: str
    handler: str
    description: str


EDITOR_CONTEXTS: Final = ("transcript", "editor", "app")
"""Contexts while the editor has the focus, the first that binds a key wins; `select` comes before them
while it shows a list."""

ACTIVE_TOGETHER: Final[tuple[frozenset[str], ...]] = (
    frozenset(EDITOR_CONTEXTS),
    frozenset(("select", "tree")),
    frozenset(("select", "session-picker")),
    frozenset(("select", "models")),
)
"""Scopes that compete for a key. A list on top of the editor is not among them: it borrows its keys."""

# Rows of a scope: id, title, handler, description.
_ROWS: Final[dict[str, tuple[tuple[str, str, str, str], ...]]] = {
    "editor": (
        (
            "tui.editor.cursorUp",
            "Cursor up",
            "action_cursor_up",
            "Move up; past the top, the previous prompt",
        ),
        (
            "tui.editor.cursorDown",
            "Cursor down",
            "action_cursor_down",
            "Move down; past the end, the next prompt",
        ),
        (
            "tui.editor.historyPrevious",
            "Previous prompt",
            "action_history_previous",
            "Show the previous prompt at once",
        ),
        ("tui.editor.historyNext", "Next prompt", "action_history_next", "Show the next prompt at once"),
        ("tui.editor.cursorLeft", "Cursor left", "action_cursor_left", "Move one character left"),
        ("tui.editor.cursorRight", "Cursor right", "action_cursor_right", "Move one character right"),
        ("tui.editor.cursorWordLeft", "Word left", "action_word_left", "Move to the start of the word"),
        ("tui.editor.cursorWordRight", "Word right", "action_word_right", "Move to the end of the word"),
        ("tui.editor.cursorLineStart", "Line start", "action_line_start", "Move to the start of the line"),
        ("tui.editor.cursorLineEnd", "Line end", "action_line_end", "Move to the end of the line"),
        (
            "tui.editor.jumpForward",
            "Jump forward",
            "action_jump_forward",
            "Move to the next one of the character typed then",
        ),
        (
            "tui.editor.jumpBackward",
            "Jump backward",
            "action_jump_backward",
            "Move to the previous one of the character typed then",
        ),
        ("tui.editor.pageUp", "Editor page up", "action_page_up", "Move up by one editor page"),
        ("tui.editor.pageDown", "Editor page down", "action_page_down", "Move down by one editor page"),
        (
            "tui.editor.deleteCharBackward",
            "Delete backward",
            "action_delete_backward",
            "Delete the character or block before the cursor",
        ),
        (
            "tui.editor.deleteCharForward",
            "Delete forward",
            "action_delete_forward",
            "Delete the character or block after the cursor",
        ),
        (
            "tui.editor.deleteWordBackward",
            "Delete word backward",
            "action_delete_word_backward",
            "Cut back to the start of the word",
        ),
        (
            "tui.editor.deleteWordForward",
            "Delete word forward",
            "action_delete_word_forward",
            "Cut up to the end of the word",
        ),
        (
            "tui.editor.deleteToLineStart",
            "Delete to line start",
            "action_delete_to_line_start",
            "Cut back to the start of the line",
        ),
        (
            "tui.editor.deleteToLineEnd",
            "Delete to line end",
            "action_delete_to_line_end",
            "Cut up to the end of the line",
        ),
        ("tui.editor.yank", "Put back cut text", "action_yank", "Insert the text cut last"),
        (
            "tui.editor.yankPop",
            "Put back older cut text",
            "action_yank_pop",
            "After that, take the text cut before it",
        ),
        ("tui.editor.undo", "Undo", "action_undo", "Undo the last edit"),
        ("tui.editor.redo", "Redo", "action_redo", "Do again what was undone"),
        ("tui.input.newLine", "New line", "action_new_line", "Insert a line break"),
        ("tui.input.submit", "Send", "action_submit", "Send the text; steer while the agent works"),
        ("tui.input.tab", "Complete", "action_complete", "Offer completions at the cursor"),
    ),
    "select": (
        ("tui.select.up", "Selection up", "action_select_up", "Select the item above"),
        ("tui.select.down", "Selection down", "action_select_down", "Select the item below"),
        ("tui.select.pageUp", "List page up", "action_select_page_up", "Move up by one page of the list"),
        (
            "tui.select.pageDown",
            "List page down",
            "action_select_page_down",
            "Move down by one page of the list",
        ),
        ("tui.select.confirm", "Confirm selection", "action_select_confirm", "Take the selected item"),
        ("tui.select.cancel", "Cancel selection", "action_select_cancel", "Close the list"),
    ),
    "transcript": (
        ("tui.altScreen.pageUp", "Page up", "action_transcript_page_up", "Scroll back by one page"),
        ("tui.altScreen.pageDown", "Page down", "action_transcript_page_down", "Scroll forward by one page"),
        (
            "tui.altScreen.halfPageUp",
            "Half page up",
            "action_transcript_half_page_up",
            "Scroll back by half a page",
        ),
        (
            "tui.altScreen.halfPageDown",
            "Half page down",
            "action_transcript_half_page_down",
            "Scroll forward by half a page",
        ),
        ("tui.altScreen.lineUp", "Line up", "action_transcript_line_up", "Scroll back by one line"),
        ("tui.altScreen.lineDown", "Line down", "action_transcript_line_down", "Scroll forward by one line"),
        (
            "tui.altScreen.previousPrompt",
            "Previous message",
            "action_transcript_previous_prompt",
            "Scroll to your previous message",
        ),
        (
            "tui.altScreen.nextPrompt",
            "Next message",
            "action_transcript_next_prompt",
            "Scroll to your next message",
        ),
        ("tui.altScreen.top", "Top", "action_transcript_top", "Scroll to the beginning"),
        ("tui.altScreen.bottom", "Bottom", "action_transcript_bottom", "Scroll to the end and follow it"),
    ),
    "app": (
        ("app.interrupt", "Interrupt", "action_interrupt", "Stop the agent; queued messages come back"),
        ("tui.input.copy", "Copy selection", "action_copy_selection", "Copy the selected text"),
        ("app.clear", "Clear", "action_clear", "Clear the editor; twice when empty, quit"),
        ("app.exit", "Quit", "action_exit", "Quit when the editor is empty"),
        ("app.suspend", "Suspend", "action_suspend", "Go to the background; `fg` comes back"),
        ("app.tools.expand", "Expand tool output", "action_toggle_tools", "Open or close tool output"),
        ("app.thinking.toggle", "Show thinking", "action_toggle_thinking", "Show or hide thinking"),
        ("app.thinking.cycle", "Thinking level", "action_cycle_thinking", "Go to the next thinking level"),
        ("app.model.select", "Select model", "action_select_model", "Choose a model from a list"),
        ("app.model.cycleForward", "Next model", "action_next_model", "Switch to the next model"),
        (
            "app.model.cycleBackward",
            "Previous model",
            "action_previous_model",
            "Switch to the previous model",
        ),
        (
            "app.message.followUp",
            "Queue follow-up",
            "action_follow_up",
            "Send the text when the agent is done",
        ),
        (
            "app.message.dequeue",
            "Edit queued messages",
            "action_dequeue",
            "Put queued messages into the editor",
        ),
        ("app.message.copy", "Copy answer", "action_copy_message", "Copy the last answer"),
        ("app.session.new", "New session", "action_new_session", "Start a new session"),
        ("app.session.resume", "Resume session", "action_resume", "Go on with an earlier session"),
        ("app.session.tree", "Session tree", "action_tree", "Go to another place in the session"),
        ("app.session.fork", "Fork session", "action_fork", "New session from before one of your prompts"),
        ("app.session.clone", "Clone session", "action_clone", "Copy this branch into a new session"),
        ("app.session.compact", "Compact", "action_compact", "Shorten what the model sees"),
        ("app.session.name", "Name session", "action_name_session", "Name the session, or show its name"),
        ("app.session.info", "Session facts", "action_session_info", "Show file, messages, tokens and cost"),
        ("app.session.import", "Import session", "action_import", "Take in a session file and open it"),
    ),
}

ACTIONS: Final[tuple[Action, ...]] = tuple(
    Action(action_id, title, scope, handler, description)
    for scope, rows in _ROWS.items()
    for action_id, title, handler, description in rows
)
"""All actions; where several share a key in one scope, the first has the first turn."""

BY_ID: Final[dict[str, Action]] = {action.id: action for action in ACTIONS}

KNOWN_LATER: Final[frozenset[str]] = frozenset(
    (
        *("tui.altScreen.search", "tui.altScreen.searchNext", "tui.altScreen.searchPrevious"),
        *("tui.altScreen.searchClose", "app.editor.external", "app.clipboard.pasteImage"),
        *("app.session.togglePath", "app.session.toggleSort", "app.session.toggleNamedFilter"),
        *("app.session.rename", "app.session.delete", "app.session.deleteNoninvasive"),
        *("app.models.save", "app.models.enableAll", "app.models.clearAll", "app.models.toggleProvider"),
        *("app.models.reorderUp", "app.models.reorderDown", "app.thinking.save"),
        *(
            "app.tree.foldOrUp",
            "app.tree.unfoldOrDown",
            "app.tree.editLabel",
            "app.tree.toggleLabelTimestamp",
        ),
        *("app.tree.filter.default", "app.tree.filter.noTools", "app.tree.filter.userOnly"),
        *("app.tree.filter.labeledOnly", "app.tree.filter.all"),
        *("app.tree.filter.cycleForward", "app.tree.filter.cycleBackward"),
    )
)
"""Ids that a keybindings file may name although no screen here offers them: no error, no effect."""


def overlap(first: str, second: str) -> bool:
    """Whether keys of these two scopes can be asked for at the same moment."""
    return first == second or any(first in group and second in group for group in ACTIVE_TOGETHER)


def in_scope(scope: str, actions: Sequence[Action] = ACTIONS) -> tuple[Action, ...]:
    """The actions of one scope, in the order of the table."""
    return tuple(action for action in actions if action.scope == scope)
