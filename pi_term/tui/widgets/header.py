"""The first rows of a fresh start: who answers, what was loaded, how to begin."""

from __future__ import annotations

from collections.abc import Sequence

from pi_term.render.theme import Theme
from pi_term.tui.text import Span, ends
from pi_term.tui.widgets.rows import Rows
from pi_term.version import __version__


class Header(Rows):
    """Shown until the first prompt."""

    def __init__(self, quiet: bool | str, *, id: str) -> None:
        """`quiet` is the setting `quietStartup`."""
        super().__init__(id=id)
        self.quiet = quiet
        self.display = quiet is not True

    def appear(self, shown: bool) -> None:
        """Show or hide it, as far as it is wanted at all."""
        self.display = shown and self.quiet is not True

    def update(self, model: str, loaded: Sequence[str], hints: Sequence[str], theme: Theme) -> None:
        """Show what was loaded, a row each, and the key hints, the first ones where there is little room."""
        dim, muted = theme.style("dim"), theme.style("muted")
        name = ("pi-term", theme.style("accent", bold=True))
        rows: list[list[Span]] = [[name, (f" {__version__} · {model}", muted)]]
        rows += [] if self.quiet else [[(each, muted)] for each in loaded]
        width = self.app.size.width
        rows.append([(_fitting(hints, width - 2), dim)])
        self.show([ends(row, [], width) for row in rows])


def _fitting(hints: Sequence[str], room: int) -> str:
    """As many of the hints as there is room for, none of them cut."""
    text = ""
    for hint in hints:
        longer = f"{text} · {hint}" if text else hint
        if len(longer) > room:
            break
        text = longer
    return text
