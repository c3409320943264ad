"""The messages that wait: what steers next, and what follows at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from rich.style import Style
from textual import events

from pi_term.base.dataclass import dataclass
from pi_term.render.line import Line
from pi_term.render.theme import Theme
from pi_term.tui.actions import BY_ID
from pi_term.tui.keymap.resolver import KeyResolver, Match
from pi_term.tui.text import Span, ends, fit, one_line, place_text, spans_width
from pi_term.tui.widgets.rows import Rows

_MOST = 4  # rows of each kind
_MOST_EDITED = 8  # rows while the queue is edited
_CONTEXTS = ("queue", "select", "transcript", "app")
_BUTTONS = (
    ("edit", "action_select_confirm"),
    ("delete", "action_queue_delete"),
    ("▲", "action_queue_up"),
    ("▼", "action_queue_down"),
    ("⇄", "action_queue_switch"),
)
_WIDE = 60  # cells from which on there is room for more than the message


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message of the queue; `id` names it, whichever of the two it is in."""

    id: int
    text: str
    steering: bool

    @property
    def label(self) -> str:
        """What kind it is."""
        return "steer" if self.steering else "follow-up"


class QueueEditing(Protocol):
    """What the strip asks for while the queue is edited. Delivery is held from `begin` to `end`."""

    def begin(self) -> None:
        """Hold what waits."""
        ...

    def end(self) -> None:
        """Let it go on."""
        ...

    def edit(self, waiting: Waiting) -> None:
        """Let its text be changed."""
        ...

    def delete(self, waiting: Waiting) -> None:
        """Take it out."""
        ...

    def move(self, waiting: Waiting, by: int) -> None:
        """Put it one earlier (-1) or later (1), into the other queue at the end of its own."""
        ...

    def switch(self, waiting: Waiting) -> None:
        """Make a follow-up of a steering message, and the other way round."""
        ...

    def leave(self, event: events.Key | None = None) -> None:
        """Give the focus back, and a key that was not for the queue."""
        ...

    def dispatch(self, action_id: str) -> bool:
        """Do something that is not the queue's."""
        ...


