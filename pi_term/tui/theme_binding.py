"""One theme for everything: pi-term's own, given to Textual under a name that is new each time."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.theme import Theme as TextualTheme

from pi_term.render.theme import Theme


def apply_theme(app: App[Any], theme: Theme) -> None:
    """Make `theme` the app's theme.

    Registering a theme anew under its old name changes nothing in Textual, so each has its version in
    its name.
    """
    name = f"{theme.name}-{theme.version}"
    app.register_theme(_textual_theme(name, theme))
    app.theme = name


def _textual_theme(name: str, theme: Theme) -> TextualTheme:
    return TextualTheme(
        name=name,
        primary=theme.hex("accent"),
        secondary=theme.hex("border"),
        accent=theme.hex("accent"),
        warning=theme.hex("warning"),
        error=theme.hex("error"),
        success=theme.hex("success"),
        foreground=theme.hex("text"),
        background=theme.page_hex,
        surface=theme.page_hex,
        panel=theme.hex("selectedBg"),
        dark=theme.appearance == "dark",
        variables=theme.variables(),
    )
