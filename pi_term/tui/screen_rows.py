"""The rows of the action table for screens that lie over the main one: lists, trees, pickers."""

from __future__ import annotations

from typing import Final

from pi_term.tui.action_rows import Rows

SCREEN_ROWS: Final[Rows] = {
    "search": (
        ("tui.altScreen.searchNext", "Next match", "action_search_next", "Go to the next match below"),
        ("tui.altScreen.searchPrevious", "Previous match", "action_search_previous", "Go to the one above"),
        ("app.transcript.searchStay", "Stay at the match", "action_search_stay", "Close the search there"),
        ("tui.altScreen.searchClose", "Close search", "action_search_close", "Go back to where it began"),
    ),
    "marking": (
        ("app.marking.mark", "Mark", "action_mark", "Begin to select at the cursor, or stop it"),
        ("app.marking.row", "Mark row", "action_mark_row", "Select the row"),
        ("app.marking.copy", "Copy marked text", "action_mark_copy", "Copy what is selected, and close"),
        ("app.marking.close", "Close selecting", "action_mark_close", "Go back to the editor"),
    ),
    "models": (
        ("app.models.save", "Save the models", "action_models_save", "For new sessions too"),
        ("app.models.enableAll", "Take all models", "action_models_all", "All that are shown"),
        ("app.models.clearAll", "Take no model", "action_models_none", "None that is shown"),
        ("app.models.toggleProvider", "Take the provider's", "action_models_provider", "Or none of them"),
        ("app.models.reorderUp", "Earlier", "action_models_up", "Move the model up in the order"),
        ("app.models.reorderDown", "Later", "action_models_down", "Move the model down in the order"),
    ),
    "queue": (
        ("app.queue.delete", "Delete from the queue", "action_queue_delete", "Take the message out"),
        ("app.queue.moveUp", "Deliver earlier", "action_queue_up", "Put the message one earlier"),
        ("app.queue.moveDown", "Deliver later", "action_queue_down", "Put the message one later"),
        ("app.queue.switch", "Steer or follow", "action_queue_switch", "Make it one of the other kind"),
    ),
    "thinking": (
        ("app.thinking.save", "Save the thinking level", "action_thinking_save", "For new sessions too"),
    ),
    "settings": (
        ("app.settings.file", "Other settings file", "action_settings_file", "Yours, or the project's"),
        ("app.settings.reset", "Reset the setting", "action_settings_reset", "Take it out of the file"),
    ),
    "browse": (
        ("app.browse.first", "First row", "action_browse_first", "Go to the first row of the list"),
        ("app.browse.last", "Last row", "action_browse_last", "Go to the last row of the list"),
        ("app.browse.pageUp", "Rows up", "action_select_page_up", "Go up by one page"),
        ("app.browse.pageDown", "Rows down", "action_select_page_down", "Go down by one page"),
        ("app.browse.previewUp", "Preview up", "action_preview_up", "Scroll the preview back"),
        ("app.browse.previewDown", "Preview down", "action_preview_down", "Scroll the preview forward"),
    ),
    "lens": (
        ("app.context.export", "Export the context", "action_export", "Write it as JSON to this folder"),
    ),
    "changes": (
        ("app.changes.revert", "Take back", "action_changes_revert", "Undo the hunk, or all of the file"),
        ("app.changes.undo", "Undo taking back", "action_changes_undo", "Bring back what was taken back"),
        ("app.changes.since", "Since when", "action_changes_since", "The session, or your last prompt"),
    ),
    "rewind": (
        ("app.rewind.tick", "Tick file", "action_rewind_tick", "Let the file go back too, or not"),
        ("app.rewind.tickAll", "Tick all files", "action_rewind_tick_all", "All files, or none"),
    ),
    "tree": (
        ("app.tree.foldOrUp", "Fold branch", "action_fold", "Fold the branch, or go to where it begins"),
        ("app.tree.unfoldOrDown", "Unfold branch", "action_unfold", "Unfold it, or go to the next one"),
        (
            "app.tree.editLabel",
            "Label entry",
            "action_edit_label",
            "Give the entry a label, or take it away",
        ),
        (
            "app.tree.toggleLabelTimestamp",
            "Times of labels",
            "action_toggle_label_time",
            "Show or hide when labels were set",
        ),
        (
            "app.tree.filter.default",
            "What was said",
            "action_filter_default",
            "Show what was said and done",
        ),
        ("app.tree.filter.noTools", "Without tools", "action_filter_no_tools", "Leave out tool results"),
        (
            "app.tree.filter.userOnly",
            "Your messages",
            "action_filter_user_only",
            "Show only your messages",
        ),
        (
            "app.tree.filter.labeledOnly",
            "Labelled",
            "action_filter_labeled_only",
            "Show only what has a label",
        ),
        ("app.tree.filter.all", "All entries", "action_filter_all", "Show all entries of the file"),
        ("app.tree.filter.cycleForward", "Next filter", "action_next_filter", "Go to the next filter"),
        (
            "app.tree.filter.cycleBackward",
            "Previous filter",
            "action_previous_filter",
            "Go to the previous filter",
        ),
    ),
    "session-picker": (
        (
            "app.session.toggleScope",
            "All folders",
            "action_toggle_scope",
            "This folder's sessions, or all",
        ),
        ("app.session.togglePath", "Paths", "action_toggle_path", "Show or hide where the files are"),
        (
            "app.session.toggleSort",
            "Sort sessions",
            "action_toggle_sort",
            "By time, name, length or size",
        ),
        ("app.session.toggleNamedFilter", "Named", "action_toggle_named", "Show only those with a name"),
        ("app.session.rename", "Rename session", "action_rename", "Give the selected session a name"),
        ("app.session.delete", "Delete session", "action_delete", "Move the selected one into the trash"),
        (
            "app.session.deleteNoninvasive",
            "Delete session (no search)",
            "action_delete_unless_searching",
            "The same, unless something is searched for",
        ),
    ),
}
