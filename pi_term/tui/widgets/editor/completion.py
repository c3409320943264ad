"""Completions: what a source offers, and the list that shows them above the editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pi_term.base.sanitize import sanitize_line

VISIBLE_ROWS = 8


@dataclass(frozen=True, slots=True)
class Completion:
    """One offer: `insert` replaces the text from `start` to the cursor.

    `final` says that the result is complete: Enter accepts and sends it in one go.
    """

    label: str
    insert: str
    description: str = ""
    start: int = 0
    final: bool = False


class CompletionSource(Protocol):
    """Something that knows what could come next."""

    def complete(self, text: str, cursor: int) -> list[Completion] | None:
        """Offers at `cursor` in `text`, best first; None or nothing where there is nothing to offer.

        `text` is the line of the cursor, with the line break before it unless it is the first, and with
        U+FFFC in place of each folded paste. Called for every typed key: it has about a millisecond.
        """


@dataclass
class OfferChosen(Message):
    """The user clicked offer number `index`, which is selected now."""

    index: int


class CompletionList(Widget):
    """The offers, in as many rows as are needed, above its parent."""

    DEFAULT_CSS = """
    CompletionList {
        overlay: screen;
        display: none;
        height: auto;
        width: 100%;
        background: $surface;
        color: $foreground;

        & > .completion--label { color: $foreground; }
        & > .completion--description { color: $foreground 60%; }
        & > .completion--selected { background: $primary; color: $text; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "completion--label",
        "completion--description",
        "completion--selected",
    }
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._offers: tuple[Completion, ...] = ()
        self._selected = 0
        self._first = 0
        self._label_cells = 0

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose from."""
        return bool(self._offers)

    @property
    def selected(self) -> Completion | None:
        """The offer that Enter or Tab would take."""
        return self._offers[self._selected] if self._offers else None

    @property
    def offers(self) -> tuple[Completion, ...]:
        """All offers, best first."""
        return self._offers

    def offer(self, offers: Sequence[Completion]) -> None:
        """Show `offers` with the first one selected; none closes the list."""
        offers = tuple(offers)
        if offers == self._offers:
            return
        height = min(len(offers), VISIBLE_ROWS)
        if height != min(len(self._offers), VISIBLE_ROWS):
            self.styles.height = height
            self.styles.offset = (0, -height)
        self._offers = offers
        self._selected = self._first = 0
        self._label_cells = max((cell_len(sanitize_line(each.label)) for each in offers), default=0)
        self.display = bool(offers)
        self.refresh()

    def close(self) -> None:
        """Offer nothing."""
        self.offer(())

    def move(self, rows: int) -> None:
        """Move the selection, round the ends when it goes by one row."""
        count = len(self._offers)
        target = self._selected + rows
        self._selected = target % count if abs(rows) == 1 else min(max(target, 0), count - 1)
        self._first = min(max(self._first, self._selected - VISIBLE_ROWS + 1), self._selected)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number = self._first + y
        if number >= len(self._offers):
            return Strip.blank(self.size.width, self.rich_style)
        offer = self._offers[number]
        width = self.size.width
        labels = min(self._label_cells, max(width - 2, 1))
        label = self.get_component_rich_style("completion--label")
        description = self.get_component_rich_style("completion--description")
        if number == self._selected:
            label = description = self.get_component_rich_style("completion--selected")
        rest = max(width - labels - 4, 0)
        strip = Strip(
            [
                Segment(f" {set_cell_size(sanitize_line(offer.label), labels)}  ", label),
                Segment(set_cell_size(sanitize_line(offer.description), rest), description),
            ]
        )
        return strip.adjust_cell_length(width, description)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose the offer under the mouse."""
        event.stop()
        number = self._first + int(event.y)
        if number < len(self._offers):
            self._selected = number
            self.post_message(OfferChosen(number))
