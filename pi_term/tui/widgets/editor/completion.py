"""Completions: what a source offers, and the list that shows them above the editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pi_term.base.dataclass import dataclass
from pi_term.base.sanitize import sanitize_line

VISIBLE_ROWS = 8


@dataclass(frozen=True, slots=True)
class Completion:
    """One offer: `insert` replaces the text from `start` to `after` characters behind the cursor.

    `final` says that the result is complete: Enter accepts and sends it in one go. `tail` is put behind what
    is accepted without being sent.
    """

    label: str
    insert: str
    description: str = ""
    start: int = 0
    final: bool = False
    tail: str = ""
    after: int = 0


class CompletionSource:
    """Something that knows what could come next; here, nothing."""

    news: Callable[[], None] | None = None
    """To be called when `complete` would answer more than it did. Set by whoever asks."""

    @property
    def pending(self) -> bool:
        """Whether what `complete` answered last is not all yet."""
        return False

    def complete(self, text: str, cursor: int, *, forced: bool = False) -> Sequence[Completion] | None:
        """Offers at `cursor` in `text`, best first; None or nothing where there is nothing to offer.

        `text` is the line of the cursor, with the line break before it unless it is the first, and with
        U+FFFC in place of each folded paste. Called for every typed key: it has about a millisecond.
        `forced`: somebody asked for it, with Tab.
        """
        return None

    def finish(self) -> None:
        """Bring what is pending to its end at once, if it can be: somebody takes the best offer now."""

    def taken(self, offer: Completion) -> None:
        """An offer of this source was taken."""

    def hint(self, text: str) -> str:
        """What may follow `text`, the whole text of the editor, to be shown behind it; "" for nothing."""
        return ""


class OfferChosen(Message):
    """The user clicked offer number `index`, which is selected now."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index


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
        self.rows = VISIBLE_ROWS
        self._offers: tuple[Completion, ...] = ()
        self._selected = 0
        self._first = 0
        self._height = 0
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

    def offer(self, offers: Sequence[Completion], *, keep: bool = False) -> None:
        """Show `offers` with the first one selected; none closes the list.

        With `keep`, what somebody selected by hand stays selected.
        """
        offers = tuple(offers)
        if offers == self._offers:
            return
        chosen = self.selected if keep and self._selected else None
        height = min(len(offers), self.rows)
        if height != self._height:
            self._height = height
            self.styles.height = height
            self.styles.offset = (0, -height)
        self._offers = offers
        self._selected = offers.index(chosen) if chosen in offers else 0
        self._first = max(self._selected - self.rows + 1, 0)
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
        self._first = min(max(self._first, self._selected - self.rows + 1), self._selected)
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
        place = ""
        if number == self._selected:
            label = description = self.get_component_rich_style("completion--selected")
            place = f" {number + 1}/{len(self._offers)} " if len(self._offers) > self.rows else ""
        rest = max(width - labels - 4 - len(place), 0)
        strip = Strip(
            [
                Segment(f" {_cut(sanitize_line(offer.label), labels)}  ", label),
                Segment(set_cell_size(sanitize_line(offer.description), rest), description),
            ]
        )
        if not place or width < 2 * len(place):
            return strip.adjust_cell_length(width, description)
        strip = strip.adjust_cell_length(width - len(place), description)
        return Strip([*strip, Segment(place, description)], width)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Select the offer above."""
        event.stop()
        self._wheel(-1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Select the offer below."""
        event.stop()
        self._wheel(1)

    def _wheel(self, rows: int) -> None:
        if 0 <= self._selected + rows < len(self._offers):
            self.move(rows)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose the offer under the mouse."""
        event.stop()
        number = self._first + int(event.y)
        if number < len(self._offers):
            self._selected = number
            self.post_message(OfferChosen(number))


def _cut(text: str, cells: int) -> str:
    """`text` in so many cells; of one that is too long, a path as a rule, the end is shown."""
    too_long = cell_len(text) - cells
    if too_long <= 0:
        return set_cell_size(text, cells)
    tail = text[too_long + 1 :]
    while cell_len(tail) > cells - 1:
        tail = tail[1:]
    return set_cell_size(f"…{tail}", cells)