class QueueStrip(Rows):
    """A row a message, at most four of each kind; nothing at all while nothing waits.

    With the focus, a message is selected: keys and the words at the end of its row edit, delete and move it.
    """

    def __init__(self, desk: QueueEditing, keys: KeyResolver, theme: Theme, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._desk = desk
        self.keys = keys
        self._theme = theme
        self._waiting: tuple[Waiting, ...] = ()
        self._at = 0
        self._editing = False
        self._by_key = False  # the focus was asked for and did not come with a click
        self._clicked = False  # the focus came with a click that is still to be told
        self._first_row = 0  # where the messages begin
        self._first = 0  # the first that is shown while the queue is edited
        self._buttons: list[tuple[int, int, str]] = []  # from column, to column, handler

    def update(self, waiting: Sequence[Waiting], theme: Theme) -> None:
        """Show what waits: steering first, each kind in its order. The selected message stays selected."""
        selected = self.selected
        self._waiting, self._theme = tuple(waiting), theme
        ids = [each.id for each in self._waiting]
        if selected is not None and selected.id in ids:
            self._at = ids.index(selected.id)
        self._at = max(0, min(self._at, len(ids) - 1))
        self.can_focus = bool(ids)
        if self._editing and not ids:
            self._desk.leave()
        self._paint()

    @property
    def selected(self) -> Waiting | None:
        """The message that keys act on."""
        return self._waiting[self._at] if self._at < len(self._waiting) else None

    # --- the focus

    def edit(self) -> None:
        """Take the focus."""
        self._by_key = True
        self.focus()

    def on_focus(self) -> None:
        self._editing = True
        self._clicked, self._by_key = not self._by_key, False
        self._desk.begin()
        self._paint()

    def on_blur(self) -> None:
        if self.app.app_focus:  # else it is the terminal that lost it, and this comes back
            self._editing = False
            self._desk.end()
            self._paint()

    # --- keys and mouse

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self._clicked = False
        found = self.keys.resolve(_CONTEXTS, event.key)
        if isinstance(found, Match):
            any(self._do(action_id) for action_id in found.action_ids)
        elif event.character and event.is_printable:
            self._desk.leave(event)

    def on_paste(self, event: events.Paste) -> None:
        """It is for the editor; the screen gives it to that."""
        self._desk.leave()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        if self._clicked:  # what was clicked is what the strip showed before it had the focus
            self._clicked = False
            shown = [place for place, _ in _summary(self._waiting)]
            if shown:
                self._select(shown[min(int(event.y), len(shown) - 1)])
            return
        row = int(event.y) - self._first_row
        if row < 0:
            return
        if self._first + row != self._at:
            self._select(self._first + row)
            return
        button = next((name for x, end, name in self._buttons if x <= event.x < end), None)
        self._do_named(button or "action_select_confirm")

    def _do(self, action_id: str) -> bool:
        action = BY_ID[action_id]
        if action.scope in ("queue", "select"):
            return self._do_named(action.handler)
        return self._desk.dispatch(action_id)

    def _do_named(self, handler: str) -> bool:
        method: Callable[[], bool] | None = getattr(self, handler, None)
        return method is not None and method()

    def action_select_up(self) -> bool:
        return self._select(self._at - 1)

    def action_select_down(self) -> bool:
        return self._select(self._at + 1)

    def action_select_cancel(self) -> bool:
        self._desk.leave()
        return True

    def action_select_confirm(self) -> bool:
        return self._with_selected(self._desk.edit)

    def action_queue_delete(self) -> bool:
        return self._with_selected(self._desk.delete)

    def action_queue_up(self) -> bool:
        return self._with_selected(lambda waiting: self._desk.move(waiting, -1))

    def action_queue_down(self) -> bool:
        return self._with_selected(lambda waiting: self._desk.move(waiting, 1))

    def action_queue_switch(self) -> bool:
        return self._with_selected(self._desk.switch)

    def _select(self, place: int) -> bool:
        self._at = max(0, min(place, len(self._waiting) - 1))
        self._paint()
        return True

    def _with_selected(self, act: Callable[[Waiting], None]) -> bool:
        if self.selected is not None:
            act(self.selected)
        return True

    # --- painting

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        width = self.app.size.width
        self._buttons = []
        if not self._waiting:
            self.show([])
        elif self._editing:
            self.show(self._edited(width))
        else:
            self._first_row = self._first = 0
            rows = [
                _message_row(self._waiting[place], self._theme, width)
                if not more
                else ends([(more, self._theme.style("dim"))], [], width)
                for place, more in _summary(self._waiting)
            ]
            rows[-1] = self._with_hint(width)
            self.show(rows)

    def _with_hint(self, width: int) -> Line:
        """The last row, with the keys that act on what waits."""
        place, more = _summary(self._waiting)[-1]
        last: list[Span] = (
            [(more, self._theme.style("dim"))] if more else _spans(self._waiting[place], self._theme)
        )
        keys = self.keys.table
        hints = [
            f"{key} {what}"
            for action, what in (("app.queue.edit", "edits"), ("app.message.dequeue", "takes back"))
            if (key := keys.hint(action))
        ]
        hint: list[Span] = [(" · ".join(hints), self._theme.style("dim"))] if width >= _WIDE else []
        return ends(last, hint, width)

    def _edited(self, width: int) -> list[Line]:
        """All of what waits, around the selected message, below a row that tells the keys."""
        count = len(self._waiting)
        self._first_row = 1
        self._first = max(0, min(self._at - _MOST_EDITED // 2, count - _MOST_EDITED))
        rows = [self._keys_row(width)]
        for place in range(self._first, min(self._first + _MOST_EDITED, count)):
            chosen = place == self._at
            rows.append(
                self._selected_row(self._waiting[place], width)
                if chosen
                else _message_row(self._waiting[place], self._theme, width, mark="  ")
            )
        return rows

    def _keys_row(self, width: int) -> Line:
        keys = self.keys.table
        told = [
            f"{key} {what}"
            for action, what in (
                ("tui.select.confirm", "edits"),
                ("app.queue.delete", "takes out"),
                ("app.queue.moveUp", "earlier"),
                ("app.queue.moveDown", "later"),
                ("app.queue.switch", "switches"),
            )
            if (key := keys.hint(action))
        ]
        hidden = len(self._waiting) - _MOST_EDITED
        aside: list[Span] = (
            [(place_text(self._at, len(self._waiting)), self._theme.style("dim"))] if hidden > 0 else []
        )
        leave = keys.hint("tui.select.cancel")
        title: list[Span] = [(f"Held until {leave}  " if leave else "Held  ", self._theme.style("warning"))]
        return ends([*title, (" · ".join(told), self._theme.style("dim"))], aside, width)

    def _selected_row(self, waiting: Waiting, width: int) -> Line:
        theme = self._theme
        filled = theme.style(None, "selectedBg")
        buttons: list[Span] = []
        if width >= _WIDE:
            for name, _ in _BUTTONS:
                buttons.append((f" {name} ", theme.style("accent", "selectedBg")))
        start = width - 1 - spans_width(buttons)
        for (_, handler), (text, _) in zip(_BUTTONS, buttons, strict=False):
            size = spans_width([(text, None)])
            self._buttons.append((start, start + size, handler))
            start += size
        room = width - 3 - spans_width(buttons)
        left = fit([("→ ", theme.style("accent", "selectedBg")), *_spans(waiting, theme, "selectedBg")], room)
        return _filled(ends(left, buttons, width), filled)


def _filled(line: Line, style: Style) -> Line:
    """The row with its background behind the gaps, too."""
    segments = tuple(segment if segment.style else segment._replace(style=style) for segment in line.segments)
    return Line(segments, line.source_text)


def _summary(waiting: Sequence[Waiting]) -> list[tuple[int, str]]:
    """The rows while the queue is not edited: the place of a message, or of the first of some more."""
    rows: list[tuple[int, str]] = []
    for steering in (True, False):
        places = [place for place, each in enumerate(waiting) if each.steering is steering]
        rows += [(place, "") for place in places[:_MOST]]
        if len(places) > _MOST:
            rows.append((places[_MOST], f"{waiting[places[0]].label}: … {len(places) - _MOST} more"))
    return rows


def _spans(waiting: Waiting, theme: Theme, background: str | None = None) -> list[Span]:
    token = "accent" if waiting.steering else "muted"
    return [
        (f"{waiting.label}: ", theme.style(token, background)),
        (one_line(waiting.text, 400), theme.style("text", background)),
    ]


def _message_row(waiting: Waiting, theme: Theme, width: int, mark: str = "") -> Line:
    return ends([(mark, None), *_spans(waiting, theme)], [], width)
