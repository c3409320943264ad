"""The messages that wait: what steers next, and what follows at the end."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.render.theme import Theme
from pi_term.tui.text import Span, ends
from pi_term.tui.widgets.rows import Rows

_MOST = 4


class QueueStrip(Rows):
    """A row a message, at most four of each kind; nothing at all while nothing waits."""

    def update(self, steering: Sequence[str], follow_up: Sequence[str], theme: Theme, hint: str) -> None:
        """Show other queues; `hint` says how to take them back."""
        width = self.app.size.width
        rows = [
            *_rows("steer", steering, "accent", theme, width),
            *_rows("follow-up", follow_up, "muted", theme, width),
        ]
        if rows:
            rows[-1] = _with_hint(rows[-1], hint, theme, width)
        self.show([ends(left, right, width) for left, right in rows])


_Row = tuple[list[Span], list[Span]]


def _rows(label: str, texts: Sequence[str], token: str, theme: Theme, width: int) -> list[_Row]:
    rows: list[_Row] = [
        ([(f"{label}: ", theme.style(token)), (text, theme.style("text"))], []) for text in texts[:_MOST]
    ]
    if len(texts) > _MOST:
        rows.append(([(f"{label}: … {len(texts) - _MOST} more", theme.style("dim"))], []))
    return rows


def _with_hint(row: _Row, hint: str, theme: Theme, width: int) -> _Row:
    return (row[0], [(hint, theme.style("dim"))] if width >= 60 else [])
