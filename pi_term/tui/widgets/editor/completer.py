"""When completions are offered, and what taking one does to the text."""

from __future__ import annotations

from collections.abc import Callable

from pi_term.base.sanitize import sanitize
from pi_term.tui.widgets.editor.buffer import Position
from pi_term.tui.widgets.editor.completion import Completion, CompletionList, CompletionSource
from pi_term.tui.widgets.editor.document import Document


class Completer:
    """Asks the source as the text changes and keeps the list up to date.

    `answered` is called when what Tab asked for is known, and is in the text if it was clear.
    """

    def __init__(
        self, document: Document, source: CompletionSource | None, answered: Callable[[], None]
    ) -> None:
        self.list = CompletionList()
        self._document = document
        self._answered = answered
        self._unwanted = False
        self._blind = False  # and before there was anything to be seen: the best offer is meant
        self._forced = False  # Tab asked, and nothing was typed since
        self._asked: tuple[int, Position] | None = None  # for what text and cursor, while that is looked at
        self.source = source

    @property
    def source(self) -> CompletionSource | None:
        """What is asked."""
        return self._source

    @source.setter
    def source(self, source: CompletionSource | None) -> None:
        self.close()
        self._source = source
        if source is not None:
            source.news = self._on_news

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return self.list.is_open

    @property
    def unanswered(self) -> bool:
        """Whether Tab asked for something that is being looked for."""
        return self._forced and self._asked is not None and self._source_pending

    def update(self, *, typing: bool) -> None:
        """Ask the source again: after typing, and while the list is open after every movement."""
        self._forced = self._blind = False
        self._asked = None
        if self._source is not None and (typing or self.is_open):
            self._ask()

    def ask(self) -> None:
        """Offer what there is, even if it was declined before; the only one is taken at once."""
        if self._source is None:
            return
        self._unwanted = False
        self._forced = True
        self._ask()
        self._take_only()

    def take(self, *, sent: bool = False) -> Completion | None:
        """Put the selected offer into the text and close the list; None if nothing is offered.

        `sent`: the text is sent if that completes it.
        """
        if self._source is not None and self._asked is not None and self._source.pending:
            # Typed faster than it could be looked for.
            seen = self.is_open
            self._source.finish()
            self._ask(keep=True)
            self._blind = self._source.pending and not seen
            if self._blind:
                return None
        offer = self.list.selected
        if offer is None:
            return None
        row, column = self._document.buffer.cursor
        lead = row > 0
        start = Position(row, max(offer.start - lead, 0))
        tail = "" if sent and offer.final else offer.tail
        end = Position(row, column + offer.after)
        self._document.replace(start, self._document.buffer.clamp(end), sanitize(offer.insert) + tail)
        if self._source is not None:
            self._source.taken(offer)
        self.close()
        return offer

    def close(self) -> None:
        """Offer nothing until something is typed."""
        self._unwanted = self._forced = self._blind = False
        self._asked = None
        self.list.close()

    def decline(self) -> bool:
        """Close the list until something else is being written."""
        was_open = self.is_open
        self.close()
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
        return self._select(-self.list.rows)

    def action_select_page_down(self) -> bool:
        """Move the selection down by a page."""
        return self._select(self.list.rows)

    def _select(self, rows: int) -> bool:
        if self.is_open:
            self.list.move(rows)
        return self.is_open

    def _ask(self, *, keep: bool = False) -> None:
        source, cursor = self._source, self._document.buffer.cursor
        if source is None:
            return
        row, column = cursor
        lead = "\n" if row else ""
        line = self._document.blocks.masked(self._document.buffer.lines[row])
        offers = source.complete(lead + line, column + len(lead), forced=self._forced) or ()
        if not offers and not source.pending:
            self._unwanted = False
        self._asked = (self._document.buffer.version, cursor)
        self.list.offer(() if self._unwanted else offers, keep=keep)

    def _on_news(self) -> None:
        """There is more to offer for what was asked, if that still stands in the text."""
        if self._asked != (self._document.buffer.version, self._document.buffer.cursor):
            return
        self._ask(keep=True)
        if self._forced and not self._source_pending:
            if self._blind:
                self._blind = False
                self.take()
            else:
                self._take_only()
            self._answered()

    def _take_only(self) -> bool:
        """Take the only offer that Tab found, if it is all that there is."""
        return len(self.list.offers) == 1 and not self._source_pending and self.take() is not None

    @property
    def _source_pending(self) -> bool:
        return self._source is not None and self._source.pending
