"""A prompt on the screen: what others may do with its text, and looking for an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pi_term.tui.widgets.editor.commands import Commands
from pi_term.tui.widgets.editor.completer import Completer
from pi_term.tui.widgets.editor.completion import CompletionSource
from pi_term.tui.widgets.editor.history import PromptHistory
from pi_term.tui.widgets.editor.paste import Draft
from pi_term.tui.widgets.editor.search import HistorySearch
from pi_term.tui.widgets.editor.view import DocumentView


class PromptView(DocumentView, can_focus=True):
    """A document with its history and completions.

    While an earlier prompt is looked for, the document holds what is looked for, and the draft waits; for
    everybody else, the draft is the text. Whoever changes it from outside ends the search.
    """

    def __init__(
        self,
        history: PromptHistory,
        completions: CompletionSource | None,
        placeholder: str,
        id: str | None,
        classes: str | None,
    ) -> None:
        super().__init__(placeholder, id, classes)
        self._commands = Commands(self.document, history)
        self._completer = Completer(self.document, completions, self.answered)
        self._search: HistorySearch | None = None

    @property
    def search_title(self) -> str:
        """What is shown while an earlier prompt is searched."""
        return "earlier prompts"

    def answered(self) -> None:
        """What Tab asked for has been looked up."""
        self.settle()

    @property
    def text(self) -> str:
        """The whole text, folded pastes with their contents."""
        return self.document.text if self._search is None else self._search.draft.text

    @property
    def is_empty(self) -> bool:
        """Whether there is no text at all."""
        return self.document.is_empty if self._search is None else not self._search.draft.parts

    @property
    def revision(self) -> int:
        """A number that grows with every change of the text."""
        return self.document.buffer.version

    @property
    def draft(self) -> Draft:
        """The text with its folded pastes and cursor; while a prompt is searched, what waits meanwhile."""
        return self.document.snapshot() if self._search is None else self._search.draft

    @property
    def completions(self) -> CompletionSource | None:
        """What completions come from."""
        return self._completer.source if self._search is None else self._search.before

    @completions.setter
    def completions(self, source: CompletionSource | None) -> None:
        if self._search is None:
            self._completer.source = source
        else:
            self._search.before = source

    def set_completion_rows(self, rows: int) -> None:
        """How many offers are seen at a time."""
        self._completer.list.rows = rows

    @property
    def history(self) -> PromptHistory:
        """The prompts that were sent."""
        return self._commands.history

    def use_history(self, path: Path) -> None:
        """Look back at the prompts in this file; what is being written stays."""
        if path != self.history.path:
            self._end_search()
            self._commands.use_history(path)

    def restore_draft(self, draft: Draft) -> None:
        """Show a draft that was taken before."""
        self._end_search()
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
        self._end_search()
        self._commands.type_text(text)
        self.settle()

    def clear(self) -> None:
        """Empty the editor; an undo brings the text back, and so does going up in the history."""
        if self.draft.text.strip():
            self.history.remember(self.draft)
        self.restore_draft(Draft(()))

    def take(self) -> Draft:
        """Take the text out, as sending it does: it enters the history. Blank space stays."""
        self._end_search()
        draft = self._commands.finish()
        self._completer.close()
        self.settle()
        return draft

    def action_history_search(self) -> bool:
        """Search the earlier prompts; when they are being searched, go to the next older one."""
        if self._search is not None:
            return self._completer.action_select_down() or True
        search = HistorySearch(self.history, self.draft, self._completer.source, self.title)
        if search.is_empty:
            return True
        self._search, self._completer.source = search, search
        self.document.load(Draft(()))
        self.title = self.search_title
        self.settle()
        self._completer.update(typing=True)
        return True

    def _end_search(self, chosen: Draft | None = None) -> None:
        """Show the chosen prompt, or what was being written before."""
        search, self._search = self._search, None
        if search is None:
            return
        self._completer.source = search.before
        self.title = search.title
        self.document.load(search.draft)
        if chosen is not None:
            self._commands.load(chosen)
            if search.draft.text.strip():
                self.history.remember(search.draft)
        self.settle()
