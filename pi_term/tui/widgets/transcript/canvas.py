"""The drawing half of the transcript: a window over items that repaints what changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.widget import Widget

from pi_term.tui.widgets.transcript.facts import FollowChanged
from pi_term.tui.widgets.transcript.items import ItemList
from pi_term.tui.widgets.transcript.paint import (
    BAR,
    Bar,
    Palette,
    WithoutLinks,
    blank_strip,
    changed_runs,
    place_bar,
    with_pill,
    with_selection,
    with_thumb,
)
from pi_term.tui.widgets.transcript.selecting import Span, cells, place_of
from pi_term.tui.widgets.transcript.store import LineStore
from pi_term.tui.widgets.transcript.viewport import Viewport

if TYPE_CHECKING:
    from textual.strip import Strip

    from pi_term.render.line import Line
    from pi_term.tui.widgets.transcript.items import Item
    from pi_term.tui.widgets.transcript.look import Look
    from pi_term.tui.widgets.transcript.viewport import Row


_WITHOUT_LINKS = WithoutLinks()


class TranscriptCanvas(ScrollView, can_focus=False, inherit_bindings=False):
    """Items one below the other, of which only the visible rows are ever made.

    It must have neither border nor padding: it returns finished strips for all of its region.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "transcript--thumb",
        "transcript--pill",
        "transcript--match",
        "transcript--match-current",
    }
    DEFAULT_CSS = """
    TranscriptCanvas {
        width: 1fr;
        height: 1fr;
        overflow: hidden hidden;

        & > .transcript--thumb {
            color: $scrollbar-active;
        }
        & > .transcript--pill {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
        }
        & > .transcript--match {
            color: $warning;
            text-style: reverse;
        }
        & > .transcript--match-current {
            color: $accent;
            text-style: bold reverse;
        }
    }
    """

    links = True
    """Whether the terminal is told which text is a link."""
    thumb = True
    """Whether a thumb shows where the view is, and can be dragged."""

    def __init__(self, look: Look, *, id: str | None, classes: str | None) -> None:
        self._restyled = False  # asked for while the widget is being made
        super().__init__(id=id, classes=classes)
        self._look = look
        self._items = ItemList()
        self._store = LineStore(self._items, look)
        self._viewport = Viewport(self._items, self._store)
        self._unseen: deque[int] = deque()
        self._palette: Palette | None = None
        self._shown_size = Size(0, 0)
        self._shown_top = 0
        self._shown: list[Row] = []
        self._strips: list[Strip] = []
        self._bar: Bar | None = None
        self._told = (True, 0)

    @property
    def follow(self) -> bool:
        """Whether the newest row is always shown."""
        return self._viewport.following

    def render_lines(self, crop: Region) -> list[Strip]:
        """The finished strips of the view."""
        if self._fit():
            self._strips = self._compose_strips()
        strips = self._strips[crop.y : crop.bottom]
        if crop.x or (strips and crop.right != strips[0].cell_length):
            strips = [strip.crop(crop.x, crop.right) for strip in strips]
        return strips

    def on_resize(self) -> None:
        """Show the rows that fit now; what is read stays."""
        self._show()

    def notify_style_update(self) -> None:
        """Colours of the view itself may have changed."""
        super().notify_style_update()
        self._restyled = True

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Repaint regions, or all, in which case the colours may have changed."""
        self._restyled = self._restyled or not regions
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody else scrolled: Textual, when a selection is dragged beyond the edge."""
        delta = round(new_value) - self._shown_top
        if delta and self.size == self._shown_size:
            self._act(lambda: self._viewport.move(delta))

    @property
    def allow_vertical_scroll(self) -> bool:
        """There is no scroll bar, but there may be something to scroll."""
        return self._items.rows > self._shown_size.height

    def _act(self, change: Callable[[], None]) -> None:
        """Do what the person asked for, and show it at once."""
        self._fit()
        if self._shown_size:
            change()
            self._show()

    def _show(self) -> int:
        """Repaint the rows that changed; how many."""
        everything = self._fit()
        if not self._shown_size:
            return 0
        before, self._strips = self._strips, self._compose_strips()
        if everything:
            self.refresh()
            return len(self._strips)
        changed = 0
        for first, count in changed_runs(before, self._strips):
            self.refresh(Region(0, first, self._shown_size.width, count))
            changed += count
        return changed

    def _fit(self) -> bool:
        """Take on the size and the colours the view has now; whether all of it must be made again."""
        size = self.size
        resized = size != self._shown_size
        if not size or not (resized or self._restyled):
            return False
        palette = self._make_palette()
        self._restyled = False
        if not resized and palette == self._palette:
            return False
        self._palette = palette
        self._store.drop_strips()
        self._shown_size = size
        self._look.width = max(1, size.width - BAR)
        self._viewport.height = size.height
        if resized:
            self._viewport.settle()
        return True

    def _make_palette(self) -> Palette:
        background = self.background_colors[1]
        marked = self.screen.get_component_styles("screen--selection")
        # A theme that gives no colour for selected text says so with a transparent one: text keeps its own.
        selection = marked.partial_rich_style + Style(bgcolor=(background + marked.background).rich_color)
        return Palette(
            base=self.visual_style.rich_style,
            thumb=self.get_component_rich_style("transcript--thumb", partial=True),
            pill=self.get_component_rich_style("transcript--pill", partial=True),
            selection=selection,
            match=self.get_component_rich_style("transcript--match", partial=True),
            current=self.get_component_rich_style("transcript--match-current", partial=True),
            background=background,
            filters=(*self.get_line_filters(), *(() if self.links else (_WITHOUT_LINKS,))),
        )

    def _compose_strips(self) -> list[Strip]:
        """All rows of the view as they are painted."""
        palette = self._palette
        assert palette is not None, "only called after `_fit`"
        rows = self._shown = self._viewport.rows()
        self._place(rows)
        strips = self._text_strips(rows, palette)
        self._store.trim({item.seq for item, _ in rows})
        blank = blank_strip(self._look.width, palette)
        strips.extend([blank] * (self._shown_size.height - len(rows)))
        bar = self._bar
        if bar is not None:
            for y in range(bar.top, min(len(strips), bar.top + bar.height)):
                strips[y] = with_thumb(strips[y], palette)
        if not self.follow and strips:
            strips[-1] = with_pill(strips[-1], self._pill_label(), palette)
        return [palette.filtered(strip) for strip in strips] if palette.filters else strips

    def _text_strips(self, rows: list[Row], palette: Palette) -> list[Strip]:
        """The rows without what is drawn over them, save for the mark of what is selected."""
        span = self._span()
        strips: list[Strip] = []
        shown: Item | None = None
        for item, at in rows:
            if item is not shown:
                shown, rendered = item, self._store.render(item)
            strip = self._store.strip(rendered, at, palette)
            strip = self._with_matches(strip, item, at, rendered.lines, palette)
            chosen = span.on(place_of(item, at)) if span is not None else None
            if chosen is not None:
                strip = with_selection(strip, cells(rendered.lines[at], *chosen), palette)
            strips.append(strip)
        return strips

    def _with_matches(
        self, strip: Strip, item: Item, at: int, lines: Sequence[Line], palette: Palette
    ) -> Strip:
        """A row with the marks of what is looked for; in this view nothing is."""
        return strip

    def _span(self) -> Span | None:
        """What is selected; nothing in a view without a mouse."""
        return None

    def _pill_label(self) -> str:
        return f" ↓ {len(self._unseen)} new " if self._unseen else " ↓ end "

    def _place(self, rows: list[Row]) -> None:
        """Note where the view is, for the thumb, for Textual and for those who listen."""
        width, height = self._shown_size
        top = self._items.top(rows[0][0]) + rows[0][1] if rows else 0
        total = max(self._items.rows, top + len(rows))
        self._shown_top = top
        self._bar = place_bar(top, total, height, at_end=self.follow) if self.thumb else None
        # Neither is assigned: the one would force a layout of the screen, the other would scroll again.
        self.set_reactive(Widget.virtual_size, Size(width, max(total, top + height)))
        if round(self.scroll_y) != top:
            self.set_reactive(Widget.scroll_y, float(top))
            self.set_reactive(Widget.scroll_target_y, float(top))
        self._note_seen(rows)
        told = (self.follow, len(self._unseen))
        if told != self._told:
            self._told = told
            self.post_message(FollowChanged(*told))

    def _note_seen(self, rows: list[Row]) -> None:
        """Blocks count as new until their last row, or a row further down, was shown."""
        unseen = self._unseen
        if self.follow or not rows:
            unseen.clear()
            return
        item, line = rows[-1]
        seen = item.seq if line >= item.height - 1 else item.seq - 1
        while unseen and unseen[0] <= seen:
            unseen.popleft()
