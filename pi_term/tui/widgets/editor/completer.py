"""When completions are offered, and what taking one does to the text."""

from __future__ import annotations

from pi_term.base.sanitize import sanitize
from pi_term.tui.widgets.editor.buffer import Position
from pi_term.tui.widgets.editor.completion import VISIBLE_ROWS, Completion, CompletionList, CompletionSource
from pi_term.tui.widgets.editor.document import Document


class Completer:
    """Asks the source as the text changes and keeps the list up to date."""

    def __init__(self, document: Document, source: CompletionSource | None) -> None:
        self.source = source
        self.list = CompletionList()
        self._document = document
        self._unwanted = False

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return self.list.is_open

    def update(self, *, typing: bool) -> None:
        """Ask the source again: after typing, and while the list is open after every movement."""
        if self.source is None or not (typing or self.is_open):
            return
        row, column = self._document.buffer.cursor
        lead = "\n" if row else ""
        line = self._document.blocks.masked(self._document.buffer.lines[row])
        offers = self.source.complete(lead + line, column + len(lead)) or []
        if not offers:
            self._unwanted = False
        self.list.offer([] if self._unwanted else offers)

    def ask(self) -> None:
        """Offer what there is, even if it was declined before."""
        self._unwanted = False
        self.update(typing=True)

    def take(self) -> Completion | None:
        """Put the selected offer into the text and close the list; None if nothing is offered."""
        offer = self.list.selected
        if offer is None:
            return None
        row, column = self._document.buffer.cursor
        start = Position(row, max(offer.start - (row > 0), 0))
        self._document.replace(start, Position(row, column), sanitize(offer.insert))
        self.close()
        return offer

    def close(self) -> None:
        """Offer nothing until something is typed."""
        self._unwanted = False
        self.list.close()

    def action_select_cancel(self) -> bool:
        """Close the list until something else is being written."""
        was_open = self.is_open
        self.list.close()
        self._unwanted = was_open
        return was_open

    def action_select_up(self) -> bool:
        """Select the offer above."""
        return self._select(-1)

    def action_select_down(self) -> bool:
        """Select the offer below."""
        return self._select(1)

    def action_select_page_up(self) -> bool:
        """Move the selection up by a page."""
        return self._select(-VISIBLE_ROWS)

    def action_select_page_down(self) -> bool:
        """Move the selection down by a page."""
        return self._select(VISIBLE_ROWS)

    def _select(self, rows: int) -> bool:
        if self.is_open:
            self.list.move(rows)
        return self.is_open
