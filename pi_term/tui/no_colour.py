"""NO_COLOR: what colours say is said by text styles, in the terminal's own two colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome

from pi_term.render.theme import Theme


class NoColour(LineFilter):
    """Takes all colours out; what is selected, which a background tells, is reversed instead."""

    def __init__(self, theme: Callable[[], Theme]) -> None:
        super().__init__()
        self._theme = theme
        self._plain: dict[tuple[Style, str], Style] = {}

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same text without colours."""
        selected = self._theme().hex("selectedBg")
        return [
            Segment(text, None if style is None else self._without(style, selected), control)
            for text, style, control in segments
        ]

    def _without(self, style: Style, selected: str) -> Style:
        known = self._plain.get((style, selected))
        if known is None:
            marked = style.bgcolor is not None and style.bgcolor.name == selected
            known = self._plain[(style, selected)] = Style(
                bold=style.bold,
                dim=style.dim,
                italic=style.italic,
                underline=style.underline,
                strike=style.strike,
                reverse=bool(style.reverse) != marked,
                link=style.link,
            )
        return known


def without_colours(app: App[Any], theme: Callable[[], Theme]) -> None:
    """Where NO_COLOR is set, Textual would still use shades of grey: use no colour at all."""
    if app.no_color:
        app._filters = [each for each in app._filters if not isinstance(each, Monochrome)]
        app._filters.append(NoColour(theme))
